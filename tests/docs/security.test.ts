// docs/security.md names the tests that hold its promises.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/security.md'), 'utf8')
const named = [...page.matchAll(/`([\w/-]+\.test\.ts)`/g)].map(([, file = '']) => file)

it('names tests for every promise', () => {
  const promises = page.split('\n').filter((line) => /^\| \d+ \|/.test(line))
  expect(promises.length).toBeGreaterThanOrEqual(15)
  for (const promise of promises) expect(promise).toMatch(/\.test\.ts`|tests\//)
})

it.each([...new Set(named)])('%s is there', (file) => {
  expect(globSync([`${file}`, `{src,tests}/**/${file}`], { cwd: root })).not.toEqual([])
})

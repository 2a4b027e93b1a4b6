/** examples/README.md lists every example. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readPage, root } from './pages.ts'

const examples = globSync('[0-9][0-9]-*.ts', { cwd: join(root, 'examples') }).sort()

it('lists every example, in order', () => {
  const listed = [...readPage('examples/README.md').matchAll(/\]\((\d\d-[^/)]*\.ts)\)/g)]
  expect(listed.map(([, file]) => file)).toEqual(examples)
})

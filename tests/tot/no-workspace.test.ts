// Without a workspace a run writes no files: not into the current folder either.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'

const INDEX = join(import.meta.dirname, '../../src/index.ts')
let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'thinkon-no-workspace-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A search that ends, in a process whose current folder is empty. Prints its outcome. */
const program = (options: string) => `
import { createEngine } from ${JSON.stringify(INDEX)}
const engine = createEngine({ model: 'embedded:abacus', store: ':memory:' })
const run = await engine.start('How much is 4 plus 2?', { strategy: 'tot', ${options} })
console.log(JSON.stringify(await run.outcome))
await engine.close()
`

it.each([
  ['with approval', "approval: { asks: 'nobody' }", []],
  ['with approval of everything', "approval: 'allow-all'", []],
  ['with a workspace', `approval: { asks: 'nobody' }, workspace: '.'`, ['logs']],
])('a run of tot %s', (_, options, files) => {
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', program(options)], { cwd: folder })
  expect(JSON.parse(out.toString())).toMatchObject({ status: expect.stringMatching(/completed|partial/) })
  expect(readdirSync(folder)).toEqual(files)
})

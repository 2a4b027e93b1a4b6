// What is loaded, and what is not. All optional packages are there, so that one that is imported without need shows.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshProject, manifest, type Project } from './packed.ts'

let project: Project
beforeAll(() => {
  const packages = Object.keys(manifest.peerDependencies).filter((name) => name in manifest.devDependencies)
  project = freshProject({ packages, files: { 'record.mjs': RECORD } })
})
afterAll(() => project?.remove())

const RECORD = `import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
const urls = []
registerHooks({ load(url, context, next) { urls.push(url); return next(url, context) } })
process.on('exit', () => writeFileSync(process.env.LOADED_MODULES, urls.join('\\n')))
`

/** The packages that are loaded, and how many files of Thinkon's own. */
function loadedBy(args: string[]): { packages: string[]; own: number } {
  const list = join(project.folder, 'loaded.txt')
  project.printed(['--import', './record.mjs', ...args], { env: { LOADED_MODULES: list } })
  const urls = readFileSync(list, 'utf8').split('\n')
  const names = urls.map((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? '')
  const packages = [...new Set(names)].filter((name) => name !== '' && name !== 'thinkon').sort()
  return { packages, own: names.filter((name) => name === 'thinkon').length }
}

/** How wide a text is on a terminal: a few small files. */
const WIDTH = ['ansi-regex', 'ansi-styles', 'get-east-asian-width', 'string-width', 'strip-ansi', 'wrap-ansi']

const script = (text: string) => ['--input-type=module', '-e', text]

it("import 'thinkon' loads no package, and a few files", () => {
  const { packages, own } = loadedBy(script(`import 'thinkon'`))
  expect(packages).toEqual([])
  expect(own).toBeLessThan(70)
})

it.each([
  ['stores', []],
  ['protocol', []],
  ['testing', []],
  ['client', []],
  ['views', WIDTH],
  ['strategies', ['yaml']],
])('import thinkon/%s loads the packages %j', (part, packages) => {
  expect(loadedBy(script(`import 'thinkon/${part}'`)).packages).toEqual(packages)
})

it('solve with a model of your own loads no optional package', () => {
  const { packages } = loadedBy(
    script(`import { solve } from 'thinkon'
      const model = { id: 'mine', call: async () => ({ text: 'done', usage: { inputTokens: 1, outputTokens: 1 } }) }
      const request = { kind: 'mine/ask', version: 1, role: 'act', input: {}, messages: [{ role: 'user', content: 'hi' }] }
      const ask = { name: 'ask', version: 1, options: (given) => given,
        solve: async (context) => (await context.one(context.model(request))).text }
      const { result } = await solve('say done', { model, strategies: [ask], strategy: 'ask' })
      if (result !== 'done') throw new Error(result)`),
  )
  expect(packages).toEqual(WIDTH)
})

it('thinkon --version loads nothing that is heavy', () => {
  expect(loadedBy([join(project.installed, 'bin/thinkon.js'), '--version']).packages).toEqual(WIDTH)
})

it('thinkon run loads no optional package', () => {
  const args = ['run', '3 + 4', '--store', ':memory:']
  const { packages } = loadedBy([join(project.installed, 'bin/thinkon.js'), ...args])
  expect(packages).toEqual(['diff', 'yaml', ...WIDTH].sort())
})

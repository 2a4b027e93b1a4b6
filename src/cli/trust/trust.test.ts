import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterEach, expect, describe as group, it } from 'vitest'
import { COMPUTED, findConfig, literalConfig } from '../../config/index.ts'
import { findImports } from '../../config/program-imports.ts'
import { openTools } from '../../tools/open-tools.ts'
import { addCommand } from './command-code.ts'
import { inspectFolder } from './inspect-folder.ts'
import { describePowers, powersOf } from './powers.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-trust-'))
  folders.push(folder)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

group('what a program says in literals', () => {
  it.each<[string, string, unknown]>([
    [
      'an exported literal',
      'export default { a: \'x\', b: [1, true, null], c: { d: "y" } }',
      { a: 'x', b: [1, true, null], c: { d: 'y' } },
    ],
    [
      'a call around it',
      "export default defineConfig({ model: 'm', // it\n store: `s` })",
      { model: 'm', store: 's' },
    ],
    ['a constant', 'const c = { a: "\\u0041" } satisfies X\nexport default c', { a: 'A' }],
    [
      'what is computed',
      "export default { a: process.env.A, b: 'x' + y, c: `$" + "{z}`, d: f('q'), ...more }",
      { a: COMPUTED, b: COMPUTED, c: COMPUTED, d: COMPUTED },
    ],
    ['a key that means another object', "export default { __proto__: { a: 'x' }, b: 'y' }", { b: 'y' }],
    [
      'keys of every object',
      "export default { constructor: { prototype: { a: 'x' } }, toString: { a: 'x' } }",
      { constructor: { prototype: { a: 'x' } }, toString: { a: 'x' } },
    ],
    ['a function', 'export default () => ({})', COMPUTED],
    ['nothing', '', COMPUTED],
  ])('%s', (_, text, value) => {
    expect(literalConfig(text)).toEqual(value)
    expect(Object.keys(Object.prototype)).toEqual([])
  })
})

group('what a program imports is found in its text', () => {
  const found = (files: Record<string, string>) => {
    const folder = folderWith(files)
    const paths = [...findImports([join(folder, 'thinkon.config.mjs')]).keys()]
    return paths.map((path) => relative(folder, path)).sort()
  }

  it.each<[string, string]>([
    ['import', "import a from './a.mjs'"],
    ['import for its effects', "import'./a.mjs'"],
    ['export from', "export * from './a.mjs'"],
    ['a dynamic import', "await import( './a.mjs' )"],
    ['a template without parts', 'await import(`./a.mjs`)'],
    ['require', "createRequire(import.meta.url)('./a.mjs')"],
    ['a worker', "new Worker(new URL('a.mjs', import.meta.url))"],
    ['a text after an apostrophe', "// don't\nimport('./a.mjs')"],
    ['a text on the line of an apostrophe', "/* don't */ import('./a.mjs')"],
    ['a file in a constant', "const part = './a.mjs'\nawait import(part)"],
    ['an absolute address', "import 'file:///PLACE/a.mjs'"],
  ])('%s', (_, text) => {
    const folder = folderWith({ 'a.mjs': '' })
    writeFileSync(join(folder, 'thinkon.config.mjs'), text.replace('/PLACE', folder))
    expect([...findImports([join(folder, 'thinkon.config.mjs')]).keys()]).toContain(join(folder, 'a.mjs'))
  })

  it('through packages, as import and as require resolve them', () => {
    const files = {
      'thinkon.config.mjs': "import 'both'\nimport '#own'\nimport '@scope/one/sub'",
      'package.json': '{"imports":{"#own":"./own.mjs"}}',
      'own.mjs': '',
      'node_modules/both/package.json': '{"exports":{"import":"./i.mjs","require":"./r.cjs"}}',
      'node_modules/both/i.mjs': '',
      'node_modules/both/r.cjs': "require('./inner')",
      'node_modules/both/inner.js': '',
      'node_modules/@scope/one/package.json': '{"exports":{"./sub":"./lib/sub.js"}}',
      'node_modules/@scope/one/lib/sub.js': '',
    }
    expect(found(files)).toEqual(
      Object.keys(files)
        .filter((name) => !name.endsWith('package.json'))
        .sort(),
    )
  })

  it.each(['import', 'from', 'require('])('in linear time, after %s and a million spaces', (word) => {
    const started = performance.now()
    found({ 'thinkon.config.mjs': `${word}${' '.repeat(1_000_000)}x` })
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  it('in a circle', () => {
    expect(
      found({ 'thinkon.config.mjs': "import './a.mjs'", 'a.mjs': "import './thinkon.config.mjs'" }),
    ).toEqual(['a.mjs', 'thinkon.config.mjs'])
  })
})

it('nothing without an end is read: devices, pipes, folders', () => {
  const folder = folderWith({})
  for (const [name, to] of [
    ['zero', '/dev/zero'],
    ['folder', '/'],
    ['nothing', '/nowhere'],
  ] as const)
    symlinkSync(to, join(folder, name))
  expect(findImports(['zero', 'folder', 'nothing'].map((name) => join(folder, name))).size).toBe(0)
})

it.each<[string, unknown]>([
  ['null', null],
  ['a list', [1, [2]]],
  [
    'wrong kinds',
    {
      model: 5,
      models: 'x',
      mcp: [1],
      approval: { allow: 'x' },
      tools: 3,
      budget: null,
      prices: [],
      strategies: {},
    },
  ],
  [
    'wrong kinds inside',
    {
      mcp: { a: null, b: { command: 3, args: 'x', env: 5 }, c: { url: 4 } },
      models: { plan: [null, { model: {} }] },
    },
  ],
])('a configuration that is not valid is described, too: %s', (_, value) => {
  expect(() => powersOf(value)).not.toThrow()
})

it('all that it does is shown', () => {
  const mcp = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`s${i}`, `cmd ${'x'.repeat(2_000)}`]))
  const files = Array.from({ length: 50 }, (_, i) => ({ power: 'code', what: `f${i}.ts` }) as const)
  const lines = describePowers([...files, ...powersOf({ mcp })])
  expect(lines).toHaveLength(50 + 50)
  expect(lines.at(-1)).toMatch(/s49: cmd x{2000}$/)
})

it('what is longer than a line of the terminal goes on below, so that it can not pass for another line', () => {
  const allow = [`shell(x${' '.repeat(60)}sends keys  none)`, 'write']
  const powers = powersOf({ approval: { allow } })
  const lines = describePowers(powers, 60)
  const indent = lines[0]?.indexOf('approval.allow')
  expect(lines.length).toBeGreaterThan(2)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(60)
  for (const line of lines.slice(1)) expect(line.slice(0, indent).trim()).toBe('')
})

it('executors that changed after they were trusted are not loaded, and blueprints are not used', async () => {
  const executors = 'executors:\n  - id: a\n    description: a\n    command: a\n'
  const workspace = folderWith({
    '.thinkon/executors/executors.yaml': executors,
    '.thinkon/blueprints/mine.yaml': 'name: mine',
  })
  const seen: string[] = []
  const refuse = (path: string) => {
    seen.push(relative(workspace, path))
    throw new Error('has changed')
  }
  await expect(openTools({ workspace, memory: false, checkFile: refuse })).rejects.toThrow('has changed')
  rmSync(join(workspace, '.thinkon/executors'), { recursive: true })
  const { tools, close } = await openTools({ workspace, memory: false, checkFile: refuse })
  const load = tools.find(({ name }) => name === 'blueprint__load')
  await expect(load?.run({ name: 'mine' }, { workspace, permits: () => 'allow' } as never)).rejects.toThrow(
    'has changed',
  )
  await close()
  expect(seen).toEqual(['.thinkon/executors/executors.yaml', '.thinkon/blueprints/mine.yaml'])
})

it('the checkout and the examples have no configuration: the first run asks nothing', async () => {
  const root = join(import.meta.dirname, '../../..')
  for (const folder of [root, join(root, 'examples'), join(root, 'examples/16-own-strategy')]) {
    expect(await findConfig(folder)).toBeNull()
    expect(await inspectFolder(folder, null, {})).toEqual([])
  }
})

group('a package of an exact version', () => {
  const reason = (command: string, files: Record<string, string> = {}, cwd = '') => {
    const folder = realpathSync(folderWith({ 'sub/x': '', ...files }))
    return addCommand(new Map(), { words: command.split(' '), base: join(folder, cwd) }, folder)
  }
  const NPX = 'npx -y @scope/server@1.2.3 --stdio'

  it.each([NPX, 'npx server@1.2.3', 'npx server@1.2.3-beta.1', 'uvx server==1.2', 'uvx server@1.2.0 x'])(
    'is not asked for each time: %s',
    (command) => expect(reason(command)).toBeNull(),
  )

  it.each([
    'npx server',
    'npx server@1',
    'npx server@^1.2.3',
    'npx server@latest',
    'npx server@npm:evil@1.2.3',
    'npx ./server@1.2.3',
    'npx -c server@1.2.3',
    'npx -p server@1.2.3 run',
    'npx --prefix . server@1.2.3',
    'env A=1 npx server@1.2.3',
    'npm exec server@1.2.3',
    'uvx server',
    'uvx server>=1.2',
    'uvx --from . server==1.2',
    'docker run image@1.2.3',
  ])('other forms are: %s', (command) => expect(reason(command)).not.toBeNull())

  it.each([
    [NPX, 'package.json', '{}', ''],
    [NPX, 'node_modules/.bin/node', '', ''],
    [NPX, '.npmrc', '', ''],
    [NPX, '.npmrc', '', 'sub'],
    [NPX, 'sub/node_modules/any/package.json', '{"name":"@scope/server","version":"1.2.3"}', 'sub'],
    ['uvx server==1.2', '.python-version', './python', ''],
  ])('nor is it taken from the workspace: %s with %s', (command, file, text, cwd) => {
    expect(reason(command, { [file]: text }, cwd)).toContain('may execute what files of the project say')
  })
})

it('no name hides what a setting does: a server may have any', () => {
  const server = { command: 'curl', args: ['evil'], headers: { a: 'literal' }, env: { A: 'b' } }
  for (const name of ['secret', 'tokens', 'headers', 'a.headers']) {
    const rows = powersOf({ mcp: { [name]: server } }).map(({ what }) => what)
    expect(rows).toEqual([`mcp.${name}: curl evil`, `mcp.${name}.headers.a: …`, `mcp.${name}.env.A: b`])
  }
})

group('code that a command leads to is hashed, or there is a reason to ask each time', () => {
  const RUN = 'touch executed\n'
  it.each<[string, string, Record<string, string>, string]>([
    ['a relative interpreter', './start', { start: '#!./real\n', real: RUN }, 'real'],
    ['an interpreter that is the file itself', './start', { start: '#!./start\n' }, 'start'],
    [
      'options of an interpreter',
      './start',
      { start: '#!/usr/bin/env -S node --import ./h.mjs', 'h.mjs': '' },
      'h.mjs',
    ],
    ['a script of an interpreter', './start', { start: '#!/bin/sh ./real\n', real: RUN }, 'real'],
    [
      'NODE_OPTIONS in a file',
      'node --env-file=conf.txt s.js',
      { 'conf.txt': 'NODE_OPTIONS=--import=./h.mjs', 's.js': '', 'h.mjs': '' },
      'h.mjs',
    ],
    [
      'the default options of Node',
      'node --experimental-default-config-file s.js',
      { 's.js': '' },
      'node.config.json',
    ],
    [
      'a file of options',
      'node --experimental-config-file=c.json s.js',
      { 's.js': '', 'c.json': '{}', 'h.mjs': '' },
      'h.mjs',
    ],
    ['another name of require', 'node s.cjs', { 's.cjs': "const r = require\nr('./b')", 'b.js': '' }, 'b.js'],
    ['a program that a script starts', 'node s.mjs', { 's.mjs': "spawn('./tool')", tool: RUN }, 'tool'],
    ['an ending in capitals', './A.SH', { 'A.SH': '. ./b\n', b: RUN }, 'b'],
    ['tsconfig.json', 'tsx s.ts', { 's.ts': "import '@/x'" }, 'tsconfig.json'],
    ['modules of Lua', 'lua a.lua', { 'a.lua': "require 'lib.b'", 'lib/b.lua': '' }, 'lib/b.lua'],
    ['the class path', 'java Main', {}, 'Main.class'],
    ['a profile', 'Rscript a.R', { 'a.R': '' }, '.Rprofile'],
    ...'pytest,pm2 start,rye run x,pdm run x,pixi run x,git mcp,foreman start,julia a.jl,elixir a.exs,ionice make,doas make,systemd-run make,flock x make,script -c make,parallel make,tini make,dumb-init make,fnm exec x,asdf exec x,chpst make,nodemon s.js,/usr/bin/timeout 9 make'
      .split(',')
      .map((command): [string, string, Record<string, string>, string] => [command, command, {}, 'x']),
  ])('%s', (_, command, given, changed) => {
    const folder = realpathSync(folderWith(given))
    const files = new Map<string, string>()
    const reason = addCommand(files, { words: command.split(' '), base: folder }, folder)
    expect(files.has(join(folder, changed)) || reason !== null).toBe(true)
  })

  it('an installed program and its data are neither', () => {
    const folder = realpathSync(folderWith({ 'data.db': '' }))
    const words = ['/opt/server', '--stdio', '--data', 'data.db']
    expect(addCommand(new Map(), { words, base: folder }, folder)).toBeNull()
  })
})

it('every setting has a row: an option of a strategy may name a file', () => {
  const value = {
    $schema: 'x',
    lang: 'en',
    strategies: ['own.mjs'],
    options: { tot: { logs: '/elsewhere' } },
    routes: [{ use: { strategy: 'tot', options: { logs: '/there' } } }],
  }
  expect(powersOf(value).map(({ what }) => what)).toEqual([
    'lang: en',
    'strategies: own.mjs',
    'options.tot.logs: /elsewhere',
    'routes.use.strategy: tot',
    'routes.use.options.logs: /there',
  ])
})

group('the current folder may be another one than the workspace', () => {
  const inFolder = (words: string, files: Record<string, string>) => {
    const folder = realpathSync(folderWith({}))
    const current = realpathSync(folderWith(files))
    const found = new Map<string, string>()
    const reason = addCommand(found, { words: words.split(' '), base: current }, folder)
    return { files: [...found.keys()].map((path) => relative(current, path)), reason }
  }

  it('a command finds its files there', () => {
    expect(inFolder('node server.js', { 'server.js': '' }).files).toEqual(['server.js'])
  })

  it('a package may be replaced there', () => {
    const { reason } = inFolder('npx server@1.2.3', { 'node_modules/server/package.json': '{}' })
    expect(reason).not.toBeNull()
  })
})

it('executors are found from the workspace that the configuration names; outside the sandbox, they are asked for each time', async () => {
  const executors = 'executors:\n  - id: a\n    description: a\n    command: ./a.sh\n    sandbox: false\n'
  const workspace = realpathSync(folderWith({ '.thinkon/executors/executors.yaml': executors }))
  const powers = await inspectFolder(realpathSync(folderWith({})), null, { workspace })
  expect(powers.filter(({ hash }) => hash !== undefined).map(({ what }) => what)).toEqual([
    join(workspace, '.thinkon/executors/executors.yaml'),
  ])
  expect(powers).toContainEqual({ power: 'executors', what: 'a: ./a.sh' })
  expect(powers).toContainEqual({ power: 'unchecked', what: 'a is outside the sandbox' })
})

it('a script is looked for where its server starts: the current folder, or `cwd`', async () => {
  const folder = realpathSync(folderWith({ 'sub/server.mjs': '', 'server.mjs': '' }))
  const filesOf = async (cwd: string) => {
    const mcp = { mine: { command: 'node', args: ['server.mjs'], cwd } }
    const rows = await inspectFolder(folder, null, { mcp })
    return rows.filter(({ hash }) => hash !== undefined).map(({ what }) => what)
  }
  expect(await filesOf(folder)).toEqual(['server.mjs'])
  expect(await filesOf(join(folder, 'sub'))).toEqual(['sub/server.mjs'])
})

it.each([
  ['an option before the script', 'node --import ./hook.mjs server.mjs'],
  ['another ending than that of the file', 'node server'],
  ['a variable that may change what is executed', 'node server.mjs NODE_OPTIONS=--require=./hook.mjs'],
  ['a folder as an argument', 'node server.mjs --root=.'],
  ['a folder above the workspace as an argument', '/opt/server ..'],
  ['an interpreter under another name', './interpreter server.py'],
  ['a script of another language', './start'],
])('asked for each time: %s', (_, command) => {
  const folder = realpathSync(
    folderWith({ 'server.mjs': '', 'hook.mjs': '', 'server.py': '', start: '#!/bin/sh\n' }),
  )
  symlinkSync('/bin/sh', join(folder, 'interpreter'))
  expect(addCommand(new Map(), { words: command.split(' '), base: folder }, folder)).not.toBeNull()
})

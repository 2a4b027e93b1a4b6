// Every way in which the command of an MCP server can name a file: once trusted, a change of that file is noticed before it is executed.
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { jsonLines, makePlace, type Place } from './cli-process.ts'

const places: Place[] = []
afterEach(() => {
  for (const place of places.splice(0)) place.remove()
})

const SH = '#!/bin/sh\n: good\n'
const JS = '// good\n'
const PY = 'pass\n'
type Files = Record<string, string>
interface Server {
  command: string
  args?: string[]
  env?: Record<string, string>
  cwd?: string
}

function trusting(server: Server | string, files: Files) {
  const place = makePlace()
  places.push(place)
  const { THINKON_TRUST: _, ...env } = place.env
  const write = (name: string, text: string) => {
    const path = join(place.folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    chmodSync(path, 0o755)
  }
  for (const [name, text] of Object.entries(files)) write(name, text)
  write('thinkon.config.json', JSON.stringify({ mcp: { mine: server } }))
  const cli = (args: readonly string[]) => place.cli(args, '', env)
  return {
    write,
    folder: place.folder,
    cli,
    isExecuted: () => existsSync(join(place.folder, 'executed')),
    async refused() {
      const { code, stdout } = await cli(['run', 'task a', '--json'])
      const last = jsonLines(stdout).at(-1) as { code?: string; message?: string }
      return code === 2 && last.code === 'UNTRUSTED' ? String(last.message) : null
    },
  }
}

const evil = (name: string) =>
  /\.[cm]?js$|^server$|hook$/.test(name)
    ? "import('node:fs').then((fs) => fs.writeFileSync('executed', ''))\n"
    : /py$|srv$/.test(name)
      ? "open('executed', 'w')\n"
      : name.endsWith('.env')
        ? 'NODE_OPTIONS=--import=data:text/javascript,import("node:fs").then((f)=>f.writeFileSync("executed",""))\n'
        : name === 'package.json'
          ? '{"main":"evil.js","scripts":{"x":"touch executed"}}'
          : name === 'Makefile'
            ? 'x:\n\ttouch executed\n'
            : name === 'run'
              ? "open(F, '>executed');\n"
              : '#!/bin/sh\ntouch executed\n'

/** `changed` is the file that is changed after trust. */
const REMEMBERED: [string, Server | string, Files, string][] = [
  ['a program that is not a script', './start', { start: 'binary\0' }, 'start'],
  ['node server.js', 'node server.js', { 'server.js': JS }, 'server.js'],
  ['node server, a file without one', 'node server', { server: JS }, 'server'],
  [
    'an import of the script',
    'node server.mjs',
    { 'server.mjs': "import './lib.mjs'", 'lib.mjs': JS },
    'lib.mjs',
  ],
  [
    'a folder as the working directory',
    { command: 'node', args: ['server.js'], cwd: 'sub' },
    { 'sub/server.js': JS },
    'sub/server.js',
  ],
  ['data', 'node server.js data.db', { 'server.js': JS, 'data.db': 'one' }, 'data.db'],
]

describe('a change is noticed, and without one nothing is asked', () => {
  it.each(REMEMBERED)('%s', async (_, server, files, changed) => {
    const { cli, write, refused, isExecuted, folder } = trusting(server, files)
    await cli(['trust'])
    expect(await refused()).toBeNull()
    rmSync(join(folder, 'executed'), { force: true })
    write(changed, evil(changed))
    expect(await refused()).toMatch(/is not as you trusted it/)
    expect(isExecuted()).toBe(false)
  })
})

/** Other forms, and code that the words of the command don't name. */
const EACH_TIME: [string, Server | string, Files, string][] = [
  ['python3 -m srv', 'python3 -m srv', { 'srv.py': PY }, 'srv.py'],
  ['npm run', 'npm run x', { 'package.json': '{"scripts":{"x":"true"}}' }, 'package.json'],
  ['npx', 'npx -y tool', { 'node_modules/.bin/tool': SH }, 'node_modules/.bin/tool'],
  ['node --run', 'node --run x', { 'package.json': '{"scripts":{"x":"true"}}' }, 'package.json'],
  ['make', 'make x', { Makefile: 'x:\n\ttrue\n' }, 'Makefile'],
  ['env make', 'env A=1 make x', { Makefile: 'x:\n\ttrue\n' }, 'Makefile'],
  [
    'code in an argument',
    { command: 'node', args: ['-e', "import('./' + 'a.mjs')"] },
    { 'a.mjs': JS },
    'a.mjs',
  ],
  ['words that a shell expands', { command: 'sh', args: ['-c', 'exec ./st*'] }, { start: SH }, 'start'],
  [
    'a program that names another',
    './start',
    { start: '#!/bin/sh\nexec ./real.sh\n', 'real.sh': SH },
    'real.sh',
  ],
  [
    'a program that computes a name',
    './start',
    { start: '#!/bin/sh\n"$(dirname "$0")"/real.sh\n', 'real.sh': SH },
    'real.sh',
  ],
  [
    'an import that is computed',
    'node a.mjs',
    { 'a.mjs': "const name = 'b'\nawait import('./' + name + '.mjs')", 'b.mjs': JS },
    'b.mjs',
  ],
  ['a Python script in the folder itself', 'python3 srv.py', { 'srv.py': PY }, 'enum.py'],
  ['the whole folder', 'true .', {}, 'a'],
  ['a program', './start', { start: SH }, 'start'],
  ['bash start', 'bash start', { start: SH }, 'start'],
  ['sh ./start', 'sh ./start', { start: SH }, 'start'],
  ['env A=1 ./start', 'env A=1 ./start', { start: SH }, 'start'],
  ['env A=1 ./start.sh', 'env A=1 ./start.sh', { 'start.sh': SH }, 'start.sh'],
  ['sh -c', { command: 'sh', args: ['-c', 'exec ./start.sh'] }, { 'start.sh': SH }, 'start.sh'],
  ['node server, a file with an ending', 'node server', { 'server.js': JS }, 'server.js'],
  ['node server, a folder', 'node server', { 'server/index.js': JS }, 'server/index.js'],
  [
    'node server, package.json',
    'node server',
    { 'server/package.json': '{"main":"a.js"}', 'server/a.js': JS },
    'server/a.js',
  ],
  ['node .', 'node .', { 'package.json': '{"main":"a.js"}', 'a.js': JS }, 'a.js'],
  [
    'the main of node .',
    'node .',
    { 'package.json': '{"main":"a.js"}', 'a.js': JS, 'evil.js': JS },
    'package.json',
  ],
  ['-r ./hook', 'node -r ./hook server.js', { 'hook.js': JS, 'server.js': JS }, 'hook.js'],
  ['-r./hook', 'node -r./hook server.js', { 'hook.js': JS, 'server.js': JS }, 'hook.js'],
  [
    '--import ./hook.mjs',
    'node --import ./hook.mjs server.js',
    { 'hook.mjs': JS, 'server.js': JS },
    'hook.mjs',
  ],
  [
    '--import=./hook.mjs',
    'node --import=./hook.mjs server.js',
    { 'hook.mjs': JS, 'server.js': JS },
    'hook.mjs',
  ],
  ['--env-file=.env', 'node --env-file=.env server.js', { '.env': 'A=1\n', 'server.js': JS }, '.env'],
  [
    'an environment variable',
    { command: 'node', args: ['--version'], env: { NODE_OPTIONS: '--require ./hook.cjs' } },
    { 'hook.cjs': JS },
    'hook.cjs',
  ],
  [
    'the search path',
    { command: 'tool', env: { PATH: 'bin:/usr/bin:/bin' } },
    { 'bin/tool': SH },
    'bin/tool',
  ],
  ['perl run', 'perl run', { run: 'print 1;\n' }, 'run'],
  ['python3 srv, a folder', 'python3 srv', { 'srv/__main__.py': PY }, 'srv/__main__.py'],
  [
    'a module beside a Python script',
    'python3 tools/srv.py',
    { 'tools/srv.py': PY, 'tools/enum.py': PY },
    'tools/enum.py',
  ],
]

describe('what can not be resolved is asked for each time', () => {
  it.each(EACH_TIME)('%s', async (_, server, files, changed) => {
    const { cli, write, refused, isExecuted } = trusting(server, files)
    await cli(['trust'])
    expect(await refused()).toMatch(/asks each time, because +mine: .+/)
    write(changed, evil(changed))
    expect(await refused()).not.toBeNull()
    expect((await cli(['doctor', '--deep'])).stdout).toContain('asks each time')
    expect(isExecuted()).toBe(false)
    // A look starts nothing, so it is not asked.
    expect((await cli(['list'])).stderr).not.toMatch(/each time/)
    const { stdout } = await cli(['run', 'task a', '--json', '--trust'])
    expect(stdout).not.toContain('UNTRUSTED')
  })
})

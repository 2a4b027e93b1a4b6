// No escape sequence reaches the terminal, wherever it comes from: a model, a tool, an MCP server, the configuration, names of files and
// folders, the command line, errors; in any command.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { manyCommands } from './cli-many.ts'
import { bin, type Ended, endOf, jsonLines, makePlace } from './cli-process.ts'
import { ATTACKS, CONTROLS, EVIL_NAME, evil } from './hostile-text.ts'

const hasScript =
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false

const ODD = join(import.meta.dirname, '../../src/tools/mcp/fixtures/odd-server.js')
const MODEL = `module:${join(import.meta.dirname, 'hostile-model.ts')}`
const place = makePlace()
const env = { ...place.env, THINKON_MODEL: MODEL, THINKON_TRUST: '1', COLUMNS: '120' }
/** Where the runs are; the folder and a file in it have names that would control a terminal, too. */
const home = join(place.folder, EVIL_NAME)
const store = join(home, 'runs.db')
let tried = 0

const many = manyCommands()

function run(args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return many.tell({ args, cwd: home, env: { ...env, ...more } }) ?? runAlone(args, more)
}

/** For what is remembered in a process: modules that were imported, and what was said about trust. */
function runAlone(args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: home,
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return endOf(child)
}

async function clean(args: readonly string[], more: NodeJS.ProcessEnv = {}, start = run): Promise<Ended> {
  tried++
  const ended = await start(args, more)
  for (const text of [ended.stdout, ended.stderr]) {
    const line = text.split('\n').find((line) => CONTROLS.test(line))
    expect(line, `a line of: thinkon ${args.join(' ')}`).toBeUndefined()
  }
  return ended
}

const WORK = ['--store', store, '--mcp', `${process.execPath} ${ODD}`, '--yes']

beforeAll(() => {
  mkdirSync(home)
  writeFileSync(join(home, `${EVIL_NAME}.md`), evil('text'))
})
afterAll(() => {
  many.end()
  place.remove()
})

describe('in a pipe, texts full of escape sequences of a model, tools and an MCP server do not come through', () => {
  let id = ''

  it.each([[[]], [['-q']], [['--json']]])('run %j', async (flags) => {
    const { code, stdout, stderr } = await clean(['run', `work ${evil('goal')}`, ...WORK, ...flags])
    expect(code, stderr).toBe(0)
    if (!flags.includes('--json')) expect(stdout).toContain('the result')
  })

  it('the run has them: what is recorded is exact', async () => {
    const { stdout } = await clean(['list', '--store', store, '--json'])
    const [row] = jsonLines(stdout) as { id: string; goal: string }[]
    id = row?.id ?? ''
    expect(row?.goal).toBe(`work ${evil('goal')}`.toWellFormed())
    const events = JSON.stringify(jsonLines((await clean(['events', id, '--store', store, '--json'])).stdout))
    for (const text of ['missing', 'echo', 'no such tool', 'noted', 'first child', 'why not', 'the result'])
      expect(events, text).toContain(JSON.stringify(evil(text)).slice(1, -1))
    for (const tool of ['odd__echo', 'odd__crash']) expect(events).toContain(tool)
  })

  it.each([
    [['list']],
    [['list', '--search', evil('x')]],
    [['show', 'last']],
    [['show', 'last', '--json']],
    [['show', 'last', '--audit']],
    [['show', 'last', '--audit', '--full']],
    [['show', 'last', '--audit', '--json']],
    ...['md', 'mermaid', 'dot', 'svg', 'json'].map((format) => [['show', 'last', '--format', format]]),
    [['show', 'last', '--format', 'json', '--json']],
    [['events', 'last']],
    [['events', 'last', '--json']],
    [['replay', 'last']],
    [['export', 'last', '-']],
    [['resume', 'last']],
    [['fork', 'last', '--at', '5', '--resume', '--yes']],
    [['redo', 'last', '1-1', '--message', evil('again')]],
    [['prune', '--keep', '2', '--yes']],
    [['delete', 'last', '--yes']],
  ])('%j', async (args) => {
    const { stdout, stderr } = await clean([...args, '--store', store])
    expect(stdout + stderr).not.toBe('')
  })

  it('a recording has them escaped', async () => {
    const recording = join(home, 'recording.jsonl')
    await clean(['run', `work ${evil('goal')}`, ...WORK, '--record', recording])
    const text = readFileSync(recording, 'utf8')
    expect(text).not.toMatch(CONTROLS)
    expect(text).toContain('\\u009b')
  })

  it('what is exported is exact, and can be imported', async () => {
    const { stdout: listed } = await clean(['list', '--store', store, '--json'])
    id =
      (jsonLines(listed) as { id: string; status: string }[]).find(({ status }) => status === 'completed')
        ?.id ?? ''
    const file = join(home, `${EVIL_NAME}.jsonl`)
    expect((await clean(['export', id, file, '--store', store])).code).toBe(0)
    expect(readFileSync(file, 'utf8')).not.toMatch(CONTROLS)
    const imported = await clean(['import', file, '--store', store, '--as', 'copy'])
    expect(imported.stdout).toContain('imported run copy')
    const unsigned = (key: string, value: unknown) => (key === 'run' ? undefined : value)
    const of = async (run: string) =>
      jsonLines((await clean(['events', run, '--store', store, '--json'])).stdout).map((event) =>
        JSON.stringify(event, unsigned),
      )
    expect(await of('copy')).toEqual(await of(id))
    await clean(['export', id, file, '--store', store])
    await clean(['import', `${file}.missing`, '--store', store])
  })
})

describe('in a pipe, escape sequences in errors, questions and names do not come through', () => {
  it.each([
    ['a model that fails', ['run', `throw ${evil('goal')}`]],
    ['a model that fails, as JSON', ['run', `throw ${evil('goal')}`, '--json']],
    ['a warning of Node', ['run', `warn ${evil('goal')}`, '--yes']],
    ['an error that nobody catches', ['run', `crash ${evil('goal')}`]],
    ['a question that nobody answers', ['run', `ask ${evil('goal')}`, '--store', ':memory:']],
    ['a tool that nobody permits', ['run', `permission ${evil('goal')}`]],
    ['no such command', [evil('command')]],
    ['no such command with spaces', [evil('a command')]],
    ['no such option', ['run', 'x', `--${evil('option')}`]],
    ['too many arguments', ['list', evil('argument')]],
    ['help of no such command', ['help', evil('command')]],
    ['no such run', ['show', evil('run'), '--store', store]],
    ['no such run, without a store', ['show', evil('run')]],
    ['no such block', ['show', 'last', '--path', evil('1'), '--store', store, '--audit']],
    ['no such path', ['skip', 'last', evil('1'), '--store', store]],
    ['no such format', ['show', 'last', '--format', evil('md'), '--store', store]],
    ['no such language', ['list', '--lang', evil('en')]],
    ['no such status', ['list', '--status', evil('done')]],
    ['no such number', ['list', '--limit', evil('5')]],
    ['no such model', ['run', 'x', '--model', evil('openai:gpt')]],
    ['no such module', ['run', 'x', '--model', `module:./${evil('model')}.ts`]],
    ['no such strategy', ['run', 'x', '--strategy', evil('tot')]],
    ['no such option of a strategy', ['run', 'x', '--option', `${evil('key')}=1`]],
    ['no such workspace', ['list', '--workspace', evil('folder')]],
    ['no such store', ['list', '--store', evil('store')]],
    ['a store that is a folder', ['list', '--store', home]],
    ['a store that is none', ['list', '--store', join(home, `${EVIL_NAME}.md`)]],
    ['no such age', ['prune', '--older-than', evil('5d')]],
    ['no such server', ['run', 'x', '--mcp', evil('server'), '--yes']],
    [
      'a server that ends',
      ['run', `work ${evil('goal')}`, '--mcp', `${process.execPath} ${ODD} dead`, '--yes'],
      evil('key'),
    ],
    ['an edit that is not JSON', ['fork', 'last', '--at', '2', '--with', evil('{'), '--store', store]],
    ['a goal that is not one', ['run', `{"${evil('intent')}":1}`]],
    ['doctor', ['doctor', '--model', evil('openai:gpt')]],
    ['doctor, as JSON', ['doctor', '--json', '--workspace', home]],
    ['version', ['--version', evil('x')]],
    ['help', ['help', '--lang', evil('x')]],
  ])('%s', async (_, args, key = '') => {
    const { stdout, stderr } = await clean(args, key === '' ? {} : { SOME_API_KEY: key, PLAIN: key })
    expect(stdout + stderr).not.toBe('')
  })

  it('variables of the environment', async () => {
    for (const name of ['THINKON_MODEL', 'OLLAMA_HOST', 'OPENAI_BASE_URL'])
      await clean(['doctor'], { [name]: evil('x') })
    for (const name of ['THINKON_MODEL', 'THINKON_STRATEGY']) await clean(['run', 'x'], { [name]: evil('x') })
  })

  it('questions, answers, messages and the commands that send them', async () => {
    rmSync(join(home, '.thinkon'), { recursive: true, force: true })
    const asking = run(['run', `ask ${evil('goal')}`, '--ask'])
    const waiting = async () => jsonLines((await clean(['list', '--json'])).stdout)[0]
    for (
      let row = await waiting().catch(() => null);
      row?.status !== 'waiting';
      row = await waiting().catch(() => null)
    )
      await new Promise((resolve) => setTimeout(resolve, 100))
    await clean(['list'])
    await clean(['show', 'last'])
    await clean(['message', 'last', '1', evil('message')])
    await clean(['skip', 'last', '1-9', '--message', evil('skip')])
    await clean(['answer', 'last', evil('neither')])
    await clean(['answer', 'last', '999', evil('question')])
    await clean(['answer', 'last', '1'])
    const { stdout, stderr } = await asking
    expect(stdout + stderr).not.toMatch(CONTROLS)
    expect(stdout).toContain('asked')
    await clean(['events', 'last'])
    await clean(['cancel', 'last', '--message', evil('cancel')])
  })
})

describe('in a pipe, escape sequences in a configuration do not come through', () => {
  const config = join(home, 'thinkon.config.json')
  const mcp = { odd: { command: process.execPath, args: [ODD, 'dead'], env: { SOME_API_KEY: evil('key') } } }

  it.each([
    ['an unknown key', { [evil('modle')]: 1 }],
    [
      'values of the wrong kind',
      { model: evil('openai:x'), budget: { calls: evil('many') }, lang: evil('en') },
    ],
    ['an old name', { trouble: { maxAttempts: 1 }, options: { [evil('tot')]: { x: 1 } } }],
    ['rules', { approval: { allow: [evil('read'), `shell(${evil('git *')})`] } }],
    ['servers', { mcp: { [evil('name')]: evil('command'), ...mcp } }],
    ['hosts', { tools: { http: { allow: [evil('example.com')] } } }],
    ['models', { models: { judge: evil('openai:judge') }, embedding: evil('openai:e') }],
    [
      'places',
      { store: `./${EVIL_NAME}/x.db`, workspace: `./${EVIL_NAME}`, executors: `./${EVIL_NAME}.yaml` },
    ],
    ['strategies', { strategies: [`./${evil('strategy')}.ts`] }],
  ])('%s', async (_, values) => {
    writeFileSync(config, JSON.stringify(values))
    for (const args of [['doctor', '--deep'], ['list'], ['run', 'fine']]) await clean(args)
    // Untrusted, it says what it would do.
    await clean(['list'], { THINKON_TRUST: '' }, runAlone)
    rmSync(config)
  })

  it('a file that is not JSON', async () => {
    writeFileSync(config, `{"${EVIL_NAME}": ${evil('}')}`)
    for (const args of [['doctor', '--json'], ['help'], ['skip', 'x', '1']]) await clean(args)
    rmSync(config)
  })

  it('a strategy: its name, summary and flags', async () => {
    const module = join(home, 'thinkon.config.mjs')
    const own = {
      name: 'own',
      version: '1',
      summary: evil('summary'),
      flags: { [evil('flag')]: { help: evil('help') } },
    }
    writeFileSync(
      module,
      `export default { strategies: [{ ...${JSON.stringify(own)}, solve() { throw new Error(${JSON.stringify(evil('broken'))}) } }] }`,
    )
    for (const args of [
      ['help'],
      ['own', '--help'],
      ['own', 'x'],
      ['show', 'last'],
      ['events', 'last'],
      ['doctor'],
    ])
      await clean(args, {}, runAlone)
    writeFileSync(module, `throw new Error(${JSON.stringify(evil('broken'))})`)
    for (const args of [['help'], ['list'], ['doctor'], ['run', 'x']]) await clean(args, {}, runAlone)
    writeFileSync(module, `export default ${evil('{')}`)
    for (const args of [['list'], ['doctor']]) await clean(args, {}, runAlone)
    rmSync(module)
  })
})

// --- on a terminal, where our own sequences come through

describe.skipIf(!hasScript)('on a terminal (skipped where `script` of util-linux is missing)', () => {
  async function inTerminal(args: string, keys: readonly [seen: string, typed: string][], harmless: boolean) {
    tried++
    const command = `stty cols 120 rows 40; exec "${process.execPath}" "${bin}" ${args}`
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: place.folder,
      env: { ...env, SHELL: '/bin/sh', ...(harmless && { HARMLESS: '1' }) },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const waiting = [...keys]
    let all = ''
    child.stdout?.on('data', (chunk) => {
      all += chunk
      const [next] = waiting
      if (next === undefined || !all.includes(next[0])) return
      waiting.shift()
      child.stdin?.write(next[1])
    })
    return (await endOf(child)).stdout
  }

  const ESC = String.fromCharCode(27)
  const SEQUENCES = new RegExp(
    `${ESC}\\[[0-?]*[ -/]*[@-~]|${ESC}\\]\\P{Cc}*\\p{Cc}?|${ESC}.?|(?![\\t\\n])\\p{Cc}|[\\u202a-\\u202e\\u2066-\\u2069]`,
    'gu',
  )

  /** The kinds of control characters and sequences; how often, and with which numbers, depends on the time. */
  function kinds(text: string): string[] {
    const found = (text.match(SEQUENCES) ?? []).map((kind) => kind.replace(/[\d;]+(?=[A-K]$)/, 'n'))
    return [...new Set(found)].map((kind) => JSON.stringify(kind))
  }

  it.each([
    ['run', [['2 no', '1\r']], 'run ask'],
    ['a permission', [['3 always', '1\r']], 'run permission'],
    ['a run of several blocks', [], 'run work --yes'],
    ['a failure', [], 'run throw'],
    ['list', [], 'list'],
    ['show', [], 'show last'],
    ['the audit', [], 'show last --audit'],
    ['events', [], 'events last'],
    ['JSON', [], 'events last --json'],
    ['a deletion', [['[y/N]', 'y\r']], 'delete last'],
    ['an error', [], `show "${evil('run')}"`],
    ['doctor', [], 'doctor'],
  ] as [string, [string, string][], string][])(
    '%s has the same sequences as with harmless texts',
    async (_, keys, args) => {
      const hostile = kinds(await inTerminal(args, keys, false))
      const harmless = kinds(await inTerminal(args.replace(evil('run'), 'run'), keys, true))
      const ours = new Set([...harmless, ...OURS])
      expect(hostile.filter((kind) => !ours.has(kind))).toEqual([])
    },
  )

  /** Colours (a failure may have one that a success has not), and those of a frame that is drawn again. */
  const OURS = [
    '\r',
    ...[1, 2, 22, 31, 32, 33, 35, 36, 39].map((n) => `\u001b[${n}m`),
    ...['nH', 'K', 'J', 'nJ'].map((kind) => `\u001b[${kind}`),
    ...[7, 25, 1049, 2004, 2026].flatMap((mode) => [`\u001b[?${mode}h`, `\u001b[?${mode}l`]),
  ].map((kind) => JSON.stringify(kind))
})

it('nothing else writes to the terminal: all output goes through cli/output.ts', () => {
  const root = join(import.meta.dirname, '../../src')
  const writers = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.ts$|\.md$/.test(file) && !file.includes('fixtures'))
    .filter((file) => /console\.\w+\(|std(?:out|err)\.write\(/.test(readFileSync(join(root, file), 'utf8')))
  expect(writers.map((file) => relative('', file))).toEqual(['cli/output.ts'])
})

it('counts what was tried', () => {
  expect(ATTACKS.length).toBeGreaterThan(20)
  expect(tried).toBeGreaterThan(0)
  if (process.env.COUNT_ATTACKS) console.info(`${tried} commands × ${ATTACKS.length} sequences`)
})

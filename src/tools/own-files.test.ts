import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DatabaseSync } from '../files/sqlite.ts'
import { toolIo } from '../testing/tool-io.ts'
import { builtinTools } from './builtin/index.ts'
import { checkObservations } from './executors/observations.ts'
import { sandboxStatus } from './sandbox.ts'

const hasSandbox = (await sandboxStatus()).kind === 'bubblewrap'
const HIDDEN = [
  '.thinkon/runs.db',
  '.thinkon/memory.db',
  '.thinkon/cluster/cluster.json',
  'packages/a/.thinkon/runs.db',
  'state/token',
]
const AUTHORED = [
  '.thinkon/executors/executors.yaml',
  '.thinkon/blueprints/own.yaml',
  'packages/a/.thinkon/blueprints/b.yaml',
]

let workspace: string
let saved: string | undefined

beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'thinkon-own-')))
  saved = process.env.THINKON_STATE
  process.env.THINKON_STATE = join(workspace, 'state')
  for (const name of HIDDEN) write(name, 'needle SECRET')
  for (const name of AUTHORED) write(name, 'needle authored')
})
afterEach(() => {
  if (saved === undefined) delete process.env.THINKON_STATE
  else process.env.THINKON_STATE = saved
  rmSync(workspace, { recursive: true })
})

function write(name: string, text: string) {
  mkdirSync(dirname(join(workspace, name)), { recursive: true })
  writeFileSync(join(workspace, name), text)
}

function call(name: string, input: unknown): Promise<unknown> {
  const tool = builtinTools().find((one) => one.name === name)
  return (tool as NonNullable<typeof tool>)
    .run(input, toolIo({ workspace }))
    .catch((thrown) => ({ error: (thrown as Error).message }))
}

describe('state of Thinkon', () => {
  it('is neither listed nor searched; what people write is', async () => {
    const { files } = (await call('list_files', { all: true, depth: 9 })) as { files: string[] }
    expect(files.filter((name) => !name.endsWith('/')).sort()).toEqual([...AUTHORED].sort())
    expect(files).not.toContain('.thinkon/cluster/')
    expect(files).not.toContain('state/')
    for (const path of ['.', '.thinkon']) {
      const { matches } = (await call('search_files', { pattern: 'needle', all: true, path })) as {
        matches: { text: string }[]
      }
      expect(matches.length).toBeGreaterThan(0)
      expect(matches.map(({ text }) => text)).not.toContain('needle SECRET')
    }
  })

  it.each(HIDDEN)('is refused by every tool that names it: %s', async (path) => {
    for (const [name, input] of [
      ['read_file', { path }],
      ['list_files', { path }],
      ['search_files', { pattern: 'needle', path }],
    ] as const) {
      expect(await call(name, input)).toEqual({ error: expect.stringContaining('belongs to Thinkon itself') })
    }
    for (const [name, input] of [
      ['write_file', { path, content: 'x' }],
      ['edit_file', { path, old: 'needle', new: 'x' }],
      ['apply_patch', { patch: `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-needle SECRET\n+x\n` }],
    ] as const)
      expect(await call(name, input)).toEqual({
        error: expect.stringMatching(/belongs to Thinkon itself|not writable by tools/),
      })
    const result = { stdout: '', stderr: '', exitCode: 0, durationMs: 0, truncated: false }
    const where = { workspace, permits: () => 'allow' as const }
    const [found] = await checkObservations([`the file "${path}" contains "needle"`], result, where)
    expect(found?.verdict).toBe('unknown')
    expect(readFileSync(join(workspace, path), 'utf8')).toBe('needle SECRET')
  })

  it('is refused behind a `.thinkon` that is a link', async () => {
    rmSync(join(workspace, '.thinkon'), { recursive: true })
    write('elsewhere/runs.db', 'needle SECRET')
    symlinkSync('elsewhere', join(workspace, '.thinkon'))
    expect(await call('read_file', { path: 'elsewhere/runs.db' })).toHaveProperty('error')
    if (hasSandbox)
      expect(await call('shell', { command: 'cat elsewhere/* .thinkon/*' })).toMatchObject({ stdout: '' })
  })

  it.each(AUTHORED)('leaves what people write readable: %s', async (path) => {
    expect(await call('read_file', { path })).toMatchObject({ text: 'needle authored' })
  })
})

describe.skipIf(!hasSandbox)('in the sandbox', () => {
  it('state is hidden, what people write is read-only', async () => {
    const command = `cat ${[...HIDDEN, ...AUTHORED].join(' ')}; grep -rl needle . | sort
      for f in ${AUTHORED.join(' ')}; do echo changed > $f; rm -f $f; done
      mv .thinkon x; mkdir -p .thinkon/new state/new; touch .thinkon/runs.db`
    const { stdout, note } = (await call('shell', { command })) as { stdout: string; note: string }
    expect(note).toContain('see executors and blueprints only')
    expect(stdout).not.toContain('SECRET')
    expect(stdout.match(/needle authored/g)).toHaveLength(AUTHORED.length)
    for (const name of AUTHORED) expect(stdout).toContain(`./${name}`)
    for (const name of HIDDEN) expect(readFileSync(join(workspace, name), 'utf8')).toBe('needle SECRET')
    for (const name of AUTHORED) expect(readFileSync(join(workspace, name), 'utf8')).toBe('needle authored')
    for (const name of ['.thinkon/new', 'state/new', 'x'])
      expect(existsSync(join(workspace, name))).toBe(false)
  })

  it('a state folder in the workspace that does not exist yet can not be made', async () => {
    process.env.THINKON_STATE = join(workspace, 'later')
    await call('shell', { command: 'mkdir -p later/workspaces; echo x > later/trust' })
    expect(existsSync(join(workspace, 'later'))).toBe(false)
    expect(await call('write_file', { path: 'later/trust', content: 'x' })).toHaveProperty('error')
  })

  it('an open store in the workspace is hidden, and works on', async () => {
    const store = new DatabaseSync(join(workspace, 'runs.db'))
    store.exec(`PRAGMA journal_mode = WAL; CREATE TABLE a (b); INSERT INTO a VALUES ('SECRET')`)
    const command =
      'cat runs.db runs.db-wal runs.db-shm; echo x > runs.db; rm -f runs.db runs.db-wal; mv runs.db y'
    expect(await call('shell', { command })).toMatchObject({ stdout: '' })
    store.exec(`INSERT INTO a VALUES ('more')`)
    expect(store.prepare('SELECT count(*) AS n FROM a').get()).toEqual({ n: 2 })
    store.close()
    expect(existsSync(join(workspace, 'runs.db-wal'))).toBe(false)
  })
})

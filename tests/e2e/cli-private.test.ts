// Files: `.thinkon` is 0700, databases, recordings and all else that Thinkon makes for itself 0600, whatever the umask.
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { bin, type Ended, endOf, makePlace } from './cli-process.ts'

const place = makePlace()
const folder = join(place.folder, 'work')
const PROGRAM = join(import.meta.dirname, 'private-program.ts')
const ABACUS = ['--model', 'embedded:abacus']
afterAll(() => place.remove())
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o755 })
})

function start(umask: string, program: readonly string[]) {
  return spawn('sh', ['-c', `umask ${umask}; exec "$@"`, 'sh', process.execPath, ...program], {
    cwd: folder,
    env: { ...place.env, THINKON_TRUST: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function cli(umask: string, ...args: readonly string[]): Promise<Ended> {
  const ended = await endOf(start(umask, [bin, ...args]))
  expect(ended.code, ended.stderr).toBe(0)
  return ended
}

/** Every file and folder below, with its mode. */
function modes(below = folder): Map<string, string> {
  const names = readdirSync(below, { recursive: true, encoding: 'utf8' }).sort()
  return new Map(names.map((name) => [name, modeOf(join(below, name))]))
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o7777).toString(8)
}

function expectPrivate(found: Map<string, string>, except: readonly string[] = []) {
  for (const [name, mode] of found) {
    if (except.includes(name)) continue
    expect([name, mode]).toEqual([name, statSync(join(folder, name)).isDirectory() ? '700' : '600'])
  }
}

describe.each(['022', '000', '077'])('a session with umask %s', (umask) => {
  it('leaves nothing that others can read, while it runs and afterwards', async () => {
    const session = start(umask, [bin, 'run', 'ask', '--ask'])
    const ended = endOf(session)
    await new Promise<void>((resolve) =>
      session.stdout.on('data', (text) => String(text).includes('Go on?') && resolve()),
    )
    const during = modes()
    expect([...during.keys()].join(' ')).toMatch(/runs\.db .*runs\.db-shm .*runs\.db-wal .*runs\.db\.owner-/)
    expectPrivate(during)
    await cli(umask, 'answer', 'last', 'yes')
    expect((await ended).code).toBe(0)
    await cli(umask, 'tot', 'make 24 from 4 4 6 8', ...ABACUS, '--record', 'recording.jsonl')
    await cli(umask, 'tot', 'make 24 from 4 4 6 8', ...ABACUS, '--log-dir', 'my/logs')
    await cli(umask, 'export', 'last')
    await cli(umask, 'export', 'last', 'other.jsonl')
    await cli(umask, 'fork', 'last', '--at', '5')
    await cli(umask, 'import', 'other.jsonl', '--as', 'copy')
    await cli(umask, 'run', 'fine', '--store', 'new/runs.db')
    await cli(umask, 'doctor')
    await cli(umask, 'prune', '--keep', '1', '--vacuum', '--yes')
    const after = modes()
    for (const name of [
      '.thinkon/.gitignore',
      '.thinkon/logs',
      'my/logs',
      'recording.jsonl',
      'other.jsonl',
      'new/runs.db',
    ])
      expect([...after.keys()]).toContain(name)
    expect(after.size).toBeGreaterThan(30)
    expectPrivate(after)
  })

  it('the parts of the library do the same', async () => {
    const { code, stderr, stdout } = await endOf(start(umask, [PROGRAM]))
    expect(code, stderr).toBe(0)
    const seen = new Map(Object.entries(JSON.parse(stdout) as Record<string, string>))
    expect([...seen.keys()]).toEqual(
      expect.arrayContaining([
        '.thinkon/memory.db',
        '.thinkon/memory.db-wal',
        '.thinkon/thinking-context.json',
      ]),
    )
    for (const [name, mode] of seen)
      expect([name, mode]).toEqual([name, name.includes('.') && name !== '.thinkon' ? '600' : '700'])
  })

  it('what tools write for the user has the mode that the umask says', async () => {
    await cli(umask, 'run', 'two files', '--yes')
    const mode = (0o666 & ~Number.parseInt(umask, 8)).toString(8)
    expect([modeOf(join(folder, 'a.txt')), modeOf(join(folder, 'b.txt'))]).toEqual([mode, mode])
  })
})

it('what is wider is tightened when it is opened; a folder of the user is not', async () => {
  await cli('000', 'run', 'fine', '--record', 'recording.jsonl')
  await cli('000', 'run', 'fine', '--store', 'shared/runs.db')
  const files = ['.thinkon/runs.db', 'shared/runs.db', 'recording.jsonl']
  const widen = () => {
    for (const name of files) chmodSync(join(folder, name), 0o666)
    for (const name of ['.thinkon', 'shared']) chmodSync(join(folder, name), 0o777)
  }
  widen()
  const looks = { '.thinkon/runs.db': ['list'], 'shared/runs.db': ['list', '--store', 'shared/runs.db'] }
  for (const [file, args] of Object.entries(looks)) {
    const { stderr } = await cli('022', ...args)
    expect([modeOf(join(folder, file)), stderr]).toEqual(['600', ''])
  }
  await cli('022', 'run', 'fine', '--record', 'recording.jsonl')
  expect(modeOf(join(folder, 'recording.jsonl'))).toBe('600')
  expect(modeOf(join(folder, '.thinkon'))).toBe('700')
  expect(modeOf(join(folder, 'shared'))).toBe('777')
  expect(modeOf(folder)).toBe('755')
})

it('what is not a store is not touched', async () => {
  const file = join(folder, 'notes.txt')
  writeFileSync(file, 'a text of mine, which is long enough to be read as a database\n'.repeat(50))
  chmodSync(file, 0o644)
  expect((await endOf(start('022', [bin, 'list', '--store', 'notes.txt']))).code).toBe(2)
  expect([modeOf(file), readFileSync(file, 'utf8').slice(0, 6)]).toEqual(['644', 'a text'])
})

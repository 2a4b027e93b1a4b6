// A journal says which model a resume loads and what its tools may do: a run that was not started here goes on only if a person says so.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import { originReason } from '../../src/kernel/run-key.ts'
import type { RunOrigin } from '../../src/kernel/store.ts'
import { jsonLines, makePlace } from './cli-process.ts'
import { hasScript, inTerminal } from './terminal.ts'

const place = makePlace()
const { folder } = place
afterAll(() => place.remove())
const { THINKON_TRUST: _, ...env } = place.env
const cli = (args: readonly string[]) => place.cli(args, '', env)

const MODEL = join(folder, 'evil/model.mjs')
/** At first it only asks. */
const HARMLESS = `const value = { do: 'ask', question: { text: 'ready?' } }
const usage = { inputTokens: 1, outputTokens: 1 }
export default { id: 'stranger', call: async () => ({ text: JSON.stringify(value), value, usage }) }
`
const EVIL = `import { writeFileSync } from 'node:fs'
writeFileSync(${JSON.stringify(join(folder, 'loaded.txt'))}, '')
export default { id: 'stranger', call: async () => { throw new Error('asked') } }
`

/** A run that waits, as it may come with a repository: its model is a program, and its tools may do everything. */
async function strangersRun(store: string, key?: string, workspace = folder): Promise<string> {
  mkdirSync(join(folder, 'evil'), { recursive: true })
  writeFileSync(MODEL, HARMLESS)
  const engine = createEngine({ store, model: `module:${MODEL}`, ...(key && { key }) })
  const run = await engine.start('wait for an answer', {
    strategy: 'minimal',
    workspace,
    approval: { workspace, allow: ['*'], asks: 'yes' },
  })
  for await (const event of run.events) if (event.type === 'signal-asked') break
  await engine.close()
  writeFileSync(MODEL, EVIL)
  return run.id
}

/** The signatures of a run of this user, put on the rows of the other one. */
async function copySignatures(store: string): Promise<void> {
  expect((await cli(['run', 'wait for nothing', '-q', '--store', store])).code).toBe(0)
  const database = new DatabaseSync(store)
  database.exec(`UPDATE events SET signature = (
    SELECT signature FROM events AS own WHERE signature IS NOT NULL ORDER BY id LIMIT 1
  ) WHERE signature IS NULL; DELETE FROM events WHERE id > ${2 ** 32}; DELETE FROM runs WHERE no = 2`)
  database.close()
}

const isLoaded = () => existsSync(join(folder, 'loaded.txt'))

describe('a run that was not started here', () => {
  it.each([
    ['in a store that was there', 'unsigned', undefined],
    ['signed with a key of their own', 'other-key', 'f'.repeat(64)],
    ['signed with the text of a key file', 'altered', null],
  ])('is not resumed, and nothing that it names is loaded: %s', async (name, origin, key) => {
    const store = join(folder, `${name}.db`)
    const id = await strangersRun(store, key ?? undefined)
    if (key === null) await copySignatures(store)
    for (const [command = '', ...flags] of [['resume'], ['fork', '--at', '1', '--resume']]) {
      const { code, stderr } = await cli([command, id, ...flags, '--store', store])
      expect(code).toBe(2)
      expect(stderr).toContain(`run ${id} was not started here: ${originReason(origin as RunOrigin)}`)
      expect(stderr).toContain(`module:${join(folder, 'evil/model.mjs')}`)
      expect(stderr).toContain('everything that its rules do not deny')
      expect(stderr).toContain('--trust')
    }
    expect(isLoaded()).toBe(false)
    const runs = jsonLines((await cli(['list', '--json', '--store', store])).stdout)
    expect(runs).toHaveLength(1)
  })

  it('names files by their whole path, wherever it says that it was started', async () => {
    const store = join(folder, 'elsewhere.db')
    const id = await strangersRun(store, undefined, join(folder, 'evil'))
    expect((await cli(['resume', id, '--store', store])).stderr).toContain(
      `module:${join(folder, 'evil/model.mjs')}`,
    )
  })

  it('--json says so with a code, and what it would do', async () => {
    const store = join(folder, 'json.db')
    const id = await strangersRun(store)
    const { code, stdout } = await cli(['resume', id, '--store', store, '--json'])
    expect(code).toBe(2)
    expect(jsonLines(stdout).at(-1)).toMatchObject({
      type: 'error',
      code: 'UNTRUSTED',
      data: {
        run: id,
        origin: 'unsigned',
        does: expect.arrayContaining([expect.objectContaining({ power: 'sets', what: 'approval.allow: *' })]),
      },
    })
  })
})

function signatures(): string[] {
  const database = new DatabaseSync(join(folder, '.thinkon/runs.db'))
  const rows = database.prepare('SELECT signature FROM events WHERE signature IS NOT NULL').all()
  database.close()
  expect(rows.length).toBeGreaterThan(3)
  return rows.map(({ signature }) => String(signature))
}

/** A run that was started here, and killed while it waits for an answer. */
async function leftWaiting(): Promise<string> {
  const { child, ended } = place.start(['run', 'ask', '--ask'])
  const { run } = await place.state('last', ({ blocks }) =>
    blocks.some(({ questions }) => questions.length > 0),
  )
  child.kill('SIGKILL')
  await ended
  return run
}

describe('a store that came with the folder', () => {
  const isDone = () => existsSync(join(folder, 'a.txt'))

  async function poisoned(store: string, sql: string): Promise<void> {
    expect((await cli(['run', 'wait for nothing', '-q', '--store', store])).code).toBe(0)
    const database = new DatabaseSync(join(folder, store))
    database.exec(sql)
    database.close()
  }

  it('has no answers to the questions of a new run', async () => {
    await poisoned(
      'answers.db',
      `WITH RECURSIVE one (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM one WHERE n < 9)
       INSERT INTO inbox (run, path, name, number, value, at, crc)
       SELECT run.n, '1', 'approve', number.n, '"yes"', 0, 0 FROM one AS run, one AS number`,
    )
    const { child, ended } = place.start(['run', 'two files', '--ask', '--store', 'answers.db'])
    await new Promise<void>((resolve) => {
      let shown = ''
      child.stdout?.on('data', (chunk) => {
        shown += chunk
        if (shown.includes('asks for permission')) resolve()
      })
    })
    // An answer that is there already is taken at once.
    await new Promise((resolve) => setTimeout(resolve, 500))
    child.kill('SIGKILL')
    await ended
    expect(isDone()).toBe(false)
  })

  it('does nothing by itself', async () => {
    await poisoned(
      'triggers.db',
      `CREATE TRIGGER yes AFTER INSERT ON events WHEN NEW.type = 'signal-asked' BEGIN
         INSERT INTO inbox (run, path, name, number, value, at, crc)
         VALUES (NEW.id / 2147483648, '1', 'approve', 1, '"yes"', 0, 0); END`,
    )
    const { code, stderr } = await cli(['run', 'two files', '--ask', '--store', 'triggers.db'])
    expect(stderr).toContain('has triggers or views')
    expect(code).not.toBe(0)
    expect(isDone()).toBe(false)
  })
})

describe('a run that was started here', () => {
  it('is resumed unasked, also as a fork', async () => {
    const id = await leftWaiting()
    await cli(['answer', id, 'yes'])
    const resumed = await cli(['resume', id])
    expect(resumed.stdout).toContain('answer: yes')
    expect(resumed.code).toBe(0)
    const events = jsonLines((await cli(['events', id, '--json'])).stdout)
    const forked = await cli(['fork', id, '--at', String(events.length - 2), '--resume'])
    expect(forked.code).toBe(0)
  })

  it('is a stranger once it was exported and imported', async () => {
    const id = await leftWaiting()
    const file = join(folder, 'run.jsonl')
    expect((await cli(['export', id, file])).code).toBe(0)
    expect((await cli(['import', file])).stdout).toContain('is here already')
    expect((await cli(['import', file, '--as', 'imported'])).code).toBe(0)
    await cli(['answer', 'imported', 'yes'])
    const refused = await cli(['resume', 'imported'])
    expect(refused.stderr).toContain('was not started here')
    expect(refused.code).toBe(2)
    expect((await cli(['resume', 'imported', '--trust'])).stdout).toContain('answer: yes')
  })

  it('leaves no signature in what leaves the store', async () => {
    const id = await leftWaiting()
    const page = join(folder, 'run.html')
    expect((await cli(['export', id, '--html', '-o', page])).code).toBe(0)
    const packed = /id="run">([^<]+)</.exec(readFileSync(page, 'utf8'))?.[1] ?? ''
    const texts = [
      gunzipSync(Buffer.from(packed, 'base64')).toString(),
      (await cli(['events', id, '--json'])).stdout,
      (await cli(['show', id, '--json'])).stdout,
      (await cli(['export', id, '-'])).stdout,
    ]
    expect(texts[0]).toContain('run-start')
    for (const signature of signatures()) for (const text of texts) expect(text).not.toContain(signature)
  })

  it('stays so in a redo, which a later command resumes', async () => {
    const done = jsonLines((await cli(['run', 'wait for nothing', '--json'])).stdout)
    const run = String(done.find(({ type }) => type === 'outcome')?.run)
    expect((await cli(['redo', run, '1'])).stderr).toBe('')
    const [fork] = jsonLines((await cli(['list', '--json'])).stdout)
    expect(fork?.forkOf).toBe(run)
    expect((await cli(['resume', String(fork?.id)])).code).toBe(0)
  })

  it('is refused once an answer was put into its journal', async () => {
    const id = await leftWaiting()
    await cli(['answer', id, 'no'])
    const database = new DatabaseSync(join(folder, '.thinkon/runs.db'))
    database.prepare(`UPDATE inbox SET value = '"yes"' WHERE taken = 0`).run()
    database.close()
    const { code, stderr } = await cli(['resume', id])
    expect(stderr).toContain('its journal does not match its signature')
    expect(code).toBe(2)
  })

  it('goes on with the key of the environment, and with no other', async () => {
    const shared = { ...env, THINKON_KEY: 'k'.repeat(32), XDG_STATE_HOME: '/proc/nowhere' }
    const { code } = await place.cli(['run', 'wait for nothing', '-q', '--store', 'shared.db'], '', shared)
    expect(code).toBe(0)
    const short = await place.cli(['run', 'a', '-q', '--store', 'short.db'], '', {
      ...shared,
      THINKON_KEY: 'short',
    })
    expect(short.stderr).toContain('at least 32 characters')
    const [run] = jsonLines((await cli(['list', '--json', '--store', 'shared.db'])).stdout)
    const forked = ['fork', String(run?.id), '--at', '1', '--resume', '--store', 'shared.db']
    const refused = await cli(forked)
    expect(refused.stderr).toContain('processes that share runs need the same THINKON_KEY')
    expect(refused.code).toBe(2)
    expect((await place.cli(forked, '', shared)).code).toBe(0)
  })

  it('is asked about where the key of the person is another', async () => {
    const id = await leftWaiting()
    const other = join(folder, 'other-state')
    cpSync(env.XDG_STATE_HOME as string, other, { recursive: true })
    writeFileSync(join(other, 'thinkon/key'), `${'0'.repeat(64)}\n`)
    const { stderr } = await place.cli(['resume', id], '', { ...env, XDG_STATE_HOME: other })
    expect(stderr).toContain('was not started here')
  })
})

it.skipIf(!hasScript)('on a terminal a person is asked, and a no leaves it as it is', async () => {
  const store = join(folder, 'asked.db')
  const id = await strangersRun(store)
  const { child, ended, seen } = inTerminal({ folder, env }, `resume ${id} --store asked.db`)
  await seen('Do you trust it? [y/N]')
  child.stdin.write('n\r')
  expect((await ended).code).toBe(2)
  expect(isLoaded()).toBe(false)
})

// Keeping house from the command line: list, delete, prune, export, import, each in a process of its own.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import { bin, endOf, jsonLines, makePlace, type Place } from './cli-process.ts'

const places: Place[] = []
afterEach(() => {
  for (const place of places.splice(0)) place.remove()
})

function newPlace(): Place {
  const place = makePlace()
  places.push(place)
  return place
}

/** Runs the goals, and returns their ids. */
async function withRuns(place: Place, ...goals: string[]): Promise<string[]> {
  const ids: string[] = []
  for (const goal of goals) {
    const { stdout } = await place.cli(['run', goal, '--json'])
    ids.push(String(jsonLines(stdout)[0]?.run))
  }
  return ids
}

const idsOf = (stdout: string) => (stdout === '' ? [] : jsonLines(stdout).map(({ id }) => id))

describe('thinkon list', () => {
  it('lists some: by number, status and text', async () => {
    const place = newPlace()
    const { cli } = place
    const [a, b, c] = await withRuns(place, 'erste ÄPFEL', 'fail', '写一份报告')
    expect(idsOf((await cli(['list', '--json'])).stdout)).toEqual([c, b, a])
    expect(idsOf((await cli(['list', '--json', '--limit', '2'])).stdout)).toEqual([c, b])
    expect(idsOf((await cli(['list', '--json', '--status', 'failed'])).stdout)).toEqual([b])
    expect(idsOf((await cli(['list', '--json', '--status', 'failed,completed'])).stdout)).toEqual([c, b, a])
    expect(idsOf((await cli(['list', '--json', '--search', 'äpfel'])).stdout)).toEqual([a])
    expect(idsOf((await cli(['list', '--json', '--search', '报告'])).stdout)).toEqual([c])
    expect(idsOf((await cli(['list', '--json', '--search', String(b)])).stdout)).toEqual([b])
    const cut = await cli(['list', '--limit', '1'])
    expect(cut.stdout.trimEnd().split('\n')).toHaveLength(1)
    // All that is listed is in Chinese.
    expect(cut.stderr).toContain('还有 2 个')
    expect((await cli(['list', '--limit', '2'])).stderr).toContain('and 1 more')
    expect(await cli(['list', '--search', 'nothing like it'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('no such runs'),
    })
  })

  it('finds runs that are being worked on: running, or waiting for a person', async () => {
    const place = newPlace()
    place.start(['run', 'ask', '--ask'])
    await place.state('last', ({ openQuestions }) => openQuestions === 1)
    expect((await place.cli(['list', '--status', 'waiting', '--json'])).stdout).toContain('"ask"')
    expect((await place.cli(['list', '--status', 'running,stopped', '--json'])).stdout).toBe('')
  })

  it.each([
    [['list', '--limit', 'many'], '--limit'],
    [['list', '--status', 'done'], 'running, waiting, stopped'],
    [['prune'], '--older-than'],
    [['prune', '--older-than', 'yesterday'], '30d'],
    [['prune', '--keep', '-1'], '--keep'],
    [['delete'], '<run>'],
    [['export'], '<run>'],
    [['import'], '<file>'],
  ])('refuses %j', async (args, told) => {
    const { code, stderr } = await newPlace().cli(args)
    expect([code, stderr]).toEqual([2, expect.stringContaining(told)])
  })
})

describe('thinkon delete', () => {
  it('deletes runs, says what was forked from them, and the forks stay whole', async () => {
    const place = newPlace()
    const { cli } = place
    const [a, b, c] = await withRuns(place, 'one', 'two', 'three')
    const fork = String(jsonLines((await cli(['fork', String(a), '--at', '2', '--json'])).stdout)[0]?.run)
    const { code, stdout } = await cli(['delete', String(a), String(b)])
    expect(code).toBe(0)
    expect(stdout).toContain(`deleted ${a}, ${b}; freed`)
    expect(stdout).toContain(`whole without it: ${fork}`)
    expect(idsOf((await cli(['list', '--json'])).stdout)).toEqual([fork, c])
    expect((await cli(['show', String(a)])).code).toBe(2)
    expect((await cli(['resume', fork, '-q'])).stdout).toBe('reached: one\n')
    expect((await cli(['replay', fork])).code).toBe(0)
    const json = await cli(['delete', String(c), '--json'])
    expect(jsonLines(json.stdout)).toEqual([
      { type: 'delete', runs: [c], forks: [], freedBytes: expect.any(Number) },
    ])
  })

  it('deletes nothing if one of them is not there, or is being worked on', async () => {
    const place = newPlace()
    const { cli } = place
    const [a] = await withRuns(place, 'one')
    expect((await cli(['delete', String(a), 'nobody'])).code).toBe(2)
    const { child, ended } = place.start(['run', 'wait'])
    const { run } = await place.state('last', ({ blocks, goal }) => goal === 'wait' && blocks.length > 1)
    const refused = await cli(['delete', String(a), String(run)])
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('worked on') })
    expect(idsOf((await cli(['list', '--json'])).stdout)).toEqual([run, a])
    // Ended by force it can be deleted.
    child.kill('SIGKILL')
    await ended
    await expect.poll(async () => (await cli(['delete', String(run)])).code).toBe(0)
    expect(idsOf((await cli(['list', '--json'])).stdout)).toEqual([a])
  })
})

describe('thinkon prune', () => {
  it('keeps the newest, deletes ended runs only unless told otherwise, and can say what it would do', async () => {
    const place = newPlace()
    const { cli } = place
    const [a, b, c] = await withRuns(place, 'one', 'fail', 'three')
    const fork = String(jsonLines((await cli(['fork', String(c), '--at', '2', '--json'])).stdout)[0]?.run)
    const dry = await cli(['prune', '--keep', '1', '--dry-run'])
    expect(dry.stdout).toContain('2 runs would be deleted')
    expect(dry.stdout).toContain(String(a))
    expect((await cli(['prune', '--older-than', '1h', '--keep', '0'])).stdout).toContain('deleted 0 runs')
    expect(idsOf((await cli(['list', '--json'])).stdout)).toEqual([fork, c, b, a])
    expect((await cli(['prune', '--keep', '0', '--status', 'failed'])).stdout).toContain('deleted 1 run;')
    expect((await cli(['prune', '--keep', '1'])).stdout).toContain('deleted 1 run;')
    expect(idsOf((await cli(['list', '--json'])).stdout)).toEqual([fork, c])
    const vacuumed = await cli([
      'prune',
      '--keep',
      '0',
      '--status',
      'stopped,completed',
      '--vacuum',
      '--json',
    ])
    expect(jsonLines(vacuumed.stdout)).toEqual([
      {
        type: 'prune',
        runs: expect.arrayContaining([c, fork]),
        freedBytes: expect.any(Number),
        vacuumedBytes: expect.any(Number),
      },
    ])
    expect((await cli(['list', '--json'])).stdout).toBe('')
  })

  it('never takes a run that a process works on, and does not disturb it', async () => {
    const place = newPlace()
    const { cli } = place
    await withRuns(place, 'one')
    const { ended } = place.start(['run', 'wait'])
    const { run } = await place.state('last', ({ blocks, goal }) => goal === 'wait' && blocks.length > 1)
    expect((await cli(['prune', '--keep', '0', '--status', 'running,completed,stopped'])).stdout).toContain(
      'deleted 1 run;',
    )
    const vacuum = await cli(['prune', '--keep', '0', '--vacuum'])
    expect(vacuum).toMatchObject({ code: 2, stderr: expect.stringContaining("can't be made smaller") })
    expect((await cli(['cancel', String(run)])).code).toBe(0)
    expect((await ended).code).toBe(130)
    expect((await cli(['replay', String(run)])).code).toBe(0)
  })
})

describe('thinkon export --html', () => {
  it('writes a page to stdout or to a file, and never over one', async () => {
    const place = newPlace()
    const [run] = await withRuns(place, 'add it up')
    const { stdout } = await place.cli(['export', String(run), '--html'])
    expect(stdout).toMatch(/^<!doctype html>/)
    expect(stdout).toContain('<title>add it up</title>')
    const file = join(place.folder, 'run.html')
    const written = await place.cli(['export', 'last', '--html', '-o', 'run.html', '--json'])
    expect(jsonLines(written.stdout)).toEqual([
      { type: 'export', run, file, events: expect.any(Number), bytes: Buffer.byteLength(stdout) },
    ])
    expect(readFileSync(file, 'utf8')).toBe(stdout)
    const again = await place.cli(['export', 'last', '--html', 'run.html'])
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('--force')])
    expect((await place.cli(['export', 'last', '--html', 'run.html', '--force'])).code).toBe(0)
  })

  it('says what is wrong: no such run, two files, a folder that is not there', async () => {
    const place = newPlace()
    await withRuns(place, 'add it up')
    const refusals = [
      [['export', 'nope', '--html'], 2, 'no run "nope"'],
      [['export', 'last', 'a.html', '--html', '-o', 'b.html'], 2, 'two files'],
      [['export', 'last', '--html', '-o', 'nowhere/run.html'], 1, join('nowhere', 'run.html')],
    ] as const
    for (const [args, code, told] of refusals) {
      const ended = await place.cli(args)
      expect([ended.code, ended.stdout, ended.stderr]).toEqual([code, '', expect.stringContaining(told)])
      expect(ended.stderr).not.toMatch(/\.tmp|bug/)
    }
    expect(readdirSync(place.folder).filter((name) => /html|tmp/.test(name))).toEqual([])
  })

  it('takes a run under way as it is so far', async () => {
    const place = newPlace()
    place.start(['run', 'ask', '--ask'])
    await place.state('last', ({ openQuestions }) => openQuestions === 1)
    const { code, stdout } = await place.cli(['export', 'last', '--html'])
    expect([code, stdout.includes('<title>ask</title>')]).toEqual([0, true])
  })
})

describe('thinkon export and import', () => {
  it('takes a run to another store, where it is shown, replayed and forked', async () => {
    const [here, there] = [newPlace(), newPlace()]
    const [run] = await withRuns(here, 'take me elsewhere 写一份报告')
    const exported = await here.cli(['export', String(run)])
    const file = join(here.folder, `thinkon-${run}.jsonl`)
    expect(exported.stdout).toContain(file)
    const imported = await there.cli(['import', file])
    expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining(`imported run ${run}`) })
    const events = async ({ cli }: Place, id: string) => (await cli(['events', id, '--json'])).stdout
    expect(await events(there, String(run))).toBe(await events(here, String(run)))
    expect((await there.cli(['show', 'last'])).stdout).toBe((await here.cli(['show', 'last'])).stdout)
    expect((await there.cli(['replay', 'last'])).stdout).toContain('一致')
    expect((await there.cli(['fork', String(run), '--at', '2', '--resume', '-q'])).stdout).toBe(
      'reached: take me elsewhere 写一份报告\n',
    )
    const again = await there.cli(['import', file, '--json'])
    expect(jsonLines(again.stdout)).toEqual([
      { type: 'import', run, events: expect.any(Number), existed: true },
    ])
    const pipe = await here.cli(['export', String(run), '-'])
    expect(pipe.stdout).toBe(readFileSync(file, 'utf8'))
    expect((await there.cli(['import', '-', '--as', 'mine'], pipe.stdout)).stdout).toContain(
      'imported run mine',
    )
    expect((await there.cli(['replay', 'mine'])).code).toBe(0)
  })

  it('takes a run that has not ended, with the signals that wait for it, and it goes on there', async () => {
    const [here, there] = [newPlace(), newPlace()]
    const { child, ended } = here.start(['run', 'ask', '--ask'])
    const { run } = await here.state('last', ({ openQuestions }) => openQuestions === 1)
    child.kill('SIGKILL')
    await ended
    expect((await here.cli(['answer', String(run), 'maybe later'])).code).toBe(0)
    const { stdout } = await here.cli(['export', String(run), '-'])
    const imported = await there.cli(['import', '-'], stdout)
    expect(imported.stderr).toContain('whether you trust it')
    expect((await there.cli(['resume', String(run), '-q'])).stdout).toBe('answer: maybe later\n')
  })

  it('refuses a file that was cut short, is something else, or would replace a run; and never overwrites a file', async () => {
    const place = newPlace()
    const { cli } = place
    const [run] = await withRuns(place, 'one')
    expect((await cli(['export', String(run), 'run.jsonl'])).code).toBe(0)
    const again = await cli(['export', String(run), 'run.jsonl'])
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') })
    expect((await cli(['export', String(run), 'run.jsonl', '--force'])).code).toBe(0)
    const file = readFileSync(join(place.folder, 'run.jsonl'), 'utf8')
    const other = newPlace()
    writeFileSync(join(other.folder, 'cut.jsonl'), file.slice(0, -200))
    expect(await other.cli(['import', 'cut.jsonl'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cut short'),
    })
    writeFileSync(join(other.folder, 'other.txt'), 'hello')
    expect((await other.cli(['import', 'other.txt'])).code).toBe(2)
    const nowhere = await other.cli(['import', 'nowhere', '--store', join(other.folder, 'unmade.db')])
    expect(nowhere).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/there is no file nowhere: give one/),
    })
    expect(existsSync(join(other.folder, 'unmade.db'))).toBe(false)
    expect((await other.cli(['list', '--json'])).stdout).toBe('')
    await withRuns(other, 'mine')
    const [mine] = idsOf((await other.cli(['list', '--json'])).stdout)
    const refused = await other.cli(['import', '-', '--as', String(mine)], file)
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--as') })
    expect((await cli(['export', String(run), 'not/there.jsonl'])).code).toBe(1)
    expect(readdirSync(place.folder).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })
})

// util-linux; the one of macOS and BSD takes other arguments.
const hasScript =
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false

describe.skipIf(!hasScript)('on a terminal (skipped where `script` of util-linux is missing)', () => {
  it('asks before it deletes, and no is the default', async () => {
    const place = newPlace()
    const [a] = await withRuns(place, 'precious')
    for (const [key, deleted] of [
      ['\r', false],
      ['n\r', false],
      ['\u0003', false],
      ['y\r', true],
    ] as const) {
      const child = inTerminal(place, `delete ${a}`)
      const ended = endOf(child)
      await seen(child, '[y/N]')
      child.stdin?.write(key)
      await ended
      const left = idsOf((await place.cli(['list', '--json'])).stdout)
      expect([key, left]).toEqual([key, deleted ? [] : [a]])
    }
  })

  it('lists as many as fit a person, and says how many more there are', async () => {
    const place = newPlace()
    await withRuns(place, 'one')
    const [first] = idsOf((await place.cli(['list', '--json'])).stdout)
    const { stdout } = await place.cli(['export', String(first), '-'])
    const engine = createEngine({ store: join(place.folder, '.thinkon/runs.db') })
    for (let i = 0; i < 51; i++) await engine.import([stdout], { as: `copy-${i}` })
    await engine.close()
    const { stdout: listed } = await endOf(inTerminal(place, 'list'))
    const lines = stripVTControlCharacters(listed).trimEnd().split('\r\n')
    expect(lines).toHaveLength(51)
    expect(lines.at(-1)).toContain('and 2 more')
    expect((await place.cli(['list'])).stdout.trimEnd().split('\n')).toHaveLength(52)
  })

  function inTerminal(place: Place, args: string): ChildProcess {
    const command = `stty cols 100 rows 30; exec "${process.execPath}" "${bin}" ${args}`
    return spawn('script', ['-qec', command, '/dev/null'], {
      cwd: place.folder,
      env: { ...place.env, SHELL: '/bin/sh' },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
  }

  function seen(child: ChildProcess, text: string): Promise<void> {
    let all = ''
    return new Promise((resolve, reject) => {
      child.stdout?.on('data', (chunk) => {
        all += chunk
        if (stripVTControlCharacters(all).includes(text)) resolve()
      })
      child.on('close', () => reject(new Error(`ended without "${text}":\n${all}`)))
    })
  }
})

it('leaves no lock behind', async () => {
  const place = newPlace()
  await withRuns(place, 'one')
  const { stdout } = await place.cli(['export', 'last', '-'])
  await place.cli(['import', '-', '--as', 'copy'], stdout)
  await place.cli(['delete', 'copy'])
  const folder = join(place.folder, '.thinkon')
  expect(existsSync(folder)).toBe(true)
  expect(readdirSync(folder).filter((name) => name.includes('owner'))).toEqual([])
})

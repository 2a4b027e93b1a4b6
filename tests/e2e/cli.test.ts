// The commands and their exit codes, each in a process of its own.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonLines, makePlace } from './cli-process.ts'

const place = makePlace()
const { cli } = place
afterAll(() => place.remove())

describe('thinkon run', () => {
  it('says the run, the model and how to resume, then what happens, then the result', async () => {
    const { code, stdout, stderr } = await cli(['run', 'the top'])
    // Nobody is there: the second line says what is not offered for that.
    const [head, withheld, ...lines] = stdout.trimEnd().split('\n')
    expect(withheld).toMatch(/^not offered, as nobody is there to permit it: write_file, /)
    expect(head).toMatch(/^run (\S+) · model module:\S+ \(from THINKON_MODEL\) · resume: thinkon resume \1$/)
    expect(lines[0]).toBe('[-] 1 "the top"')
    expect(lines[1]).toMatch(/^\[x\] 1 completed → reached: the top \(.*1 call · 15 tokens · \$0\.0010\)$/)
    expect(lines.at(-1)).toBe('reached: the top')
    expect([code, stderr]).toEqual([0, ''])
  })

  it('prints events as NDJSON without gaps and the outcome last', async () => {
    const { code, stdout } = await cli([
      'run',
      'json',
      '--json',
      '--option',
      'maxRepeats=5',
      '--max-time',
      '5m',
    ])
    const lines = jsonLines(stdout)
    const events = lines.slice(0, -1)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1))
    expect(events[0]).toMatchObject({
      type: 'run-start',
      path: '1',
      options: { maxRepeats: 5 },
      limits: { timeMs: 300_000 },
    })
    expect(events[0]?.ts).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const usage = { calls: 1, inputTokens: 10, outputTokens: 5, costUsd: 0.001 }
    expect(lines.at(-1)).toEqual({
      type: 'outcome',
      status: 'completed',
      result: 'reached: json',
      usage,
      roles: { plan: usage },
      run: events[0]?.run,
    })
    expect(code).toBe(0)
  })

  it('takes the goal from stdin, and with --quiet prints the result alone', async () => {
    expect(await cli(['run', '-', '-q'], 'from a pipe')).toEqual({
      code: 0,
      stdout: 'reached: from a pipe\n',
      stderr: '',
    })
  })

  it('has a command for each strategy', async () => {
    expect((await cli(['minimal', 'by name', '-q'])).stdout).toBe('reached: by name\n')
  })

  it('speaks the language of the goal, or the one that is asked for', async () => {
    expect((await cli(['run', '写一份报告'])).stdout).toContain('[x] 1 已完成')
    expect((await cli(['run', '写一份报告', '--lang', 'en'])).stdout).toContain('[x] 1 completed')
  })

  it('writes no colours into a pipe', async () => {
    expect((await cli(['run', 'plain'])).stdout).not.toContain('\u001b')
  })

  it('keeps the store out of Git, and where it is told to', async () => {
    expect(readFileSync(join(place.folder, '.thinkon/.gitignore'), 'utf8')).toBe('*\n')
    const { stdout } = await cli(['run', 'elsewhere', '--store', 'else where.db'])
    expect(stdout).toContain("--store 'else where.db'")
    expect((await cli(['list', '--store', 'else where.db'])).stdout.trimEnd().split('\n')).toHaveLength(1)
  })

  it('answers questions with --yes', async () => {
    expect((await cli(['run', 'ask', '--yes', '-q'])).stdout).toBe('answer: yes\n')
  })
})

describe('exit codes', () => {
  it.each([
    ['completed', 0, ['run', 'fine']],
    ['partial', 3, ['run', 'spend', '--max-calls', '3']],
    ['failed', 4, ['run', 'fail']],
    ['failed', 4, ['run', 'garbage']],
  ])('%s ends with %i: %j', async (status, expected, args) => {
    const { code, stdout, stderr } = await cli([...args, '--json'])
    expect(jsonLines(stdout).at(-1)).toMatchObject({ type: 'outcome', status })
    expect([code, stderr]).toEqual([expected, ''])
  })

  it('a strategy that throws is told with its reason and no stack', async () => {
    const { stdout } = await cli(['run', 'garbage'])
    expect(stdout).toContain("[!] 1 failed: the reply can't be used")
    expect(stdout).not.toContain('    at ')
  })
})

describe('looking at a run', () => {
  let id = ''
  beforeAll(async () => {
    const { stdout } = await cli(['run', 'look at me', '--json'])
    id = String(jsonLines(stdout)[0]?.run)
  })

  it('lists it, for people and for programs', async () => {
    const { stdout } = await cli(['list'])
    expect(stdout.split('\n')[0]).toMatch(new RegExp(`^\\[x\\] ${id}  completed  .* minimal +look at me$`))
    const [row] = jsonLines((await cli(['list', '--json'])).stdout)
    expect(row).toMatchObject({
      id,
      goal: 'look at me',
      strategy: 'minimal',
      status: 'completed',
      owned: false,
      forkOf: null,
    })
  })

  it('shows its tree and what it came to', async () => {
    const { code, stdout } = await cli(['show', id])
    expect(stdout).toContain(`${id} completed`)
    expect(stdout).toMatch(
      /^\[x\] 1 "look at me" ‹minimal› {2}→ reached: look at me .* 1 call +15 tok {2}\$0\.0010$/m,
    )
    expect(code).toBe(0)
  })

  it('shows its state as JSON, the blocks as a list', async () => {
    const state = await place.state(id)
    expect(state).toMatchObject({
      run: id,
      status: 'completed',
      owned: false,
      outcome: { result: 'reached: look at me' },
    })
    expect(state.blocks.map(({ path }) => path)).toEqual(['1'])
  })

  it('knows it by the beginning of its id, with or without the date, and by "last"', async () => {
    for (const name of [id.slice(0, -1), id.split('-')[1] as string, 'last']) {
      expect((await cli(['show', name])).stdout).toContain(`${id} completed`)
    }
  })

  it('prints its events', async () => {
    const { stdout } = await cli(['events', id])
    expect(stdout.split('\n')[0]).toMatch(
      /^ {4}1 {2}\d\d:\d\d:\d\d\.\d{3} {2}run-start {8}1 {2}minimal@3 on module:\S+ {2}"look at me"$/,
    )
    const some = jsonLines((await cli(['events', id, '--json', '--from', '3'])).stdout)
    expect(some[0]).toMatchObject({ seq: 3, type: 'model-start', run: id })
    expect(jsonLines((await cli(['events', id, '--json', '--follow'])).stdout).at(-1)).toMatchObject({
      type: 'run-end',
    })
  })

  it('replays it', async () => {
    const { code, stdout } = await cli(['replay', id])
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^equal: 1 block, 1 operation, nothing was called; it ended completed\n$/),
    ])
    const [replayed] = jsonLines((await cli(['replay', id, '--json'])).stdout)
    expect(replayed).toMatchObject({ type: 'replay', run: id, equal: true, differences: [] })
  })

  it('resuming it gives the same outcome again', async () => {
    const { code, stdout, stderr } = await cli(['resume', id])
    expect([code, stdout]).toEqual([0, 'reached: look at me\n'])
    expect(stderr).toContain('has ended already (completed)')
  })

  it('forks it, goes on with the edit, and says that files stay', async () => {
    const end = jsonLines((await cli(['events', id, '--json'])).stdout).find(
      ({ type }) => type === 'model-end',
    )
    const value = { do: 'return', result: 'edited' }
    const args = ['fork', id, '--at', String(end?.seq), '--with', JSON.stringify({ value }), '--resume']
    const { code, stdout } = await cli(args)
    expect(stdout).toContain('not rolled back')
    expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([0, 'edited'])
    expect((await cli(['list'])).stdout).toContain(`(fork of ${id})`)
  })

  it('a replay that differs fails and says where', async () => {
    const events = jsonLines((await cli(['events', id, '--json'])).stdout)
    const start = events.find(({ type }) => type === 'block-start')
    const edit = JSON.stringify({ goal: 'another' })
    const made = await cli(['fork', id, '--at', String(start?.seq), '--with', edit, '--json'])
    const fork = String(jsonLines(made.stdout)[0]?.run)
    const { code, stdout } = await cli(['replay', fork])
    expect(stdout).toMatch(/differs in 1 place:/)
    expect(stdout).toMatch(/1 \(.*event 2\): .*differs in goal/)
    expect(code).toBe(4)
  })

  it('doing a part of it again is a fork, too', async () => {
    const { code, stdout } = await cli(['redo', id, '1', '--message', 'better', '--resume', '--json'])
    const lines = jsonLines(stdout)
    expect(lines[0]).toMatchObject({ type: 'fork', from: id, path: '1' })
    expect(lines.at(-1)).toMatchObject({ type: 'outcome', status: 'completed', run: lines[0]?.run })
    expect(code).toBe(0)
  })
})

describe('help', () => {
  it('lists all commands, and tells each', async () => {
    const { code, stdout } = await cli(['--help'])
    const names = 'run resume list show events replay fork skip redo message answer cancel demo'.split(' ')
    for (const name of names) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
    for (const args of [
      ['help', 'fork'],
      ['fork', '--help'],
      ['fork', '-h'],
    ]) {
      expect((await cli(args)).stdout).toContain('Usage: thinkon fork <run> --at <seq>')
    }
    expect([code, (await cli(['--version'])).stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)])
  })

  it('the demonstration shows errors, what becomes of them, and ends with the command that opens the page', async () => {
    const { code, stdout, stderr } = await cli(['demo', '--lang', 'en'])
    expect(stdout.match(/^ {3}(?:asked once|by \w+) +[✗✓]/gm)).toEqual([
      '   asked once  ✗',
      '   by fractal  ✓',
      '   asked once  ✗',
      '   by tot      ✓',
    ])
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/npx thinkon studio$/)
    expect(stdout).not.toContain('\u001b')
    expect([code, stderr]).toEqual([0, ''])
    const { stdout: listed } = await cli(['list', '--json', '--limit', '4'])
    const runs = jsonLines(listed).map(({ strategy, status }) => [strategy, status])
    expect(runs.toReversed()).toEqual([
      ['best-of', 'partial'],
      ['fractal', 'completed'],
      ['best-of', 'partial'],
      ['tot', 'completed'],
    ])
  })
})

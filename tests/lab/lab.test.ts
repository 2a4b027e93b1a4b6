/** `thinkon lab` as users start it: the same table for the same seed, also after a kill. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type LabResult, labResultsIn } from '../../src/views/lab-results.ts'
import { until } from '../conformance/async.ts'
import { jsonLines, makePlace, type Place } from '../e2e/cli-process.ts'

const JUDGE = `module:${join(import.meta.dirname, 'judge-model.ts')}`
const LAB = [
  'lab',
  '--model',
  'embedded:mini',
  '--count',
  '8',
  '--strategy',
  'best-of samples=1',
  '--strategy',
  'fractal',
]
const RUNS = 16

const places: Place[] = []
afterEach(() => {
  for (const place of places.splice(0)) place.remove()
})

function newPlace(): Place {
  const place = makePlace()
  places.push(place)
  return place
}

const resultsOf = (place: Place, name = 'thinkon-lab.jsonl'): LabResult[] => {
  const file = join(place.folder, name)
  return existsSync(file) ? labResultsIn(readFileSync(file, 'utf8')) : []
}
/** Results come in any order, and run ids begin with the lab's own. */
const timeless = (results: readonly LabResult[]) =>
  results
    .map(({ timeMs: _, run, ...result }) => ({ ...result, run: run?.split('-').at(-1) }))
    .sort((a, b) => a.trial.localeCompare(b.trial))
const tableIn = (stdout: string) => jsonLines(stdout).find(({ type }) => type === 'table')

describe('a lab', () => {
  it('gives the same table and the same picture for the same seed, another for another', async () => {
    const [one, two] = [newPlace(), newPlace()]
    const first = await one.cli(LAB)
    // Requests that are answered together come to the same as one after the other.
    const second = await two.cli([...LAB, '--concurrency', '1'])
    expect(first.code, first.stderr).toBe(0)
    expect(second.stdout).toBe(first.stdout)
    expect(timeless(resultsOf(two))).toEqual(timeless(resultsOf(one)))
    const picture = (place: Place) => readFileSync(join(place.folder, 'thinkon-lab.svg'), 'utf8')
    expect(picture(two)).toBe(picture(one))
    const other = await two.cli([...LAB, '--seed', '2', '--force'])
    expect(other.stdout).not.toBe(first.stdout)
    // The model is wrong at times, or the table would show nothing.
    const solved = resultsOf(one).filter((result) => result.solved).length
    expect(solved).toBeGreaterThan(0)
    expect(solved).toBeLessThan(RUNS)
  }, 120_000)

  it('that is killed goes on with what is left, and gives the same table', async () => {
    const [whole, killed] = [newPlace(), newPlace()]
    const { child, ended } = killed.start([...LAB, '--json'])
    await until(
      () => resultsOf(killed).length >= 4,
      () => 'four results',
    )
    child.kill('SIGKILL')
    await ended
    const before = resultsOf(killed)
    expect(before.length).toBeLessThan(RUNS)
    const after = await killed.alone([...LAB, '--json'])
    expect(after.code, after.stderr).toBe(0)
    expect(after.stderr).toContain(`${before.length} of ${RUNS} runs are there already`)
    expect(resultsOf(killed).slice(0, before.length)).toEqual(before)
    expect(new Set(resultsOf(killed).map(({ trial }) => trial)).size).toBe(RUNS)
    expect(resultsOf(killed)).toHaveLength(RUNS)
    expect(tableIn(after.stdout)).toEqual(tableIn((await whole.cli([...LAB, '--json'])).stdout))
    expect(timeless(resultsOf(killed))).toEqual(timeless(resultsOf(whole)))
  }, 120_000)

  it('refuses a folder as its picture or its results before anything is run', async () => {
    const place = newPlace()
    mkdirSync(join(place.folder, 'pictures'))
    for (const option of ['--picture', '--out']) {
      const { code, stderr } = await place.cli([...LAB, option, 'pictures'])
      expect(code).toBe(2)
      expect(stderr).toMatch(/pictures is a folder: give a file/)
    }
    expect(existsSync(join(place.folder, 'thinkon-lab.jsonl'))).toBe(false)
  })

  it('goes on after a line that was cut off', async () => {
    const place = newPlace()
    const first = await place.cli(LAB)
    const file = join(place.folder, 'thinkon-lab.jsonl')
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, -40))
    const second = await place.cli(LAB)
    expect(second.stderr).toContain(`${RUNS - 1} of ${RUNS} runs are there already`)
    expect(second.stdout).toBe(first.stdout)
    expect(resultsOf(place)).toHaveLength(RUNS)
  }, 120_000)

  it('that is stopped says how to go on', async () => {
    const place = newPlace()
    const { child, ended } = place.start(LAB)
    await until(
      () => resultsOf(place).length >= 2,
      () => 'two results',
    )
    child.kill('SIGINT')
    const { code, stderr } = await ended
    expect(code).toBe(130)
    expect(stderr).toMatch(/go on with: thinkon lab --model \S+ --count 8 --strategy 'best-of samples=1'/)
    expect(stderr).toMatch(/\d+ of 16 runs are done/)
  }, 120_000)

  it('stays within the limit of the whole, and goes on with a higher one', async () => {
    const place = newPlace()
    const limited = await place.cli([...LAB, '--max-calls', '30', '--concurrency', '1'])
    expect(limited.code).toBe(3)
    expect(limited.stderr).toContain('--max-calls')
    const spent = resultsOf(place).reduce((sum, { usage }) => sum + usage.calls, 0)
    expect(spent).toBeGreaterThan(0)
    expect(spent).toBeLessThanOrEqual(30)
    const more = await place.cli([...LAB, '--max-calls', '100000'])
    expect(more.code, more.stderr).toBe(0)
    expect(more.stdout).toBe((await newPlace().cli(LAB)).stdout)
  }, 120_000)

  it('holds every run to its own limits', async () => {
    const place = newPlace()
    await place.cli([...LAB, '--max-calls-each', '3'])
    const results = resultsOf(place)
    expect(Math.max(...results.map(({ usage }) => usage.calls))).toBeLessThanOrEqual(3)
    expect(results.some(({ status }) => status === 'partial')).toBe(true)
  }, 60_000)

  it('refuses the results of another lab, and says what differs', async () => {
    const place = newPlace()
    await place.cli(LAB)
    const { code, stderr } = await place.cli([...LAB, '--repeat', '2'])
    expect(code).toBe(2)
    expect(stderr).toMatch(/another lab: its repeats: 1, not 2; .*--force/)
  }, 60_000)

  it('with an option or a model that is wrong leaves the results of another as they are', async () => {
    const place = newPlace()
    const small = ['lab', '--count', '2', '--model', 'embedded:abacus', '--strategy']
    await place.cli([...small, 'fractal'])
    const before = readFileSync(join(place.folder, 'thinkon-lab.jsonl'), 'utf8')
    for (const [args, why] of [
      [[...small, 'best-of samples=0', '--force'], 'samples must be a whole number'],
      [
        [...small, 'best-of samples', '--force'],
        '"best-of samples": an option must be key=value, not "samples"',
      ],
      [
        [...small, 'fractal', '--force', '--model', 'embedded:other'],
        'can\'t use the model "embedded:other"',
      ],
      [[...small, 'fractal', '--force', '--judge', 'person'], 'a lab asks nobody'],
    ] as const) {
      const { code, stderr } = await place.cli(args)
      expect(code).toBe(2)
      expect(stderr).toContain(why)
      expect(stderr).not.toContain('go on with')
      expect(readFileSync(join(place.folder, 'thinkon-lab.jsonl'), 'utf8')).toBe(before)
    }
  }, 60_000)

  it('says so if the model refuses goals, which count as not solved', async () => {
    const { code, stdout, stderr } = await newPlace().cli([
      'lab',
      '--task',
      'logic',
      '--count',
      '4',
      '--model',
      'embedded:abacus',
      '--strategy',
      'tot',
    ])
    expect(code).toBe(0)
    expect(stdout).toMatch(/tot +0\/4 +0 /)
    expect(stderr).toContain('4 goals were refused by the model, and count as not solved: ')
  }, 60_000)

  it('compares several models, in Chinese too', async () => {
    const place = newPlace()
    const { stdout } = await place.cli([...LAB, '--model', 'embedded:abacus', '--count', '4', '--lang', 'zh'])
    expect(stdout).toContain('解出')
    expect(stdout).toMatch(/embedded:abacus +4\/4 +100/)
  }, 60_000)
})

describe('tasks of a file', () => {
  const goals = [
    { goal: 'compute 2+3', check: { numeric: 5 } },
    { goal: 'compute 2*3', check: { regex: '\\b7\\b' } },
    { check: { program: [process.execPath, 'check.mjs'] } },
    { goal: 'compute 4*5', group: 'by program' },
    { goal: 'compute 4*6', group: 'by program' },
  ]
  function withTasks(lines: readonly object[]): Place {
    const place = newPlace()
    writeFileSync(join(place.folder, 'mine.jsonl'), lines.map((line) => JSON.stringify(line)).join('\n'))
    return place
  }
  const ONCE = ['lab', '--task', 'mine.jsonl', '--strategy', 'best-of samples=1']

  it('are checked as each says, by programs only where that is permitted', async () => {
    const place = withTasks(goals)
    const program =
      'const { answer } = JSON.parse(await process.stdin.toArray().then((all) => Buffer.concat(all))); ' +
      'console.log(JSON.stringify({ score: 0.25, why: "looked" })); process.exit(answer.includes("20") ? 0 : 1)'
    writeFileSync(join(place.folder, 'check.mjs'), program)
    const args = [...ONCE, '--model', 'embedded:abacus']
    const refused = await place.cli(args)
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('--programs')
    const { code, stderr } = await place.cli([...args, '--programs'])
    expect(code, stderr).toBe(0)
    const found = resultsOf(place).sort((a, b) => a.task.localeCompare(b.task))
    expect(found.map(({ solved }) => solved)).toEqual([true, false, true, false])
    expect(found[3]).toMatchObject({ group: 'by program', score: 0.25, why: 'looked' })
  }, 60_000)

  it('are judged blind, in shuffled order, and only as often as there are tasks', async () => {
    const tasks = ['one', 'two', 'three', 'four', 'five', 'six'].map((goal) => ({
      goal: `a word: ${goal}`,
      check: { judge: 'it has the letter o' },
    }))
    const place = withTasks(tasks)
    const record = join(place.folder, 'traffic.jsonl')
    const { code, stderr } = await place.cli(
      [...ONCE, '--strategy', 'best-of samples=2', '--model', JUDGE],
      undefined,
      { ...place.env, JUDGE_LOG: record },
    )
    expect(code, stderr).toBe(0)
    const results = resultsOf(place)
    expect(results).toHaveLength(12)
    for (const { answer, solved } of results) expect(solved).toBe(answer.includes('o'))
    expect(results.filter(({ judging }) => judging !== undefined)).toHaveLength(6)
    const seen = jsonLines(readFileSync(record, 'utf8')) as unknown as { goal: string; first: string }[]
    expect(seen).toHaveLength(6)
    for (const { goal } of seen) expect(goal).not.toMatch(/best-of|samples/)
    // The answer of the first setting stands first at times, and at times not.
    expect(new Set(seen.map(({ first }) => first.split(' ').at(-1))).size).toBe(2)
  }, 60_000)

  it('that need a judge are refused where the model is none', async () => {
    const place = withTasks([{ goal: 'compute 1+1', check: { judge: 'it is 2' } }])
    const { code, stderr } = await place.cli([...ONCE, '--model', 'embedded:mini'])
    expect(code).toBe(2)
    expect(stderr).toContain(
      "some tasks are checked by a model that judges, and this one can't: --judge <spec>",
    )
  }, 60_000)

  it('are refused with the line that is wrong', async () => {
    const place = withTasks([{ goal: 'compute 1+1', check: { exact: '2' } }, { goal: 'compute 1+2' }])
    const { code, stderr } = await place.cli(ONCE)
    expect(code).toBe(2)
    expect(stderr).toContain('mine.jsonl, line 2: there is no "check"')
  }, 60_000)
})

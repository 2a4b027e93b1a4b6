// kill -9 of a dual engine during a review, a reflection, a compaction and a nested plan.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createEngine } from '../../src/index.ts'
import { type Event, isInside } from '../../src/protocol/index.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { answerIn } from '../answers.ts'
import { until } from '../conformance/async.ts'
import { type Crash, crashAndResume, execute, journal, undisturbed, violations } from './crash.ts'

const PROGRAM = 'dual-program.ts'
const AT_ONCE = 3
/** The coordinator within the second task. */
const NESTED = '1-2-1'

let whole: Pick<Crash, 'outcome' | 'events'>

beforeAll(async () => {
  whole = await undisturbed(PROGRAM)
}, 30_000)

/** Where an operation of this kind begins and ends, for each of them. */
function callsOf(kind: string): number[] {
  return whole.events.flatMap((event) => {
    if (event.type !== 'model-start' || event.request.kind !== kind) return []
    const end = whole.events.find(
      (other) => other.type === 'model-end' && other.path === event.path && other.n === event.n,
    )
    return [event.seq, end?.seq as number]
  })
}

/** Killed at each of these events: what is wrong afterwards. */
async function killedAt(seqs: readonly number[]): Promise<string[]> {
  const found: string[] = []
  const left = [...seqs]
  const worker = async () => {
    for (let seq = left.shift(); seq !== undefined; seq = left.shift()) {
      const crash = await crashAndResume({ atEvent: seq }, PROGRAM)
      const wrong = violations(crash, whole)
      if (crash.eventsBefore < seq) wrong.push(`only ${crash.eventsBefore} events were there`)
      if (!crash.events.some(({ type }) => type === 'run-resume')) wrong.push('it was not gone on with')
      found.push(...wrong.map((what) => `killed at event ${seq}: ${what}`))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return found
}

describe('a dual engine that is killed with SIGKILL and gone on with', () => {
  it('is a run with reviews, reflections, compactions and a plan within a plan', () => {
    expect(whole.outcome).toMatchObject({
      status: 'completed',
      result: 'read 13 pages; split: completed: left is done; right is done; send is done',
    })
    expect(callsOf('dual/reflect').length).toBeGreaterThanOrEqual(4)
    expect(callsOf('dual/compact').length).toBeGreaterThanOrEqual(2)
    expect(whole.events.some(({ path }) => path === `${NESTED}-2`)).toBe(true)
    expect(reviews(whole.events).length).toBe(2 + 3 + 2)
  })

  it('K2: during a reflection comes to the same, and repeats no finished step', async () => {
    expect(await killedAt(callsOf('dual/reflect'))).toEqual([])
  }, 60_000)

  it('K2: during a compaction comes to the same, and repeats no finished step', async () => {
    expect(await killedAt(callsOf('dual/compact'))).toEqual([])
  }, 60_000)

  it('K2: at every step of a nested plan comes to the same, and repeats no finished step', async () => {
    const inside = whole.events.filter(({ path, type }) => isInside(path, NESTED) && type !== 'note')
    expect(inside.length).toBeGreaterThan(30)
    expect(await killedAt(inside.map(({ seq }) => seq))).toEqual([])
  }, 180_000)

  it('K2: when a review is asked or answered comes to the same, and repeats no finished step', async () => {
    const answered = whole.events.filter(({ type }) => type === 'signal-answered').map(({ seq }) => seq)
    expect(await killedAt([...reviews(whole.events).map(({ seq }) => seq), ...answered])).toEqual([])
  }, 90_000)
})

describe('a review that waits when the process is killed', () => {
  it('waits on after a restart, and can be answered then, from another process, or while nobody is there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'thinkon-dual-crash-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const planReview = reviews(whole.events)[0] as Event

    await killWhileAsking(folder, 'review-plan')
    expect(journal(folder).at(-1)?.seq).toBe(planReview.seq)
    const asked = effects(folder)

    // It asks again after a restart: nothing was done twice, and nothing went on.
    await killWhileAsking(folder, 'review-plan')
    expect(effects(folder)).toEqual(asked)
    expect(reviews(journal(folder))).toHaveLength(1)

    // Answered while nobody works on it; the next process waits at the next review.
    await signal(folder, '1', 'review-plan', 'remove 1-3')
    await killWhileAsking(folder, 'review-plan', 2)
    await signal(folder, '1', 'review-plan', 'continue')
    await killWhileAsking(folder, 'review-task')
    expect(JSON.stringify(reviews(journal(folder)).at(-1))).toContain('read 13 pages')

    const { stdout, stderr, code } = await execute(PROGRAM, [folder])
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'completed',
      result: 'read 13 pages; split: completed: left is done; right is done',
    })
    const steps = effects(folder)
    expect(steps.filter((step, i) => steps.indexOf(step) < i)).toEqual([])
  }, 60_000)
})

function reviews(events: readonly Event[]): Event[] {
  return events.filter((event) => event.type === 'signal-asked' && event.name.startsWith('review-'))
}

/** Runs it with nobody there to answer, until it waits for the review, the n-th of its kind; then kills it. */
async function killWhileAsking(folder: string, name: string, times = 1): Promise<void> {
  const child = spawn(process.execPath, [join(import.meta.dirname, PROGRAM), folder, '-', 'silent'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (data) => (said += data))
  const gone = new Promise((resolve) => child.on('exit', (_, killed) => resolve(killed)))
  await until(() => said.split(`asked ${name}`).length > times, `${name} is asked (${said})`)
  child.kill('SIGKILL')
  expect(await gone).toBe('SIGKILL')
}

/** As from another terminal. */
async function signal(folder: string, path: string, name: string, value: unknown): Promise<void> {
  const store = sqliteStore(join(folder, 'runs.db'), { synchronous: 'normal' })
  const engine = createEngine({ store })
  if (name === 'subtask') await engine.signal('crash', path, name, value)
  else await answerIn(engine, 'crash', path, value)
  await engine.close()
  store.close()
}

function effects(folder: string): string[] {
  return readFileSync(join(folder, 'effects.log'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && line !== '--- process')
}

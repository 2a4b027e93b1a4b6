/**
 * The databases are gone for a while and come back: all workers connect and lock again, and all calls that ended meanwhile want to be
 * recorded. Run by run, in steps of 100 ms, with a seed: how long until a step waits no longer than before?
 */
import type { Parameters } from './simulate.ts'
import { type Deployment, type Load, stepsPerS } from './simulate-model.ts'

export interface Outage {
  /** From the return until the queues are empty again. */
  readonly backAfterS: number
  /** The longest that a step waited for its database, from the return on. */
  readonly mostWaitS: number
  readonly steps: number
  readonly text: string
}

const TICK_S = 0.1
const BEGIN_S = 20
const GONE_S = 5
const END_S = 120
const SEED = 18

export function simulateOutage(load: Load, deployment: Deployment, p: Parameters): Outage {
  const random = randomFrom(SEED)
  const events = openRuns(load, p, random)
  const costMs = p.commitsPerStep * p.commitCpuMs + p.slotCpuMs
  const databases = new Databases(load, deployment, p)
  let [mostWaitS, backAfterS, steps] = [0, 0, 0]
  for (let tick = 0; tick < END_S / TICK_S; tick++) {
    const sinceReturnS = tick * TICK_S - BEGIN_S - GONE_S
    databases.work(sinceReturnS)
    let waitS = 0
    for (const run of events[tick] ?? []) {
      steps++
      const waitsS = databases.ask(run, costMs)
      waitS = Math.max(waitS, waitsS)
      // It waits for its database, then its next call follows, or a person.
      events[tick + Math.ceil((waitsS + cycleS(p) * -Math.log(random())) / TICK_S)]?.push(run)
    }
    if (sinceReturnS < 0) continue
    mostWaitS = Math.max(mostWaitS, waitS)
    if (waitS > 2 * TICK_S) backAfterS = sinceReturnS
  }
  const [back, most] = [backAfterS, mostWaitS].map((s) => s.toFixed(1))
  const text = `${steps.toLocaleString('en')} steps in ${END_S} s; ${back} s after the return no step waits any more; the longest wait for a database was ${most} s`
  return { backAfterS, mostWaitS, steps, text }
}

/** What each has to do, in milliseconds of one core. */
class Databases {
  private readonly queues: Float64Array
  private readonly capacityMs: number
  private readonly reconnectMs: number

  constructor(load: Load, deployment: Deployment, p: Parameters) {
    this.queues = new Float64Array(deployment.databases)
    this.capacityMs = p.databaseCores * TICK_S * 1_000
    this.reconnectMs = connectionsPerDatabase(load, deployment, p) * p.connectCpuMs
  }

  /** A tick; from the return on the workers connect again. */
  work(sinceReturnS: number): void {
    if (sinceReturnS < 0 && sinceReturnS >= -GONE_S) return
    const isReturn = sinceReturnS >= 0 && sinceReturnS < TICK_S
    for (const [i, queue] of this.queues.entries())
      this.queues[i] = Math.max(0, queue + (isReturn ? this.reconnectMs : 0) - this.capacityMs)
  }

  /** How long until it is done, in seconds. */
  ask(run: number, costMs: number): number {
    const i = run % this.queues.length
    const queue = (this.queues[i] ?? 0) + costMs
    this.queues[i] = queue
    return (queue / this.capacityMs) * TICK_S
  }
}

/** By tick: the runs that have a step then. */
function openRuns(load: Load, p: Parameters, random: () => number): number[][] {
  const events: number[][] = Array.from({ length: END_S / TICK_S }, () => [])
  for (let run = 0; run < load.runs; run++) {
    const tick = Math.floor((cycleS(p) * -Math.log(random())) / TICK_S)
    events[tick]?.push(run)
  }
  return events
}

/** From one step of a run to its next. */
function cycleS(p: Parameters): number {
  return 1 / stepsPerS({ workers: 1, runs: 1 }, p)
}

function connectionsPerDatabase({ workers }: Load, { pooler, sessions }: Deployment, p: Parameters): number {
  return workers * (sessions + (pooler ? 0 : p.poolPerWorker))
}

/** mulberry32 */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32 + 2 ** -33
  }
}

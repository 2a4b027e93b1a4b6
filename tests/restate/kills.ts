// kill -9 of a worker, of the Restate server or of PostgreSQL at a random instant of runs on three workers, with signals sent during the
// outage: everything ends as it would have, and nothing that was finished is done again.

import { replayRun } from '../../src/hosts/local/replay.ts'
import { inTime, pause } from '../conformance/async.ts'
import { violations } from '../conformance/invariants.ts'
import { repeated } from './cluster.ts'
import { programs } from './programs.ts'
import type { Workers } from './workers.ts'

export const PARTS = ['worker', 'restate', 'postgres'] as const
export type Part = (typeof PARTS)[number]

const PATIENCE_MS = 120_000
const TREE = { depth: 3, width: 4, ms: 10 } // 85 blocks

/** After all parts are back, every run goes on within this. */
const STUCK_MS = 10_000

export interface Killed {
  /** Nothing, if all is well. */
  readonly wrong: readonly string[]
  /** From the kill until all parts were back. */
  readonly downMs: number
  /** The longest that an open run did nothing after that; of a worker, after the kill. */
  readonly stuckMs: number
}

/** `name` is that of its runs. */
export async function killDuring(workers: Workers, part: Part, name: string): Promise<Killed> {
  const { host } = workers
  const ids = { tree: `${name}-tree`, asks: `${name}-asks`, pays: `${name}-pays` }
  const runs = [
    await workers.start(ids.tree, 'tree', TREE),
    await workers.start(ids.asks, 'asks'),
    await workers.start(ids.pays, 'pays', { ms: 200 }),
  ]
  const ends = Promise.all(runs.map(({ id, outcome }) => inTime(outcome, `run ${id} ends`, PATIENCE_MS)))
  ends.catch(() => {})
  await begun(workers, ids.tree, 1 + Math.floor(Math.random() * 60))
  const killedMs = Date.now()
  const back = isBack(workers, workers.kill(part, Math.floor(Math.random() * 3)))
  for (const [name, answer] of [
    ['answer', 'one'],
    ['answer-2', 'two'],
    ['answer-3', 'three'],
  ] as const)
    await accepted(() => host.signal(ids.asks, '1', name, answer))
  const [tree, asks, pays] = await ends
  const backMs = await inTime(back, 'all parts are back', PATIENCE_MS)
  // The other workers were there all the time.
  const fromMs = part === 'worker' ? killedMs : backMs
  const stuckMs = await longestPause(workers, Object.values(ids), fromMs)
  const wrong: string[] = []
  const expected = (what: string, is: string | undefined, right: RegExp) =>
    right.test(is ?? '') || wrong.push(`${what}: ${is}`)
  expected('tree', `${tree?.status} ${tree?.result}`, /^completed 85$/)
  expected('asks', `${asks?.status} ${asks?.result}`, /^completed one two three$/)
  // A write that was under way may or may not have happened: it is not done again.
  expected('pays', `${pays?.status} ${pays?.result}`, /^completed (ok|INTERRUPTED) ok$/)
  if (stuckMs > STUCK_MS) wrong.push(`stuck for ${stuckMs} ms`)
  wrong.push(...(await recorded(workers, Object.values(ids), ids.pays)))
  return { wrong, downMs: backMs - killedMs, stuckMs }
}

/** When everything that ended is there again. Workers that lost their database end as well. */
async function isBack({ cluster }: Workers, gone: ReadonlySet<number>): Promise<number> {
  const { servers, workers } = cluster
  const parts = [servers.restate, servers.postgres, ...workers]
  while (parts.some((one) => gone.has(one.pid() ?? 0) || one.pid() === undefined)) await pause(20)
  await cluster.served()
  return Date.now()
}

/** Of the runs that were open at that time. */
async function longestPause(workers: Workers, ids: readonly string[], fromMs: number): Promise<number> {
  let longestMs = 0
  for (const id of ids) {
    const times = (await workers.events(id)).map(({ ts }) => Date.parse(ts)).filter((ms) => ms > fromMs)
    for (const [i, ms] of times.entries()) longestMs = Math.max(longestMs, ms - (times[i - 1] ?? fromMs))
  }
  return longestMs
}

async function recorded(workers: Workers, ids: readonly string[], pays: string): Promise<string[]> {
  const log = workers.log()
  const wrong: string[] = []
  for (const id of ids) {
    const events = await workers.events(id)
    wrong.push(...violations(events).map((what) => `${id}: ${what}`))
    wrong.push(...repeated(events, log).map((step) => `${step} was done again`))
    const { differences } = await replayRun(events, programs(null))
    wrong.push(...differences.map(({ what }) => `${id}: replay: ${what}`))
  }
  const paid = log.filter(({ what, step }) => what === 'begin' && step === `${pays}/1/1`)
  if (paid.length > 1) wrong.push(`${pays} paid ${paid.length} times`)
  return wrong
}

/** So many steps of the run have begun. */
async function begun({ log }: Workers, run: string, count: number): Promise<void> {
  while (log().filter(({ what, step }) => what === 'begin' && step.startsWith(`${run}/`)).length < count)
    await pause(5)
}

/** While the store is down a signal is refused: whoever sends it sends it again. */
async function accepted(send: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await send()
    } catch {
      await pause(50)
    }
  }
}

// Whatever the tree, the failures, the signals and the crashes: the promises hold and nothing hangs.
//
// THINKON_PROPERTY_RUNS makes it search longer, THINKON_PROPERTY_SEED elsewhere; a failure prints the scenario.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Engine } from '../../src/engine.ts'
import { type Event, foldEvents } from '../../src/protocol/index.ts'
import { inTime } from '../conformance/async.ts'
import { violations } from '../conformance/invariants.ts'
import { memoryPlace, type Place, sqlitePlace } from '../conformance/places.ts'
import { repetitions } from '../repetitions.ts'
import { ignoreAnswered, runScenario, type Scenario, scenario } from './random-run.ts'

const RUNS = Number(process.env.THINKON_PROPERTY_RUNS ?? repetitions(500, 5_000))
const SEED = Number(process.env.THINKON_PROPERTY_SEED ?? 20_260)
const MAX_MS = RUNS <= 500 ? 60_000 : 3_600_000

async function holds(given: Scenario, place: Place): Promise<void> {
  const ran = await runScenario(given, place)
  try {
    const { events, engine, id, repeated } = ran
    expect(violations(events, { waitsForChildren: given.strategy === 'minimal' })).toEqual([])
    expect(repeated).toEqual([])
    expect(await engine.state(id)).toEqual(foldEvents(JSON.parse(JSON.stringify(events))))
    const blocks = events.filter(({ type }) => type === 'block-start').length
    expect(await engine.replay(id)).toMatchObject({ blocks, differences: [] })
  } finally {
    await ran.close()
    place.remove()
  }
}

/** Makes a fork of the ended run, and returns its id. */
type MakeFork = (engine: Engine, id: string, events: readonly Event[]) => Promise<string>

const forkAt =
  (at: number): MakeFork =>
  (engine, id, events) => {
    const last = events.findLastIndex((event) => event.type === 'block-end' && event.path === '1')
    return engine.fork(id, 1 + (at % last))
  }

const redoOf =
  (block: number): MakeFork =>
  (engine, id, events) => {
    const paths = events.flatMap((event) => (event.type === 'block-start' ? event.path : []))
    return engine.redo(id, paths[block % paths.length] as string, 'with more care')
  }

async function forksHold(given: Scenario, makeFork: MakeFork, place: Place): Promise<void> {
  const ran = await runScenario({ ...given, crashes: [] }, place)
  try {
    const { events, engine, id } = ran
    const fork = await makeFork(engine, id, events)
    const run = await engine.resume(fork)
    const answering = setInterval(() => {
      void engine.state(fork).then(({ blocks }) => {
        for (const { questions } of blocks.values()) {
          for (const { id } of questions) void run.answer('at last', { question: id }).catch(ignoreAnswered)
        }
      })
    }, 2)
    try {
      await inTime(run.outcome, 'the fork ends')
    } finally {
      clearInterval(answering)
    }
    const forked = [...(await engine.events(fork))]
    expect(violations(forked, { waitsForChildren: given.strategy === 'minimal' })).toEqual([])
    expect((await engine.replay(fork)).differences).toEqual([])
  } finally {
    await ran.close()
    place.remove()
  }
}

describe('random runs', () => {
  it(
    'keep K1, K2, K3, K6 and K8 and end, in memory',
    () =>
      fc.assert(
        fc.asyncProperty(scenario, (given) => holds(given, memoryPlace())),
        { numRuns: RUNS, seed: SEED },
      ),
    MAX_MS,
  )

  it(
    'keep K1, K2, K3, K6 and K8 and end, in SQLite',
    () =>
      fc.assert(
        fc.asyncProperty(scenario, (given) => holds(given, sqlitePlace())),
        {
          numRuns: Math.ceil(RUNS / 4),
          seed: SEED + 1,
        },
      ),
    MAX_MS,
  )

  it(
    'can be forked at any event, and the fork keeps them too',
    () =>
      fc.assert(
        fc.asyncProperty(scenario, fc.nat(200), (given, at) => forksHold(given, forkAt(at), memoryPlace())),
        { numRuns: Math.ceil(RUNS / 2), seed: SEED + 2 },
      ),
    MAX_MS,
  )

  it(
    'can have any block redone when they have ended, and the fork keeps them too',
    () =>
      fc.assert(
        fc.asyncProperty(scenario, fc.nat(200), (given, block) =>
          forksHold(given, redoOf(block), memoryPlace()),
        ),
        { numRuns: Math.ceil(RUNS / 2), seed: SEED + 3 },
      ),
    MAX_MS,
  )
})

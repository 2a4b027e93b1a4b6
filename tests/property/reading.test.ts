// Whatever a run does, and whenever somebody begins to read it: its text is its result, its order holds, and `ai` takes its message.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Outcome } from '../../src/protocol/index.ts'
import { inTime } from '../conformance/async.ts'
import { memoryPlace } from '../conformance/places.ts'
import { repetitions } from '../repetitions.ts'
import { runScenario, type Scenario, scenario } from './random-run.ts'
import { problemsOf, type Read, readRun } from './read-run.ts'

const RUNS = Number(process.env.THINKON_PROPERTY_RUNS ?? repetitions(40, 2_000))
const SEED = Number(process.env.THINKON_PROPERTY_SEED ?? 20_261)

async function holds(given: Scenario): Promise<void> {
  const place = memoryPlace()
  const reads: Promise<Read>[] = []
  const ran = await runScenario(given, place, (run) => reads.push(readRun(run)))
  try {
    const early = await inTime(Promise.all(reads), 'all readers end')
    for (const read of early) expect(await problemsOf(read)).toEqual([])
    // From the journal alone.
    const late = await inTime(readRun(await ran.engine.resume(ran.id)), 'a late reader ends')
    expect(await problemsOf(late)).toEqual([])
    expect([late.text.error, late.text.items.join('')]).toEqual([null, (late.outcome as Outcome).result])
  } finally {
    await ran.close()
    place.remove()
  }
}

it(`what people read of a run is its result, in ${RUNS} runs`, { timeout: 3_600_000 }, async () => {
  await fc.assert(fc.asyncProperty(scenario, holds), { numRuns: RUNS, seed: SEED })
})

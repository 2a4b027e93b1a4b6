// kill -9 while the inner of two strategies works, for every ordered pair: the run goes on as if nothing had been.

import { describe, expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import { type Event, isInside, type Outcome } from '../../src/protocol/index.ts'
import { violations as invariants } from '../conformance/invariants.ts'
import { PAIRS, type Pair, pairUnderTest } from '../conformance/pairs.ts'
import { countedTools, TREE } from '../conformance/tasks.ts'
import { crashAndResume, violations } from './crash.ts'

/** The child of the root that has children of its own. */
const INNER_GOAL = 'walls'

async function undisturbed(pair: Pair): Promise<{ outcome: Outcome; events: Event[] }> {
  const { name, options = {}, model } = pairUnderTest(pair)
  const engine = createEngine({ model: model(TREE), tools: countedTools().tools })
  const run = await engine.start(TREE.goal, { strategy: name, options })
  const outcome = await run.outcome
  const events = [...(await engine.events(run.id))]
  await engine.close()
  return { outcome, events }
}

/** The ends of model calls within the inner strategy's block: one in the middle of them. */
function killPoint(events: readonly Event[], inner: string): number {
  const start = events.find((event) => event.type === 'block-start' && event.goal === INNER_GOAL)
  if (start?.type !== 'block-start' || !start.strategy.startsWith(`${inner}@`))
    throw new Error(`${INNER_GOAL} is not solved by ${inner}`)
  const steps = events.filter((event) => event.type === 'model-end' && isInside(event.path, start.path))
  return (steps[Math.floor(steps.length / 2)] as Event).seq
}

describe('a strategy over another that is killed with SIGKILL while the inner one works', () => {
  it.concurrent.for(PAIRS)('K2: $outer over $inner', { timeout: 60_000 }, async (pair) => {
    const whole = await undisturbed(pair)
    const atEvent = killPoint(whole.events, pair.inner)
    const crash = await crashAndResume({ atEvent }, 'pair-program.ts', [pair.outer, pair.inner])
    expect(crash.eventsBefore).toBeGreaterThanOrEqual(atEvent)
    expect(crash.eventsBefore).toBeLessThan(whole.events.length)
    expect(violations(crash, whole)).toEqual([])
    expect(invariants(crash.events, { waitsForChildren: true })).toEqual([])
  })
})

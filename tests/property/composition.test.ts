// A strategy inside another can't overspend the run: whatever is nested in whatever, within whichever budgets.
//
// THINKON_PROPERTY_RUNS makes it search longer, THINKON_PROPERTY_SEED elsewhere; a failure prints the composition.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Event, LIMIT_NAMES, type Limits, levelOf, parentPath } from '../../src/protocol/index.ts'
import { violations } from '../conformance/invariants.ts'
import { repetitions } from '../repetitions.ts'
import { type Composed, type Composition, composition, FIVE, runComposition } from './random-composition.ts'

const RUNS = Number(process.env.THINKON_PROPERTY_RUNS ?? repetitions(500, 5_000))
const SEED = Number(process.env.THINKON_PROPERTY_SEED ?? 20_260)
const MAX_MS = RUNS <= 500 ? 90_000 : 3_600_000

/** What the compositions came to, so that the test can say that it has seen something. */
const seen = { limited: new Map<string, number>(), pairs: new Set<string>(), fallbacks: 0, completed: 0 }

async function holds(given: Composition): Promise<void> {
  const ran = await runComposition(given)
  try {
    const { events, outcome, engine, id } = ran
    expect(overspent(ran, given.limits)).toEqual([])
    expect(violations(events)).toEqual([])
    if (outcome.code === 'LIMIT') {
      expect(outcome).toMatchObject({ status: 'partial', reason: expect.stringMatching(/limit/) })
      expect(LIMIT_NAMES).toContain(outcome.limit)
    }
    expect((await engine.replay(id)).differences).toEqual([])
    note(ran)
  } finally {
    await ran.engine.close()
  }
}

/** By the run's own words, and by the sum of its steps. */
function overspent({ outcome, events }: Composed, limits: Partial<Limits>): string[] {
  const steps = events.flatMap((event) => ('usage' in event ? [event.usage] : []))
  const spent = [outcome.usage, ...steps].map(({ calls, inputTokens, outputTokens }) => ({
    calls,
    tokens: inputTokens + outputTokens,
  }))
  const [told, ...each] = spent as [(typeof spent)[number], ...typeof spent]
  const sum = each.reduce((all, one) => ({ calls: all.calls + one.calls, tokens: all.tokens + one.tokens }), {
    calls: 0,
    tokens: 0,
  })
  const deepest = Math.max(
    ...events.filter(({ type }) => type === 'model-start').map(({ path }) => levelOf(path)),
    0,
  )
  const { calls = 0, tokens = 0, depth = 0 } = limits
  return [
    ...[told, sum].flatMap((one) => [
      ...(one.calls > calls ? [`${one.calls} calls of ${calls}`] : []),
      ...(one.tokens > tokens ? [`${one.tokens} tokens of ${tokens}`] : []),
    ]),
    ...(deepest > depth ? [`a step at level ${deepest}, allowed is ${depth}`] : []),
  ]
}

function note({ events, outcome }: Composed): void {
  if (outcome.status === 'completed') seen.completed++
  if (outcome.limit !== undefined) seen.limited.set(outcome.limit, (seen.limited.get(outcome.limit) ?? 0) + 1)
  const solvers = new Map<string, string>()
  for (const event of events as Event[]) {
    if (event.type === 'note' && event.name === 'strategy-changed') seen.fallbacks++
    if (event.type !== 'block-start') continue
    const [name = ''] = event.strategy.split('@')
    solvers.set(event.path, name)
    const above = solvers.get(parentPath(event.path) ?? '')
    if (above !== undefined) seen.pairs.add(`${above} over ${name}`)
  }
}

describe('random compositions', () => {
  it(
    `spend no more tokens, calls and levels than the run has, in ${RUNS} of them`,
    async () => {
      await fc.assert(fc.asyncProperty(composition, holds), { numRuns: RUNS, seed: SEED })
      expect(seen.limited.get('tokens')).toBeGreaterThan(RUNS / 50)
      expect(seen.limited.get('calls')).toBeGreaterThan(RUNS / 50)
      expect(seen.fallbacks).toBeGreaterThan(RUNS / 50)
      expect(seen.completed).toBeGreaterThan(RUNS / 20)
      for (const outer of FIVE)
        for (const inner of FIVE) expect(seen.pairs).toContain(`${outer} over ${inner}`)
    },
    MAX_MS,
  )
})

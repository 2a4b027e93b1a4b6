// Whatever form an answer has, however it comes and whatever goes wrong: what is given out of it while it is written is the result.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import type { Outcome } from '../../src/protocol/index.ts'
import { inTime } from '../conformance/async.ts'
import { repetitions } from '../repetitions.ts'
import { type AnswerScenario, answeringModel, answerScenario, optionsOf } from './random-answer.ts'
import { problemsOf, readRun } from './read-run.ts'

const RUNS = Number(process.env.THINKON_PROPERTY_RUNS ?? repetitions(60, 3_000))
const SEED = Number(process.env.THINKON_PROPERTY_SEED ?? 20_261)

async function holds(given: AnswerScenario): Promise<void> {
  const engine = createEngine({ model: answeringModel(given) })
  try {
    const { strategy, seed } = given
    const run = await engine.start('say what you know', {
      strategy,
      options: optionsOf(given),
      seed: String(seed),
      budget: { calls: 25 },
    })
    const early = await inTime(readRun(run), 'all readers end')
    expect(await problemsOf(early)).toEqual([])
    if ('error' in early.outcome) return
    // Without a failure nothing is replaced.
    if (given.failures === 0) expect(early.text.error).toBeNull()
    const late = await inTime(readRun(await engine.resume(run.id)), 'a late reader ends')
    expect(late.text.items.join('')).toBe((early.outcome as Outcome).result)
  } finally {
    await engine.close()
  }
}

it(`an answer that is given out as it is written is the result, in ${RUNS} runs`, {
  timeout: 3_600_000,
}, async () => {
  await fc.assert(fc.asyncProperty(answerScenario, holds), { numRuns: RUNS, seed: SEED })
})

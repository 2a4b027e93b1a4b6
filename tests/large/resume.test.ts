// Who resumes a large run reads what it needs of it: the records of open blocks, and what came after the outline.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answerAt } from '../answers.ts'
import { LAST_BRANCH, type LargeRun, largeRun, RUN } from './large-run.ts'

let large: LargeRun
beforeEach(async () => {
  large = await largeRun()
}, 120_000)
afterEach(() => large.remove())

/** As many events may come after an outline. */
const TAIL = 5_000

describe('resuming a large run', () => {
  it('reads the events that it needs, once', async () => {
    const { engine, store, seq } = large
    expect(seq).toBeGreaterThan(3 * TAIL)
    const run = await engine.resume(RUN)
    expect(store.given).toBeLessThan(TAIL)
    await answerAt(run, LAST_BRANCH, 'yes')
    expect(await run.outcome).toMatchObject({
      status: 'completed',
      result: '1',
      usage: { calls: 8_000, inputTokens: 16_000, outputTokens: 8_000 },
      roles: { act: { calls: 8_000, inputTokens: 16_000, outputTokens: 8_000 } },
    })
  })

  it('reads next to nothing of one that has ended', async () => {
    const { engine, store } = large
    const run = await engine.resume(RUN)
    await answerAt(run, LAST_BRANCH, 'yes')
    const outcome = await run.outcome
    store.given = 0
    const again = await engine.resume(RUN)
    expect(await again.outcome).toEqual(outcome)
    expect(store.given).toBeLessThan(TAIL)
  })
})

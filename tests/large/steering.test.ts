// Who steers a large run reads what is open of it, not the whole journal.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { LAST_BRANCH, type LargeRun, largeRun, RUN } from './large-run.ts'

let large: LargeRun
beforeAll(async () => {
  large = await largeRun()
}, 120_000)
afterAll(() => large.remove())
beforeEach(() => {
  large.store.given = 0
})

/** As many events may come after an outline. */
const TAIL = 5_000

describe('steering a large run', () => {
  it('reads what is open', async () => {
    const { engine, store } = large
    await engine.signal(RUN, '1', 'message', 'make haste')
    expect(store.given).toBeLessThan(TAIL)
    // A message reaches the open blocks below, too, and only those.
    expect(store.pending(RUN).map(({ path }) => path)).toEqual(['1', LAST_BRANCH])
  })

  it('knows open blocks with their questions, how their children ended, and what the whole run has spent', async () => {
    const { engine, store, seq } = large
    const outline = await engine.outline(RUN)
    expect(store.given).toBeLessThan(TAIL)
    const whole = await engine.state(RUN)
    expect(outline).toEqual({ ...whole, blocks: outline.blocks })
    expect(outline).toMatchObject({ seq, status: 'waiting', openQuestions: 1, usage: { calls: 8_000 } })
    for (const path of ['1', LAST_BRANCH]) expect(outline.blocks.get(path)).toEqual(whole.blocks.get(path))
    for (const path of ['1-1', '1-99', `${LAST_BRANCH}-40`])
      expect(outline.blocks.get(path)?.outcome).toEqual(whole.blocks.get(path)?.outcome)
    expect(outline.blocks.has('1-1-1')).toBe(false)
  })
})

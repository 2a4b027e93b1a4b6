// A replay executes blocks while it reads the journal: what it holds does not grow with the run.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type LargeRun, largeRun, RUN, solved } from './large-run.ts'

let large: LargeRun
beforeAll(async () => {
  large = await largeRun()
}, 120_000)
afterAll(() => large.remove())

it('a replay has executed what it has read', async () => {
  const { engine, store, seq } = large
  solved.blocks = 0
  const behind: number[] = []
  // The journal is surveyed first, then replayed.
  store.onGiven = () => {
    const read = store.given - seq
    if (read > 0 && read % 1_000 === 0) behind.push((read / seq) * ALL_BLOCKS - solved.blocks)
  }
  expect(await engine.replay(RUN)).toMatchObject({ outcome: null, blocks: ALL_BLOCKS, differences: [] })
  expect(store.given).toBe(2 * seq)
  expect(behind).toHaveLength(Math.floor(seq / 1_000))
  expect(Math.max(...behind)).toBeLessThan(100)
})

/** The root, 100 branches and 4,000 leaves. */
const ALL_BLOCKS = 4_101

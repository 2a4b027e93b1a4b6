// The work behind `npm run bench -- overhead` and `strategies`: both sides make the calls that the figures are divided by.
import { expect, it } from 'vitest'
import { MODELS, SHAPES, type Shape, STRATEGIES, UNLIMITED } from '../../bench/overhead-work.ts'
import { run } from '../../bench/strategies.ts'
import { createEngine } from '../../src/index.ts'

it.each([
  ['linear', 200],
  ['tree', 341],
  ['chain', 766],
] as const)('%s makes %i calls, by hand and with Thinkon', async (shape: Shape, calls) => {
  const { strategy, byHand, calls: counted } = SHAPES[shape]
  expect(counted).toBe(calls)
  let recorded = 0
  await byHand({ model: MODELS.unread, record: () => recorded++ })
  expect(recorded).toBe(calls)
  const engine = createEngine({ model: MODELS.reading, strategies: STRATEGIES })
  const run = await engine.start('bench', { strategy, budget: UNLIMITED })
  expect(await run.outcome).toMatchObject({ status: 'completed', usage: { calls } })
  await engine.close()
})

it('compares every strategy with the minimal one', async () => {
  const small = {
    goal: 600,
    result: 600,
    subGoals: 2,
    iterations: 3,
    thoughts: 3,
    steps: 3,
    hypotheses: 3,
    depth: 2,
  }
  const { figures, lines } = await run(small, 1)
  expect(Object.keys(figures.ratio as object)).toEqual(['fractal', 'planner', 'tot', 'cot', 'dual'])
  for (const value of Object.values(figures.ratio as object)) expect(value).toBeGreaterThan(0)
  expect(lines).toHaveLength(6)
})

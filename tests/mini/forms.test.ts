/** Each strategy on embedded:mini, with a language model that has learned everything: the forms around its answers. */
import { describe, expect, it } from 'vitest'
import { createEngine, type StartOptions, type Tool } from '../../src/index.ts'
import { calculateTool } from '../../src/tools/builtin/calculate.ts'
import { shippedMini } from './shipped-mini.ts'
import { taughtModel } from './taught-model.ts'
import { read, WORD_PROBLEMS } from './word-problems.ts'

const STRATEGIES = ['fractal', 'cot', 'tot', 'planner', 'dual', 'best-of', 'minimal', 'auto'] as const

async function solve(goal: string, options: StartOptions, tools: readonly Tool[] = []) {
  const model = taughtModel({ words: WORD_PROBLEMS })
  const engine = createEngine({ model: shippedMini(model), tools: [...tools] })
  try {
    const run = await engine.start(goal, options)
    const outcome = await run.outcome
    const events = [...(await engine.events(run.id))]
    return { outcome, events, prompts: model.prompts }
  } finally {
    await engine.close()
  }
}

describe.each(STRATEGIES)('%s', (strategy) => {
  it.each([
    ['Compute ((3+4)*(8-6)-5)*(2+7)', '= 81'],
    ['计算 ((3+4)*(8-6))-5', '(3 + 4) × (8 - 6) - 5 = 9'],
    ['compute -(2+3)*4', '= -20'],
    ['compute 1/3 + 1/6', '= 0.5'],
    ['compute 3+4*2 and 5*6', '3 + 4 × 2 = 11'],
    ['计算 3+4*2 和 5*6', '5 × 6 = 30'],
    ['Make 24 from 4, 9, 10 and 13', '= 24'],
    ['用 4、9、10、13 算出 24', '= 24'],
    ['Make 30 from 5, 5 and 1', '= 30'],
    ['Ann has 3 pens, buys 4 and gives away 2. How many are left?', '3 + 4 - 2 = 5'],
    ['小明有3个苹果，买了4个，送出2个，还剩几个？', '3 + 4 - 2 = 5'],
  ])('%s', async (goal, result) => {
    const { outcome, prompts } = await solve(goal, { strategy })
    expect(outcome, prompts.join('\n')).toMatchObject({
      status: 'completed',
      result: expect.stringContaining(result),
    })
    expect(outcome.usage.inputTokens).toBeGreaterThan(0)
    expect(outcome.usage.costUsd).toBe(0)
  })
})

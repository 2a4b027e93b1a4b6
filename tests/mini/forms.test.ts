/** Each strategy on embedded:mini, with a language model that has learned everything: the forms around its answers. */
import { describe, expect, it } from 'vitest'
import { createEngine, type StartOptions, type Tool } from '../../src/index.ts'
import { calculateTool } from '../../src/tools/builtin/calculate.ts'
import { shippedMini } from './shipped-mini.ts'
import { taughtModel } from './taught-model.ts'
import { WORD_PROBLEMS } from './word-problems.ts'

const STRATEGIES = ['fractal', 'cot', 'tot', 'planner', 'dual', 'best-of', 'minimal', 'auto'] as const

type Options = Omit<StartOptions, 'output'> & { readonly output?: Record<string, unknown> }

async function solve(goal: string, options: Options, tools: readonly Tool[] = []) {
  const model = taughtModel({ words: WORD_PROBLEMS })
  const engine = createEngine({ model: shippedMini(model), tools: [...tools] })
  try {
    const run = await engine.start(goal, { seed: '1', ...options })
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

describe('with tools', () => {
  function writer(files: unknown[]): Tool {
    return {
      name: 'write_file',
      description: 'Writes a file.',
      access: 'write',
      run: async (input) => ({ files: files.push(input) }),
    }
  }

  it.each(['fractal', 'minimal', 'dual'])(
    '%s writes what the model has found to the file',
    async (strategy) => {
      const files: unknown[] = []
      const one = await solve('compute ((3+4)*(8-6))-5 and write the result to a.txt', { strategy }, [
        writer(files),
      ])
      const two = await solve('计算 3+4 和 5*6 并写入 b.md', { strategy }, [writer(files)])
      expect(one.outcome.result).toContain('written to a.txt')
      expect(two.outcome.result).toContain('已写入 b.md')
      expect(files).toEqual([
        { path: 'a.txt', content: '9\n' },
        { path: 'b.md', content: '- 3 + 4 = 7\n- 5 × 6 = 30\n' },
      ])
    },
  )

  it.each(['fractal', 'minimal', 'dual'])('%s says that it could not write', async (strategy) => {
    const { outcome } = await solve('compute 3+4 and write it to a.txt', { strategy })
    expect(outcome.result).toContain('not written to a.txt')
  })

  it.each(['minimal', 'dual'])(
    '%s takes what the calculator says, whatever the model thinks',
    async (strategy) => {
      const model = taughtModel({ errs: (prompt) => (prompt.startsWith('D') ? 'wrong' : undefined) })
      const engine = createEngine({ model: shippedMini(model), tools: [calculateTool()] })
      const run = await engine.start('Compute ((3+4)*(8-6)-5)*(2+7)', { strategy })
      expect(await run.outcome).toMatchObject({
        status: 'completed',
        result: expect.stringMatching(/ = 81$/),
      })
      await engine.close()
      expect(model.prompts).toContain('U|c||>')
    },
  )
})

describe('a result as a value', () => {
  const number = { type: 'number' }
  it.each<[goal: string, output: Record<string, unknown>, value: unknown]>([
    ['2+3*4', number, 14],
    ['compute 3+4 and 5*6', { type: 'array', items: number }, [7, 30]],
    [
      'Make 24 from 4, 9, 10 and 13',
      { type: 'object', properties: { expression: { type: 'string' } }, required: ['expression'] },
      { expression: '(10 - 4) × (13 - 9)' },
    ],
  ])('%s', async (goal, output, value) => {
    const { outcome } = await solve(goal, { strategy: 'minimal', output })
    expect(outcome).toMatchObject({ status: 'completed', value })
  })

  it('is the result that was told, right or wrong, and not another try', async () => {
    const model = taughtModel({ errs: () => 'wrong' })
    const engine = createEngine({ model: shippedMini(model) })
    const run = await engine.start('12*3+4', { strategy: 'fractal', output: number })
    const { result, value } = await run.outcome
    await engine.close()
    expect(result).toBe(`12 × 3 + 4 = ${value}`)
    expect(value).not.toBe(40)
  })
})

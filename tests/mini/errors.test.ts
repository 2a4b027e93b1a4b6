/** Each strategy on embedded:mini, with a language model that errs: it ends, and nobody has put its errors right in secret. */
import { describe, expect, it } from 'vitest'
import { createEngine, type StartOptions } from '../../src/index.ts'
import { shippedMini } from './shipped-mini.ts'
import { type Mistake, type Taught, taughtModel } from './taught-model.ts'
import { WORD_PROBLEMS } from './word-problems.ts'

const STRATEGIES = ['fractal', 'cot', 'tot', 'planner', 'dual', 'best-of', 'minimal'] as const
const ERRORS: readonly Mistake[] = ['wrong', 'garbage', 'nothing', 'endless', 'illegal']
const EXPRESSION = 'Compute ((3+4)*(8-6)-5)*(2+7)'
const PUZZLE = 'Make 24 from 4, 9, 10 and 13'
const WORDS = 'Ann has 3 pens, buys 4 and gives away 2. How many are left?'

async function solve(goal: string, options: StartOptions, taught: Taught) {
  const engine = createEngine({ model: shippedMini(taughtModel({ words: WORD_PROBLEMS, ...taught })) })
  try {
    const run = await engine.start(goal, { seed: '1', ...options })
    return await run.outcome
  } finally {
    await engine.close()
  }
}

describe.each(STRATEGIES)('%s', (strategy) => {
  describe.each(ERRORS)('on a model that always says what is %s', (error) => {
    it.each([
      [EXPRESSION, '= 81'],
      ['compute 12*3 and 5*6', '= 30'],
      [WORDS, '= 5'],
    ])('%s is not solved by anybody else', async (goal, right) => {
      const { status, code, result } = await solve(goal, { strategy }, { errs: () => error })
      expect(['completed', 'partial', 'failed']).toContain(status)
      expect(code).not.toBe('INTERNAL')
      expect(result).not.toContain(right)
    })

    it(`${PUZZLE}: ends, and if a program could look, not as completed`, async () => {
      const { status, code, result } = await solve(PUZZLE, { strategy }, { errs: () => error })
      expect(code).not.toBe('INTERNAL')
      if (strategy === 'tot' || strategy === 'best-of') expect(status, result).not.toBe('completed')
    })
  })

  it('ends, whatever a model says that errs now and then', async () => {
    const errs: Taught['errs'] = (_, random) =>
      random() < 0.3 ? ERRORS[Math.floor(random() * ERRORS.length)] : undefined
    for (let i = 0; i < 10; i++) {
      const goal = [EXPRESSION, PUZZLE, '计算 12*3 和 5*6', WORDS][i % 4] as string
      const { status, code } = await solve(goal, { strategy, seed: `${i}` }, { errs })
      expect(['completed', 'partial', 'failed']).toContain(status)
      expect(code).not.toBe('INTERNAL')
    }
  })
})

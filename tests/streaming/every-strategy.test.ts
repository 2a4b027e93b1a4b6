/** In every strategy, whatever ends the run: what `run.text` gives is the result, and `run.thoughts` is readable. */
import { describe, expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import type { Model } from '../../src/kernel/model.ts'
import { shippedAbacus } from '../abacus.ts'
import { all } from './order.ts'

/** The embedded program, writing its replies piece by piece. */
function writing(): Model {
  const abacus = shippedAbacus()
  return {
    id: 'writing',
    async call(request, io) {
      const reply = await abacus.call(request, io)
      for (const piece of reply.text.match(/.{1,9}/gs) ?? []) io.onDelta(piece)
      return reply
    },
  }
}

const STRATEGIES = ['auto', 'minimal', 'fractal', 'cot', 'tot', 'dual', 'planner']
const GOALS = ['What is (3 + 4) * 12 - 5?', 'Use 4 9 10 13 to make 24', '计算 (3 + 4) × 12']

describe.each(STRATEGIES)('%s', (strategy) => {
  it.each([
    ['to its end', {}],
    ['without a check', { options: { check: 'never' } }],
    ['to a limit', { budget: { calls: 2 } }],
    ['to a smaller limit', { budget: { calls: 1 } }],
  ])('%s', async (_, given) => {
    const engine = createEngine({ model: writing() })
    for (const goal of GOALS) {
      const options = strategy === 'minimal' ? {} : given
      const run = await engine.start(goal, { strategy, ...options })
      const [texts, steps, { result }] = await Promise.all([all(run.text), all(run.thoughts), run.outcome])
      expect(texts.join('')).toBe(result)
      expect((await all(run.text)).join('')).toBe(result)
      expect(steps.at(-1)).toMatchObject({ kind: 'result', path: '1', text: result })
      for (const { kind, text } of steps)
        if (kind === 'thought')
          expect(text).not.toMatch(/^\s*(?:\{|\[\s*[{["\d])|^(?:current_thinking|planning):/m)
    }
    await engine.close()
  })
})

import { expect, it } from 'vitest'
import { DONE, type Input } from '../../../tests/cot/solve-cot.ts'
import { repetitions } from '../../../tests/repetitions.ts'
import { createEngine } from '../../index.ts'
import { estimateTokens } from '../../kernel/budget.ts'
import { type ModelRequest, messageText } from '../../protocol/index.ts'
import { ScriptedModel } from '../../testing/index.ts'
import { MAX_PROMPT_TOKENS } from './prompts.ts'
import type { PlanStep } from './schema.ts'

it('a prompt of cot is bounded: many long thoughts on large plans, three levels down, in Chinese', async () => {
  const long = (n: number | string) => `${n}${'很长的思考。'.repeat(750)}`
  const model = new ScriptedModel(({ kind, input }: ModelRequest) => {
    if (kind === 'minimal/next') return { do: 'return', result: long(Math.random()) }
    const { problem, thought_number: n, isFirst, told } = input as Input
    const level = Number(problem[0])
    if (level < 3 && isFirst) {
      const below: PlanStep = { description: long(level + 1), status: 'Pending', strategy: 'cot' }
      return { current_thinking: long(n), planning: [below], next_thought_needed: true }
    }
    if (level < 3) return { current_thinking: long(n), planning: [DONE], next_thought_needed: false }
    if (n % 20 === 0 && told === undefined) return long('x')
    return {
      evaluation: long(n),
      current_thinking: long(n),
      planning: largePlan(n),
      next_thought_needed: true,
    }
  })
  const maxThoughts = repetitions(80, 200)
  const engine = createEngine({ model })
  const run = await engine.start(long(1), {
    strategy: 'cot',
    options: { maxThoughts },
    budget: { tokens: 1e9, calls: 10_000 },
  })
  await run.outcome
  await engine.close()
  const thoughts = model.calls.filter(({ kind }) => kind === 'cot/think')
  expect(Math.max(...thoughts.map(({ input }) => (input as Input).thought_number))).toBe(maxThoughts)
  const sizes = thoughts.map(({ messages }) =>
    messages.reduce((sum, message) => sum + estimateTokens(messageText(message)), 0),
  )
  expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_PROMPT_TOKENS)
  // The bound is not far from what there can be.
  expect(Math.max(...sizes)).toBeGreaterThan(MAX_PROMPT_TOKENS * 0.7)
}, 60_000)

/** As many steps as a plan may have; every fourth plan has one for another strategy. */
function largePlan(n: number): PlanStep[] {
  const planning = Array.from({ length: 59 }, (_, i): PlanStep => {
    const description = `${i}${'步骤'.repeat(50)}`
    return i % 5 === 0
      ? { description, status: 'Verification Needed', mark: '原因'.repeat(80) }
      : { description, status: 'Done', result: `${n}${'结果'.repeat(80)}` }
  })
  if (n % 4 !== 0) return planning
  const delegated: PlanStep = {
    description: `${n}${'别人'.repeat(100)}`,
    status: 'Pending',
    strategy: 'minimal',
  }
  return [delegated, ...planning.filter((_, i) => i % 5 !== 0)]
}

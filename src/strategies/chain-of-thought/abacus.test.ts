import { describe, expect, it } from 'vitest'
import { shippedAbacus } from '../../../tests/abacus.ts'
import { repetitions } from '../../../tests/repetitions.ts'
import { countOperations, type Expression, evaluate, formatExpression } from '../../arithmetic/expression.ts'
import { randomExpression } from '../../arithmetic/random-expression.ts'
import { ArithmeticError, formatRational } from '../../arithmetic/rational.ts'
import { createEngine, type StartOptions } from '../../index.ts'
import { seededRandom } from '../../kernel/random.ts'
import type { ModelRequest } from '../../protocol/index.ts'

interface Thought {
  evaluation?: string
  current_thinking: string
  planning: { description: string; status: string; result?: string; sub_steps?: unknown }[]
  next_thought_needed: boolean
}

async function solve(goal: string, options: StartOptions = {}) {
  const engine = createEngine({ model: shippedAbacus() })
  const run = await engine.start(goal, { strategy: 'cot', ...options })
  const outcome = await run.outcome
  const events = [...(await engine.events(run.id))]
  await engine.close()
  const notes = events.filter((event) => event.type === 'note')
  const thoughts = notes.flatMap(({ name, data }) => (name === 'cot/thought' ? [data as Thought] : []))
  return { outcome, thoughts, names: notes.map(({ name }) => name) }
}

describe('the abacus in a chain of thought', () => {
  it('plans the operations, does one in each thought and what it finishes, checks the one before, and concludes', async () => {
    const { outcome, thoughts, names } = await solve('((3+4)*(8-6))-5')
    expect(outcome).toMatchObject({ status: 'completed', result: '(3 + 4) × (8 - 6) - 5 = 9' })
    expect(new Set(names)).toEqual(new Set(['cot/thought']))
    expect(thoughts.map(({ current_thinking }) => current_thinking)).toEqual([
      'This can be worked out exactly, in 4 steps, the innermost first.',
      '3 + 4 = 7',
      '8 - 6 = 2; (3 + 4) × (8 - 6) = 7 × 2 = 14',
      '(3 + 4) × (8 - 6) - 5 = 14 - 5 = 9',
      '(3 + 4) × (8 - 6) - 5 = 9',
    ])
    expect(thoughts.map(({ evaluation }) => evaluation)).toEqual([
      undefined,
      'The plan covers the whole problem.',
      'Computed again: 3 + 4 = 7. It holds.',
      'Computed again: 8 - 6 = 2 and (3 + 4) × (8 - 6) = 14. It holds.',
      'Computed again: (3 + 4) × (8 - 6) - 5 = 9. It holds.',
    ])
    expect(thoughts[2]?.planning).toEqual([
      {
        description: 'compute (3 + 4) × (8 - 6)',
        status: 'Done',
        result: '(3 + 4) × (8 - 6) = 14',
        sub_steps: [
          { description: 'compute 3 + 4', status: 'Done', result: '3 + 4 = 7' },
          { description: 'compute 8 - 6', status: 'Done', result: '8 - 6 = 2' },
        ],
      },
      { description: 'compute (3 + 4) × (8 - 6) - 5', status: 'Pending' },
    ])
  })

  it('works out random expressions, every result right, none refused, however long they are', async () => {
    const random = seededRandom('cot')
    const times = repetitions(60, 200)
    let long = 0
    for (let i = 0; i < times; i++) {
      const expression = randomExpression(random, 1 + (i % 6))
      const { outcome, names } = await solve(
        `${i % 2 === 0 ? 'compute' : '计算'} ${formatExpression(expression)}`,
      )
      if (countOperations(expression) > 19) long++
      expect(new Set(names)).toEqual(new Set(['cot/thought']))
      expect(outcome.status).toBe('completed')
      expect(outcome.result).toMatch(ending(expression))
    }
    expect(long).toBeGreaterThan(times / 20)
  }, 60_000)

  it('uses fewer thoughts where fewer are allowed', async () => {
    for (const maxThoughts of [2, 3, 4]) {
      const { outcome, thoughts } = await solve('((3+4)*(8-6))-5', { options: { maxThoughts } })
      expect(outcome).toMatchObject({ status: 'completed', result: '(3 + 4) × (8 - 6) - 5 = 9' })
      expect(thoughts).toHaveLength(maxThoughts)
    }
  })

  it('finds a way to the target and verifies it, or says that there is none', async () => {
    const found = await solve('Make 24 from 4, 9, 10 and 13')
    expect(found.outcome).toMatchObject({ status: 'completed', result: expect.stringMatching(/ = 24$/) })
    expect(found.thoughts.at(-1)?.planning.map(({ status }) => status)).toEqual(['Done', 'Done'])
    const none = await solve('用 1、1、1、1 算出 24')
    expect(none.outcome.result).toContain('已试过所有可能')
    expect(none.thoughts.at(-1)?.planning).toHaveLength(1)
  })

  it('says what has no value, and what it can not write', async () => {
    expect((await solve('compute 1/0 + 2')).outcome.result).toContain('division by zero')
    const written = await solve('compute 1/3 + 1/6 and write the result to result.txt')
    expect(written.outcome.result).toContain('not written to result.txt')
  })

  it('finds an error that somebody else left in the plan, and opens what rests on it again', async () => {
    const plan = [
      {
        description: 'compute (3 + 4) × 2',
        status: 'Done',
        result: '16',
        sub_steps: [{ description: 'compute 3 + 4', status: 'Done', result: '3 + 4 = 8' }],
      },
      { description: 'compute (3 + 4) × 2 - 5', status: 'Pending' },
    ]
    const found = await think('(3+4)*2-5', plan)
    expect(found.evaluation).toContain('"3 + 4 = 8" does not hold: 3 + 4 = 7')
    expect(found).toMatchObject({
      next_thought_needed: true,
      planning: [
        {
          status: 'Verification Needed',
          sub_steps: [{ status: 'Verification Needed', mark: expect.stringContaining('3 + 4 = 7') }],
        },
        { status: 'Pending' },
      ],
    })
    const corrected = await think('(3+4)*2-5', found.planning)
    expect(corrected.planning[0]?.sub_steps).toEqual([
      { description: 'compute 3 + 4', status: 'Done', result: '3 + 4 = 7' },
    ])
  })
})

async function think(problem: string, plan: unknown): Promise<Thought> {
  const input = { problem, plan, thoughts: [], thoughtsLeft: 10 }
  const request: ModelRequest = { kind: 'cot/think', version: 1, role: 'act', messages: [], input }
  const reply = await shippedAbacus().call(request, {
    path: '1',
    n: 1,
    signal: new AbortController().signal,
    onDelta() {},
    part: async (run) => (await run()).value,
  })
  return reply.value as Thought
}

/** How a result must end: with the value, or with why there is none. */
function ending(expression: Expression): RegExp {
  try {
    return new RegExp(` = ${formatRational(evaluate(expression)).replace('.', '\\.')}$`)
  } catch (thrown) {
    if (thrown instanceof ArithmeticError) return /: (?:division by zero|除数为零)$/
    throw thrown
  }
}

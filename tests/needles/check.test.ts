import { describe, expect, it } from 'vitest'
import {
  expectBound,
  expectNothingLeftOut,
  expectSameAfterCrash,
  expectWhole,
  GOAL_CHARS,
  long,
  type Script,
  solve,
} from './needles.ts'

const RESULT = long('result', 9_000)
const PARTS = ['first', 'second', 'third']

/** Plans, has three parts made, returns a long result that comes back, and returns another. */
const script: Script = ({ kind, input, messages }) => {
  const { goal, done = [] } = input as { goal: string; done?: string[] }
  if (kind === 'check/result') return { problems: [`Section 2 lacks ${long('problem', 200)}`], fits: false }
  if (kind === 'fractal/think') {
    const part = PARTS.find((name) => goal === `make the ${name} part`)
    return part === undefined
      ? { type: 'TODO', description: 'three parts' }
      : { type: 'RETURN', description: long(`${part} part`) }
  }
  if (done.length < PARTS.length) return { type: 'CALL', description: `make the ${PARTS[done.length]} part` }
  const isBack = JSON.stringify(messages).includes('comes back once')
  return { type: 'RETURN', description: isBack ? 'the second result' : RESULT }
}

describe('check/result', () => {
  const given = { goal: long('goal', GOAL_CHARS), strategy: 'fractal', script }

  it('has the goal, the result and what it was made from, from the first to the last character', async () => {
    const ran = await solve(given)
    const checks = ran.of('check/result')
    expect(checks).toHaveLength(1)
    expectWhole(checks[0], {
      goal: given.goal,
      result: RESULT,
      ...Object.fromEntries(PARTS.map((name) => [name, long(`${name} part`)])),
    })
    expectNothingLeftOut(checks)
  })

  it('with little room keeps the goal and the result whole', async () => {
    const checks = (await solve({ ...given, promptTokens: 5_500 })).of('check/result')
    expectWhole(checks[0], { goal: given.goal, result: RESULT })
    expectBound(checks, 5_500)
  })

  it('sends back with the whole result and all that is wrong in view', async () => {
    const ran = await solve(given)
    expect(ran.outcome.result).toBe('the second result')
    expectWhole(ran.of('fractal/eval').at(-1), {
      goal: given.goal,
      result: RESULT,
      problem: long('problem', 200),
      ...Object.fromEntries(PARTS.map((name) => [name, long(`${name} part`)])),
    })
  })

  it('has the conversation of Think grow by its result and what is wrong with it', async () => {
    const thinks = (
      await solve({
        ...given,
        script: ({ kind, messages }) => {
          if (kind === 'check/result') return { problems: [long('problem', 200)], fits: false }
          const isBack = JSON.stringify(messages).includes('comes back once')
          return { type: 'RETURN', description: isBack ? 'the second' : RESULT }
        },
      })
    ).of('fractal/think')
    expect(thinks).toHaveLength(2)
    expectWhole(thinks[1], { goal: given.goal, problem: long('problem', 200) })
  })

  it('killed after any event makes the same requests', () => expectSameAfterCrash(given), 120_000)
})

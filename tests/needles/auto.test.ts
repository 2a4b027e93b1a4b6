import { describe, expect, it } from 'vitest'
import { reply } from '../../src/testing/index.ts'
import { fileText, readFile } from './fractal-world.ts'
import {
  expectBound,
  expectNeedles,
  expectNothingLeftOut,
  expectReadable,
  expectSameAfterCrash,
  expectWhole,
  type Given,
  GOAL_CHARS,
  long,
  type Script,
  solve,
  textOf,
} from './needles.ts'

const script: Script = ({ kind, input }) => {
  if (kind === 'auto/classify') return { needs: ['files'], strategy: 'fractal', reason: 'a file' }
  const { seen = [] } = input as { seen?: readonly unknown[] }
  if (seen.length > 0) return { type: 'RETURN', description: 'read' }
  return reply('', { toolCalls: [{ id: 'a', name: 'read_file', input: { path: 'a' } }] })
}

function given(goal: string, more: Partial<Given> = {}): Given {
  return { goal, strategy: 'auto', options: { check: 'never' }, tools: [readFile], script, ...more }
}

describe('auto', () => {
  it('classifies by the whole goal and the names of the tools, and hands the goal on whole, once', async () => {
    const goal = long('goal', GOAL_CHARS)
    const ran = await solve(given(goal))
    const [classify] = ran.of('auto/classify')
    expectWhole(classify, { goal })
    expect(textOf(classify as never)).toContain('read_file')
    const thinks = ran.of('fractal/think')
    expect(thinks).toHaveLength(2)
    for (const request of thinks) expect(textOf(request).split(goal).length - 1).toBe(1)
    expectWhole(thinks.at(-1), { file: fileText('a') })
    expectNothingLeftOut(ran.sent.map(({ request }) => request))
  })

  it('of a goal of more than 4,000 tokens the classification sees beginning and end, who works on it all', async () => {
    const goal = long('goal', 40_000)
    const ran = await solve(given(goal))
    const [classify] = ran.of('auto/classify')
    expect(textOf(classify as never)).toContain(goal.slice(0, 2_000))
    expectNeedles(classify, ['goal'])
    expectBound([classify as never], 5_500)
    for (const request of ran.of('fractal/think')) expectWhole(request, { goal })
  })

  it('with little room the goal is whole all the same, and what was left out can be read', async () => {
    const goal = long('goal', GOAL_CHARS)
    const ran = await solve(given(goal, { promptTokens: 2_000 }))
    for (const { request } of ran.sent) expectWhole(request, { goal })
    expectReadable(ran)
  })

  it('killed after any event makes the same requests', async () => {
    await expectSameAfterCrash(given(long('goal', GOAL_CHARS)))
  })
})

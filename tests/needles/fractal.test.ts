import { describe, expect, it } from 'vitest'
import { reply } from '../../src/testing/index.ts'
import {
  expectBound,
  expectGrowing,
  expectNothingLeftOut,
  expectReadable,
  expectSameAfterCrash,
  expectWhole,
  GOAL_CHARS,
  long,
  type Script,
  solve,
} from './needles.ts'

const FILES = ['a', 'b', 'c', 'd', 'e']
const file = (path: string) => long(`file ${path}`)
const readFile = {
  name: 'read_file',
  description: 'reads a file',
  access: 'read' as const,
  run: async (input: unknown) => file((input as { path: string }).path),
}

describe('fractal/think', () => {
  const script: Script = ({ input }) => {
    const { seen } = input as { seen: unknown[] }
    const path = FILES[seen.length]
    if (path === undefined) return { type: 'RETURN', description: 'ok' }
    return reply('', { toolCalls: [{ id: `call ${path}`, name: 'read_file', input: { path } }] })
  }
  const given = {
    goal: long('goal', GOAL_CHARS),
    strategy: 'fractal',
    options: { check: 'never' },
    script,
    tools: [readFile],
  }

  it('has all five files that it read, and its goal, from the first to the last character', async () => {
    const ran = await solve(given)
    const thinks = ran.of('fractal/think')
    expect(thinks).toHaveLength(6)
    expectWhole(thinks.at(-1), {
      goal: given.goal,
      ...Object.fromEntries(FILES.map((path) => [path, file(path)])),
    })
    expectGrowing(thinks)
    expectNothingLeftOut(thinks)
  })

  it('with little room keeps its goal whole and says where the rest can be read', async () => {
    const ran = await solve({ ...given, promptTokens: 4_000 })
    const thinks = ran.of('fractal/think')
    expectWhole(thinks.at(-1), { goal: given.goal, e: file('e') })
    expectBound(thinks, 4_000)
    expectReadable(ran)
  })

  it('killed after any event makes the same requests', async () => {
    await expectSameAfterCrash({ ...given, promptTokens: 4_000 })
  })
})

import { describe, expect, it } from 'vitest'
import type { KnownTool } from '../../protocol/index.ts'
import { canAct, needsOf } from './needs.ts'

describe('what a goal needs', () => {
  it.each<[goal: string, ...needs: string[]]>([
    ['How many rows does sales.csv have?', 'files'],
    ['会议记录.docx 里说了什么？', 'files'],
    ['Which functions in lib/ are unused?', 'files'],
    ['Do the unit tests pass?', 'commands'],
    ['单元测试都能通过吗？', 'commands'],
    ['Run `make check` and tell me what it says', 'commands'],
    ['Why is the nightly build so slow?', 'commands'],
    ['Debug the parser', 'commands'],
    ['What does https://example.com say?', 'network'],
    ['今天北京的天气怎么样？', 'network'],
    ['Download the list and save it as list.json', 'files', 'network'],
  ])('%s → %s', (goal, ...needs) => {
    expect(needsOf(goal)).toEqual(needs)
  })

  it.each([
    'What is a package.json?',
    'How do I install Docker on Ubuntu?',
    'package.json 和 package-lock.json 有什么区别？',
    '怎么运行 npm 脚本？',
    'Is Node.js faster than Deno?',
    'Why did the Roman Republic fail?',
    'Why do bridges fail?',
    'Run me through the causes of the First World War',
    'What is the price of freedom?',
  ])('nothing: %s', (goal) => {
    expect(needsOf(goal)).toEqual([])
  })

  it('is said by the words around what is pasted, not by what is pasted', () => {
    const code = "```py\nprint(open('data.csv').read())\n```"
    expect(needsOf(`Is this function well named?\n${code}`)).toEqual([])
    expect(needsOf(`Compare it with other.py:\n${code}`)).toEqual(['files'])
  })

  it('is seen at the end of a long goal, too', () => {
    expect(needsOf(`${'A long story. '.repeat(2_000)}Now run the tests.`)).toEqual(['commands'])
  })
})

it('a run can act with any tool but those that show only the conversation', () => {
  const tool = (name: string, more: Partial<KnownTool> = {}): KnownTool => ({
    name,
    description: name,
    access: 'read',
    schema: {},
    ...more,
  })
  const executor = { id: 'x', description: '', guarantees: [], limits: [], side_effects: [] }
  expect(canAct([], [])).toBe(false)
  expect(
    canAct(
      ['calculate', 'ask_user', 'read_result'].map((name) => tool(name)),
      [tool('memory')],
    ),
  ).toBe(false)
  expect(canAct([tool('look')], [])).toBe(true)
  expect(canAct([], [tool('executor__x', { executor })])).toBe(true)
})

import { describe, expect, it } from 'vitest'
import type { Goal } from '../../protocol/index.ts'
import { byClassification, byRule, factsOf } from './rules.ts'
import { type Classification, SIZES, TASK_KINDS } from './schema.ts'

const chosen = (goal: Goal, hasTools = false) => {
  const rule = byRule(factsOf(goal, hasTools))
  return rule === null ? null : `${rule.rule} ${rule.strategy}`
}

describe('a rule decides', () => {
  it.each<[goal: string, choice: string]>([
    ['((3+4)*(8-6))-5', 'expression cot'],
    ['compute 1/3 + 1/6', 'expression cot'],
    ['计算 (3+4)*2', 'expression cot'],
    ['Make 24 from 4, 9, 10 and 13', 'puzzle tot'],
    ['用 4、9、10、13 算出 24', 'puzzle tot'],
    ['compute 1/3 + 1/6 and write the result to result.txt', 'written fractal'],
    ['计算 (3+4)*2 并写入 z.txt', 'written fractal'],
    ['Make 24 from 4, 9, 10 and 13 and write it to r.txt', 'written fractal'],
    ['Find the root cause of the failing checkout', 'diagnosis tot'],
    ['Why does the login page crash after a minute', 'diagnosis tot'],
    ['排查 CI 失败的原因', 'diagnosis tot'],
    ['定位登录页报错', 'diagnosis tot'],
    ['A slogan for a bakery', 'alternatives tot'],
    ['Give me three names, the best of ideas, for a cat', 'alternatives tot'],
    ['为咖啡店想一个口号', 'alternatives tot'],
    ['给产品起名', 'alternatives tot'],
    ['Write a short essay on AI and art', 'long-text fractal'],
    ['An essay on AI and art', 'long-text fractal'],
    ['写一篇关于人工智能与艺术的文章', 'long-text fractal'],
    ['What is the capital of Peru', 'question cot'],
    ['How many primes are below 100?', 'question cot'],
    ['Prove that the square root of 2 is irrational', 'question cot'],
    ['证明根号二是无理数', 'question cot'],
    ['天空为什么是蓝的？', 'question cot'],
  ])('%s → %s', (goal, choice) => {
    expect(chosen(goal)).toBe(choice)
  })

  it('by whether there is something to act with', () => {
    for (const goal of ['Find the root cause of the failing checkout', '查明构建变慢的根因'])
      expect([chosen(goal, true), chosen(goal)]).toEqual(['investigation planner', 'diagnosis tot'])
  })

  it('that a goal in four parts is for the planner, whatever it says', () => {
    const goal = { intent: '3+4', deliverable: 'a number', metric: 'exact', constraint: 'none' }
    expect(chosen(goal)).toBe('core4 planner')
  })

  it('with options where its strategy needs them, and with a reason', () => {
    expect(byRule(factsOf('Make 24 from 4, 9, 10 and 13', false))).toEqual({
      rule: 'puzzle',
      strategy: 'tot',
      options: { task_type: 'math_reasoning' },
      reason: expect.stringContaining('puzzle'),
    })
    expect(byRule(factsOf('Debug the parser', false))?.options).toEqual({ task_type: 'debugging' })
    expect(byRule(factsOf('A tagline for a zoo', false))?.options).toEqual({ task_type: 'creative_writing' })
  })

  it.each([
    'Rewrite the parser so that it is fast',
    'Is there a license file in this repository?',
    'Fix the headline component in src/app, in the files that use it',
    'Implement the user story in the backlog',
    `What ${'really '.repeat(40)}matters?`,
    '安装依赖并运行测试',
    '仓库里有几个文件？',
  ])('nothing where it is not sure: %s', (goal) => {
    expect(chosen(goal, true)).toBeNull()
  })
})

describe('a classification', () => {
  const of = (kind: Classification['kind'], more: Partial<Classification> = {}): Classification => ({
    kind,
    needs_tools: false,
    checkable: false,
    size: 'medium',
    ...more,
  })

  it.each<[said: Classification, hasTools: boolean, strategy: string, options?: object]>([
    [of('question'), true, 'cot'],
    [of('puzzle', { checkable: true }), false, 'tot'],
    [of('puzzle'), false, 'cot'],
    [of('alternatives'), true, 'tot'],
    [of('writing'), false, 'fractal'],
    [of('writing', { needs_tools: true }), true, 'fractal'],
    [of('investigation', { needs_tools: true }), true, 'planner'],
    [of('investigation', { needs_tools: true }), false, 'tot', { task_type: 'debugging' }],
    [of('investigation'), true, 'tot', { task_type: 'debugging' }],
    [of('work', { needs_tools: true, size: 'large' }), true, 'dual'],
    [of('work', { needs_tools: true, size: 'medium' }), true, 'planner'],
    [of('work', { needs_tools: true, size: 'small' }), true, 'planner'],
    [of('work', { needs_tools: true, size: 'large' }), false, 'fractal'],
    [of('work'), true, 'fractal'],
  ])('%j, tools: %s → %s', (said, hasTools, strategy, options) => {
    const choice = byClassification(said, hasTools)
    expect(choice).toEqual({ strategy, reason: expect.any(String), ...(options && { options }) })
    expect(choice.reason).toContain(`${said.kind}, ${said.size}`)
  })

  it('always comes to a strategy', () => {
    for (const kind of TASK_KINDS)
      for (const size of SIZES)
        for (const flags of [0, 1, 2, 3, 4, 5, 6, 7]) {
          const [needs_tools, checkable, hasTools] = [1, 2, 4].map((bit) => (flags & bit) !== 0)
          const said = { kind, size, needs_tools, checkable } as Classification
          expect(['cot', 'tot', 'fractal', 'planner', 'dual']).toContain(
            byClassification(said, hasTools === true).strategy,
          )
        }
  })
})

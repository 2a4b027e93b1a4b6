import { describe, expect, it } from 'vitest'
import type { Goal } from '../../protocol/index.ts'
import { NEEDS } from './notes.ts'
import { byClassification, byRule, factsOf } from './rules.ts'
import { CHOICES } from './schema.ts'

const chosen = (goal: Goal, canAct = true) => {
  const rule = byRule(factsOf(goal, canAct))
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
    ['Find the root cause of the failing checkout', 'investigation planner'],
    ['Why does the login page crash after a minute', 'investigation planner'],
    ['排查 CI 失败的原因', 'investigation planner'],
    ['定位登录页报错', 'investigation planner'],
    ['查明构建变慢的根因', 'investigation planner'],
    ['How many rows does sales.csv have?', 'look fractal'],
    ['Do the unit tests pass?', 'look fractal'],
    ['data.csv 里有多少行？', 'look fractal'],
    ['仓库里有几个文件？', 'look fractal'],
    ['Is there a license file in this repository?', 'look fractal'],
    ['安装依赖并运行测试', 'look fractal'],
    ['What does https://example.com say?', 'look fractal'],
    ['Save a poem about rain to rain.txt', 'save fractal'],
    ['Fix the headline component in src/app, in the files that use it', 'change planner'],
    ['把 utils.js 里的变量重命名', 'change planner'],
    ['Build a web app for booking rooms, with tests', 'large-work dual'],
    ['开发一个在线商城系统', 'large-work dual'],
    ['Solve this sudoku: 53..7....', 'search tot'],
    ['A slogan for a bakery', 'alternatives tot'],
    ['Give me three names, the best of ideas, for a cat', 'alternatives tot'],
    ['为咖啡店想一个口号', 'alternatives tot'],
    ['给产品起名', 'alternatives tot'],
    ['Write a short essay on AI and art', 'long-text fractal'],
    ['An essay on AI and art', 'long-text fractal'],
    ['写一篇关于人工智能与艺术的文章', 'long-text fractal'],
    ['Translate "good morning" into Dutch', 'short-text fractal'],
    ['把这句话译成英文：你好', 'short-text fractal'],
    ['Prove that the square root of 2 is irrational', 'reasoning cot'],
    ['证明根号二是无理数', 'reasoning cot'],
    ['Ann has 12 pears, eats 3 and gives away 4. How many are left?', 'reasoning cot'],
    ['The roses wilt though the soil is wet: what is the most likely cause', 'diagnosis tot'],
    ['What is the capital of Peru', 'question fractal'],
    ['Why did the Roman Republic fail?', 'question fractal'],
    ['天空为什么是蓝的？', 'question fractal'],
  ])('%s → %s', (goal, choice) => {
    expect(chosen(goal)).toBe(choice)
  })

  it.each([
    'How many rows does sales.csv have?',
    'Do the unit tests pass?',
    'data.csv 里有多少行？',
    'Debug the parser',
    'Fix the failing test in dates.ts',
    'Build a web app for booking rooms',
  ])('that what can not be looked at is said, where there are no tools: %s', (goal) => {
    const choice = byRule(factsOf(goal, false))
    expect(choice).toMatchObject({ rule: 'no-tools', strategy: 'fractal' })
    expect(choice?.lacks).toEqual(choice?.needs)
  })

  it('that a goal in four parts is for the planner, whatever it says', () => {
    const goal = { intent: '3+4', deliverable: 'a number', metric: 'exact', constraint: 'none' }
    expect(chosen(goal)).toBe('core4 planner')
  })

  it('with options where its strategy needs them, with a reason, and with what the goal needs', () => {
    expect(byRule(factsOf('Make 24 from 4, 9, 10 and 13', false))).toEqual({
      rule: 'puzzle',
      strategy: 'tot',
      options: { task_type: 'math_reasoning' },
      reason: expect.stringContaining('puzzle'),
    })
    expect(byRule(factsOf('A tagline for a zoo', false))?.options).toEqual({ task_type: 'creative_writing' })
    expect(byRule(factsOf('Run the tests in src/a.test.ts', true))?.needs).toEqual(['files', 'commands'])
  })

  it.each(['Tidy up the shed', 'Sort out my finances', `What ${'really '.repeat(40)}matters?`])(
    'nothing where it is not sure: %s',
    (goal) => {
      expect(chosen(goal)).toBeNull()
    },
  )
})

describe("a model's choice", () => {
  const GOAL = 'Tidy up the shed'
  const said = (strategy: (typeof CHOICES)[number], needs: readonly (typeof NEEDS)[number][] = []) => ({
    strategy,
    needs,
    reason: 'so it seems',
  })

  it('is taken', () => {
    for (const strategy of CHOICES)
      expect(byClassification(said(strategy), factsOf(GOAL, true))).toEqual({
        strategy,
        reason: 'so it seems',
      })
  })

  it('gives way to what the goal needs, be it seen by the rules or said by the model itself', () => {
    for (const strategy of ['cot', 'tot'] as const) {
      expect(byClassification(said(strategy, ['network']), factsOf(GOAL, true))).toEqual({
        strategy: 'fractal',
        overruled: strategy,
        needs: ['network'],
        reason: 'so it seems',
      })
      expect(byClassification(said(strategy), factsOf('what about data.csv', true))).toMatchObject({
        strategy: 'fractal',
        overruled: strategy,
        needs: ['files'],
      })
    }
  })

  it('gives way where it needs tools and there are none', () => {
    for (const strategy of ['planner', 'dual'] as const)
      expect(byClassification(said(strategy), factsOf(GOAL, false))).toMatchObject({
        strategy: 'fractal',
        overruled: strategy,
      })
    expect(byClassification(said('planner', ['files']), factsOf(GOAL, false))).toMatchObject({
      strategy: 'fractal',
      lacks: ['files'],
    })
  })

  it('never lets a goal that needs something go to a strategy without tools', () => {
    for (const strategy of CHOICES)
      for (const need of NEEDS)
        for (const canAct of [true, false])
          expect(['cot', 'tot']).not.toContain(
            byClassification(said(strategy, [need]), factsOf(GOAL, canAct)).strategy,
          )
  })
})

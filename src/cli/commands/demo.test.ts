/** What the demonstration shows is so: with the weights that ship, of goals that they were not trained on. */
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { numbersIn } from '../../arithmetic/expression.ts'
import { parseGoal } from '../../arithmetic/parse-goal.ts'
import { createEngine } from '../../engine.ts'
import { isHeldOutExpression, isHeldOutPuzzle } from '../../lab/tasks/held-out.ts'
import { withOwn } from '../../strategies/registry.ts'
import { plainText } from '../../views/line.ts'
import { textWidth } from '../../views/text-width.ts'
import type { CommandCall } from '../command.ts'
import { SCENES, SEED } from '../demo/scenes.ts'
import { verdictOn } from '../demo/verdict.ts'
import { DEMO_WORDS } from '../demo/words.ts'
import { createOutput } from '../output.ts'
import { demo } from './demo.ts'
import { commandsFor } from './index.ts'

const LANGS = ['en', 'zh'] as const
const goals = SCENES.flatMap(({ goal, strategy }) => LANGS.map((lang) => [goal[lang], strategy] as const))

it.each(goals)('%s: the model is wrong when it is asked once, and right by %s', async (goal, strategy) => {
  const engine = createEngine({ model: 'embedded:mini', store: ':memory:' })
  const answer = async (by: string, options: Readonly<Record<string, unknown>>) => {
    const run = await engine.start(goal, { strategy: by, options, seed: SEED })
    const { status, result } = await run.outcome
    return { status, isRight: verdictOn(goal, result).isRight }
  }
  const once = await answer('best-of', { samples: 1 })
  const reasoned = await answer(strategy, {})
  await engine.close()
  expect([once, reasoned]).toEqual([
    { status: 'partial', isRight: false },
    { status: 'completed', isRight: true },
  ])
})

it.each(goals)('%s: is in no training data', (goal) => {
  const task = parseGoal(goal)
  if (task?.type === 'reach') expect(isHeldOutPuzzle(task.puzzle)).toBe(true)
  else {
    const [expression, ...others] = task?.expressions ?? []
    expect(others).toEqual([])
    expect(expression && numbersIn(expression).length > 4 && isHeldOutExpression(expression)).toBe(true)
  }
})

it.each([
  ['Compute 2 * (3 + 4)', '2 × (3 + 4) = 14', { isRight: true, said: '14', problem: '' }],
  ['Compute 2 * (3 + 4)', '2 × (3 + 4) = 10', { isRight: false, said: '10', problem: 'it is 14' }],
  ['计算 2 * (3 + 4)', 'no idea', { isRight: false, said: 'no idea', problem: '应为 14' }],
  ['Make 24 from 1, 2, 3 and 4', '1 × 2 × 3 × 4', { isRight: true, said: '1 × 2 × 3 × 4 = 24', problem: '' }],
  [
    'Make 24 from 1, 2, 3 and 4',
    '(4 + 3) × 2 × 1 = 24',
    { isRight: false, said: '(4 + 3) × 2 × 1 = 24', problem: 'it does not come to 24' },
  ],
  [
    '用 1、2、3、4 算出 24',
    '3 × 4 × 2 = 24',
    { isRight: false, said: '3 × 4 × 2 = 24', problem: '每个数字必须且只能用一次' },
  ],
])('holds an answer against its goal: %s, %s', (goal, answer, verdict) => {
  expect(verdictOn(goal, answer)).toEqual(verdict)
})

it.each(LANGS)('shows marks, and no tree with --quiet: %s', async (lang) => {
  const printed = await shown({ lang, quiet: true })
  expect(printed.filter((line) => /[✗✓] [\d(]/.test(line)).map((line) => line.trim())).toEqual([
    expect.stringContaining('✗ 620 · '),
    expect.stringContaining('✓ 592 · '),
    expect.stringContaining('✗ (12 - 4) × (5 - 1) = 32 · '),
    expect.stringContaining('✓ (12 - (5 + 1)) × 4 = 24 · '),
  ])
  expect(printed.join('\n')).not.toContain('[x]')
  expect(printed.at(-1)).toMatch(/npx thinkon studio$/)
  for (const line of printed) expect(textWidth(line)).toBeLessThan(80)
})

it('names commands that there are', () => {
  const strategies = withOwn(undefined)
  const names = [...commandsFor(strategies).keys(), ...strategies.keys()]
  for (const lang of LANGS)
    for (const [, command] of DEMO_WORDS[lang].commands) {
      const [, name = ''] = /^npx thinkon (\S+)/.exec(command) ?? []
      if (name !== '') expect(names).toContain(name)
    }
})

/** The lines of the real demonstration, with its runs in memory. */
async function shown(values: CommandCall['values']): Promise<string[]> {
  const printed: string[] = []
  const out = {
    ...createOutput(false),
    width: () => 80,
    print: (text: string) => void printed.push(...text.split('\n')),
    printLines: (lines: Parameters<typeof plainText>[0]) =>
      void printed.push(...plainText(lines).split('\n')),
  }
  const call: CommandCall = {
    name: 'demo',
    values: { ...values, store: ':memory:', workspace: tmpdir() },
    args: [],
    out,
    strategies: new Map(),
    commands: () => new Map(),
  }
  expect(await demo(call)).toBe(0)
  return printed
}

import { describe, expect, it } from 'vitest'
import {
  formatPlan,
  formatPlanForPrompt,
  gainedResults,
  nextStep,
  openSteps,
  planResultLines,
  reopenedSteps,
  resultsText,
  statusProblems,
  stepsOf,
  withEarlierResults,
  withStep,
} from './plan.ts'
import type { Plan, PlanStep } from './schema.ts'

const PLAN: Plan = [
  { description: 'model the states', status: 'Done', result: 'three' },
  {
    description: 'set up equations',
    status: 'Pending',
    sub_steps: [
      { description: 'state 0', status: 'Done', result: '11a + b = 6' },
      { description: 'state 1', status: 'Pending' },
      { description: 'state 2', status: 'Verification Needed', mark: 'the 3 was left out', result: 'c = 1' },
    ],
  },
  { description: 'solve them', status: 'Pending' },
]

function next(plan: Plan): string | undefined {
  return nextStep(plan)?.number
}

describe('a plan', () => {
  it('has what needs verification as its next step, then what is Pending, sub-steps before their parent', () => {
    expect(next(PLAN)).toBe('2.3')
    const verified = withStep(PLAN, '2.3', (step) => ({ ...step, status: 'Done' }))
    expect(next(verified)).toBe('2.2')
    const all = withStep(verified, '2.2', (step) => ({ ...step, status: 'Done', result: 'x' }))
    // Its sub-steps are Done, and so is it.
    expect(next(all)).toBe('3')
    const doubted = withStep(all, '2', (step) => ({ ...step, status: 'Verification Needed' }))
    expect(next(doubted)).toBe('2')
    expect(next([PLAN[0] as Plan[0]])).toBeUndefined()
  })

  it('has what is open below a step in doubt as its next step, before all that is only Pending', () => {
    const parts: Plan = [
      { description: 'a', status: 'Done', result: '1' },
      { description: 'b', status: 'Pending' },
    ]
    const doubted: PlanStep = {
      description: 'x',
      status: 'Verification Needed',
      mark: 'why',
      sub_steps: parts,
    }
    expect(next([{ description: 'first', status: 'Pending' }, doubted])).toBe('2.2')
    const again: PlanStep = { ...doubted, sub_steps: [...parts, doubted] }
    expect(next([again])).toBe('1.3.2')
    expect(next([{ ...doubted, sub_steps: parts.slice(0, 1) }])).toBe('1')
  })

  it('knows which steps are open', () => {
    expect(openSteps(PLAN).map(({ number }) => number)).toEqual(['2', '2.2', '2.3', '3'])
  })

  it('has nothing Done above a step that is open again', () => {
    const sub = { description: 'b', status: 'Done', result: '2' } as const
    const above = { description: 'a', status: 'Done', result: '1' } as const
    const plan = [{ ...above, sub_steps: [{ ...above, sub_steps: [sub, sub] }] }, above]
    const open = withStep(plan, '1.1.2', (step) => ({ ...step, status: 'Verification Needed', mark: 'why' }))
    expect([...stepsOf(open)].map(({ number, step }) => `${number} ${step.status}`)).toEqual([
      '1 Pending',
      '1.1 Pending',
      '1.1.1 Done',
      '1.1.2 Verification Needed',
      '2 Done',
    ])
    expect(resultsText(open)).toBe('- b: 2\n- a: 1')
    expect(withStep(plan, '1.1.2', (step) => step)).toEqual(plan)
  })

  it('has a parent Done when the last of its sub-steps is, unless it is in doubt itself', () => {
    const sub: Plan = [
      { description: 'b', status: 'Done', result: '1' },
      { description: 'c', status: 'Pending' },
    ]
    const done = (step: PlanStep): PlanStep => ({ ...step, status: 'Done', result: '2' })
    const [parent] = withStep([{ description: 'a', status: 'Pending', sub_steps: sub }], '1.2', done)
    expect(parent?.status).toBe('Done')
    const doubted: Plan = [{ description: 'a', status: 'Verification Needed', sub_steps: sub }]
    expect(withStep(doubted, '1.2', done)[0]?.status).toBe('Verification Needed')
  })

  it('breaks the rules when a parent is Done before its sub-steps; a result and a mark are optional', () => {
    expect(statusProblems(PLAN)).toEqual([])
    const early = withStep(PLAN, '2', (step) => ({ ...step, status: 'Done', result: 'done' }))
    expect(statusProblems(early)).toEqual([expect.stringContaining('its sub-step 2.2 is not')])
    expect(statusProblems([{ description: 'a', status: 'Done' }])).toEqual([])
    expect(statusProblems([{ description: 'a', status: 'Verification Needed' }])).toEqual([])
    const parent: Plan = [
      { description: 'a', status: 'Done', sub_steps: [{ description: 'b', status: 'Done', result: '1' }] },
    ]
    expect(statusProblems(parent)).toEqual([])
  })

  it('tells its results, and which are new', () => {
    expect(resultsText(PLAN)).toBe('- model the states: three\n- state 0: 11a + b = 6')
    expect(gainedResults([PLAN[0] as Plan[0]], PLAN).map(({ number }) => number)).toEqual(['2.1'])
    const corrected = withStep(PLAN, '1', (step) => ({ ...step, result: 'four' }))
    expect(gainedResults(PLAN, corrected).map(({ result }) => result)).toEqual(['four'])
  })

  it('keeps the results of steps that stay Done, where the next plan does not repeat them', () => {
    const next: Plan = [
      { description: 'Model the states', status: 'Done' },
      {
        description: 'set up equations',
        status: 'Done',
        sub_steps: [
          { description: 'state 0', status: 'Done', result: 'corrected' },
          { description: 'state 1', status: 'Done' },
          { description: 'state 2', status: 'Done' },
        ],
      },
      { description: 'solve them', status: 'Pending' },
    ]
    const [first, second] = withEarlierResults(PLAN, next)
    expect(first?.result).toBe('three')
    // What was in doubt before is no result.
    expect(second?.sub_steps?.map(({ result }) => result)).toEqual(['corrected', undefined, undefined])
  })

  it('knows which Done steps were reopened, wherever they stand now', () => {
    const [first, second, third] = PLAN as [Plan[0], Plan[0], Plan[0]]
    const after: Plan = [second, third, { description: ' Model  the states', status: 'Pending' }] as Plan
    expect(reopenedSteps(PLAN, after).map(({ number }) => number)).toEqual(['3'])
    expect(reopenedSteps(PLAN, [first, second, third] as Plan)).toEqual([])
  })

  it('is a nested checklist for people', () => {
    expect(formatPlan(PLAN)).toBe(
      [
        '[x] 1. model the states: three',
        '[ ] 2. set up equations',
        '  [x] 2.1. state 0: 11a + b = 6',
        '  [ ] 2.2. state 1',
        '  [?] 2.3. state 2: c = 1 (the 3 was left out)',
        '[ ] 3. solve them',
        '',
      ].join('\n'),
    )
  })

  it('says statuses in words in a prompt, and is whole; what is told already is not repeated', () => {
    expect(formatPlanForPrompt(PLAN)).toContain(
      '  2.3. [Verification Needed] state 2 → c = 1 — why: the 3 was left out\n',
    )
    const long: Plan = Array.from({ length: 60 }, (_, i) => ({
      description: `step ${i + 1} ${'很长'.repeat(500)} ends`,
      status: 'Done',
      result: `${'结果'.repeat(500)} result ${i + 1} ends`,
    }))
    const text = formatPlanForPrompt(long)
    for (let i = 1; i <= 60; i++) expect(text).toContain(`result ${i} ends\n`)
    const second = long[1]?.description ?? ''
    expect(formatPlanForPrompt(long, new Set([second]))).not.toContain('result 2 ends')
  })

  it('shows those who solve a step what was found so far', () => {
    expect(planResultLines(PLAN).slice(0, 4)).toEqual([
      '1. model the states → three',
      '2. set up equations',
      '2.1. state 0 → 11a + b = 6',
      '2.2. state 1',
    ])
  })
})

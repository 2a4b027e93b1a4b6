import { describe, expect, it } from 'vitest'
import { formatExpression } from '../../arithmetic/expression.ts'
import { parseGoal } from '../../arithmetic/parse-goal.ts'
import { solvePuzzle } from '../../arithmetic/puzzle.ts'
import { formatFraction } from '../../arithmetic/rational.ts'
import { compute } from '../../models/embedded/abacus/decompose.ts'
import { checkAnswer, type OwnChecker } from '../check/check-answer.ts'
import { shippedTasks, TASK_SETS } from './shipped-tasks.ts'
import type { Split } from './task.ts'

const draw = (set: string, count = 60, seed = '1', split: Split = 'held-out', options = {}) =>
  shippedTasks({ set, count, seed, split, options })

describe.each(Object.keys(TASK_SETS))('%s', (set) => {
  it('are the same for the same seed, others for another, and all different', () => {
    expect(draw(set)).toEqual(draw(set))
    expect(draw(set, 60, '2')).not.toEqual(draw(set))
    expect(new Set(draw(set).map(({ goal }) => goal)).size).toBe(60)
  })

  it('that are held out are not among those for tuning, single operations aside', () => {
    const tuning = new Set(draw(set, 200, '1', 'tuning').map(({ goal }) => goal))
    const both = draw(set, 100).filter(({ goal }) => tuning.has(goal))
    expect(both.filter(({ group }) => group !== 'expressions, depth 1')).toEqual([])
  })
})

it('expressions have the depth that was asked for, and the value that a program computes', () => {
  for (const { goal, group, check } of draw('expressions', 30, '1', 'held-out', { depth: 4 })) {
    const task = parseGoal(goal)
    if (task?.type !== 'compute') throw new Error(goal)
    const computed = compute(task.expressions[0]!)
    if (!computed.ok) throw new Error(goal)
    expect(group).toBe('expressions, depth 4')
    expect(checkAnswer(formatFraction(computed.value), check as OwnChecker).solved, goal).toBe(true)
  }
  expect(new Set(draw('expressions').map(({ group }) => group)).size).toBe(6)
})

it('puzzles can be solved', () => {
  for (const { goal, check } of draw('puzzles', 20, '1', 'held-out', { target: 30 })) {
    const task = parseGoal(goal)
    if (task?.type !== 'reach') throw new Error(goal)
    const answer = formatExpression(solvePuzzle(task.puzzle)!)
    expect(checkAnswer(answer, check as OwnChecker).solved, goal).toBe(true)
  }
})

it('logic puzzles are in both languages', () => {
  const goals = draw('logic').map(({ goal }) => goal)
  expect(goals.some((goal) => goal.includes('高'))).toBe(true)
  expect(goals.some((goal) => goal.includes('tells the truth'))).toBe(true)
})

it('says what there is, if something else or too much is asked for', () => {
  expect(() => draw('expressions', 5, '1', 'held-out', { depth: 9 })).toThrow('one of 1, 2, 3, 4, 5, 6')
  expect(() => draw('words', 5, '1', 'held-out', { depth: 2 })).toThrow('no options')
  expect(() => draw('puzzles', 5_000)).toThrow(/there are only 1\d\d held-out tasks/)
})

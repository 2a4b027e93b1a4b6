// Reviews through the library: what a person answers changes the plan, and what can't be done is told in the next question.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createEngine } from '../../src/index.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { answerAt, kindOf } from '../answers.ts'
import { finish, newWorkspace, plan, solveDual } from './dual-runs.ts'

const questions = (run: Awaited<ReturnType<typeof solveDual>>, name: string) =>
  run.events.flatMap((event) =>
    event.type === 'signal-asked' && kindOf(event.name) === name ? [event.question?.text ?? ''] : [],
  )

it('an edit that can not be made is told in the next question', async () => {
  const run = await solveDual(
    'tidy',
    {
      'dual/plan': [plan('sweep', 'mop')],
      'dual/decide': [finish('swept')],
    },
    { options: { review: 'manual' }, answers: { 'review-plan': ['remove 1-9', 'remove mop', 'ok'] } },
  )
  expect(run.outcome).toMatchObject({ status: 'completed', result: 'swept' })
  const [first, second, third] = questions(run, 'review-plan')
  expect(first).toContain('The plan: go on with it?\n -[ ] 1. "all of it"')
  expect(second).toContain('\n! there is no task 1-9 in this plan\n')
  expect(third).not.toContain('mop')
  expect(third).not.toContain('!')
})

it('named tasks get sub-tasks; words make the plan anew', async () => {
  const run = await solveDual(
    'tidy',
    {
      'dual/plan': [plan('sweep'), { tasks: plan('kitchen', 'hall').tasks }, plan('dust')],
      'dual/decide': [finish('dusted')],
    },
    {
      options: { review: 'manual' },
      answers: { 'review-plan': ['subtasks sweep: by room', 'only dust, please', 'continue'] },
    },
  )
  expect(run.outcome.status).toBe('completed')
  expect(questions(run, 'review-plan')[1]).toMatch(/1-1\. "sweep".*\n {3}-\[ \] 1-1-1\. "kitchen"/)
  expect(run.prompts('dual/plan')[2]).toMatch(/It is to be changed.*\nonly dust, please\n/)
  expect(run.notes('dual/plan-reviewed').map(({ choice }) => choice)).toEqual([
    'subtasks',
    'revise',
    'continue',
  ])
})

it('speaks the language of the goal', async () => {
  const script = {
    'dual/plan': [plan('扫地')],
    'dual/decide': [finish('已扫')],
  }
  const answers = { 'review-plan': ['继续'], 'review-task': ['好'] }
  const run = await solveDual('打扫房间', script, { options: { review: 'manual' }, answers })
  expect(run.outcome).toMatchObject({ status: 'completed', result: '已扫' })
  expect(questions(run, 'review-plan')).toEqual([
    expect.stringMatching(/^计划：是否继续？[\s\S]*未开始[\s\S]*继续 \|/),
  ])
})

it('a review waits without a process, and is answered when another one has it', async () => {
  const script = () =>
    new ScriptedModel({
      'dual/plan': [plan('sweep')],
      'dual/decide': [finish('swept')],
    })
  const { openStore } = await import('../../src/store/open-store.ts')
  const store = await openStore(':memory:')
  const first = createEngine({ model: script(), store })
  const run = await first.start('tidy', { strategy: 'dual', options: { review: 'manual' } })
  for await (const event of run.events) if (event.type === 'signal-asked') break
  await first.close()
  await expect(run.outcome).rejects.toThrow()

  const second = createEngine({ model: script(), store })
  const resumed = await second.resume(run.id)
  await answerAt(resumed, '1', 'continue')
  for await (const event of resumed.events) {
    if (event.type === 'signal-asked' && event.name === 'review-task')
      await answerAt(resumed, '1', 'continue')
  }
  expect(await resumed.outcome).toMatchObject({ status: 'completed', result: 'swept' })
  await second.close()
  store.close()
})

it('with ai, what can not be judged is a risk, and a person is asked', async () => {
  const run = await solveDual(
    'tidy',
    {
      'dual/plan': [plan('sweep', 'dust')],
      'dual/judge-risk': ['no JSON', { risk: 0.2, reason: 'a broom' }],
      'dual/decide': [finish('swept'), finish('dusted')],
    },
    { options: { review: 'ai' } },
  )
  expect(run.outcome.status).toBe('completed')
  expect(run.notes('dual/risk-judged')).toEqual([
    { what: 'review-plan', risk: 1, reason: 'it could not be judged' },
    { what: 'review-task', risk: 0.2, reason: 'a broom' },
  ])
  expect([questions(run, 'review-plan').length, questions(run, 'review-task').length]).toEqual([1, 0])
})

it('embedded:abacus does not say that a file is written when the task that writes it was removed', async () => {
  const workspace = newWorkspace()
  const run = await solveDual('compute 3*4 and write the result to r.txt', [], {
    workspace,
    engine: { model: 'embedded:abacus' },
    options: { review: 'manual' },
    answers: { 'review-plan': ['remove 1-2'] },
  })
  expect(run.outcome).toMatchObject({ status: 'completed', result: '3 × 4 = 12' })
  expect(run.notes('result-checked')).toMatchObject([
    { by: 'program', problems: [expect.stringContaining('r.txt')], sentBack: true },
    // Nobody wrote it after that either, and the second look says so.
    { by: 'program', problems: [expect.stringContaining('r.txt')], sentBack: false },
  ])
  expect(existsSync(join(workspace, 'r.txt'))).toBe(false)
})

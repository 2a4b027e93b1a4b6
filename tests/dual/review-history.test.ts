// Reviews are not history: a plan under review and the menu of a question stay out of later requests, a person's words stay.
import { expect, it } from 'vitest'
import type { ModelRequest } from '../../src/protocol/index.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { type DualRun, finish, newWorkspace, plan, promptText, solveDual } from './dual-runs.ts'

const GOAL = `Write a memo on whether to move the office. ${'Consider the rent, the commute and the contracts. '.repeat(8)}`
const COT = { action: 'solve_with_strategy', strategy: 'cot', goal: 'weigh the rent' }

/** Plans as it is told, asks another strategy in its first task, and ends; the result is judged. */
function writer(...plans: readonly object[]): ScriptedModel {
  const left = [...plans]
  return new ScriptedModel(({ kind, input }: ModelRequest) => {
    if (kind === 'dual/plan') return left.shift()
    if (kind === 'dual/decide') {
      const { history, index } = input as { history: unknown[]; index: string }
      return index === '1-1' && history.length === 0 ? COT : finish(`the rent is high (${index})`)
    }
    if (kind === 'cot/think')
      return 'current_thinking: it is high\nplanning:\n  - description: weigh\n    status: Done\nnext_thought_needed: false\n'
    return { result: 'the memo', problems: [], fits: true, risk: 1, reason: 'none' }
  })
}

const MENU = /continue \| |go on with it\?|go on\?|继续 \||是否继续/

/** All requests after the first question. */
function later({ requests }: DualRun): string[] {
  const kinds = ['dual/plan', 'dual/decide', 'dual/summarize', 'cot/think', 'check/result', 'dual/judge-risk']
  return kinds.flatMap((kind) => requests(kind).map((request) => `${kind}\n${promptText(request)}`))
}

it('plans under review and menus stay out of every later request, of other strategies and of the check too', async () => {
  const model = writer(plan('count the chairs', 'compare'), plan('compare', 'decide'))
  const run = await solveDual(GOAL, model, {
    options: { review: 'manual', check: 'always' },
    answers: {
      'review-plan': ['unclear: leave the chairs out'],
      'review-task': ['adjust: no new task needed'],
    },
  })
  expect(run.requests('cot/think').length).toBeGreaterThan(0)
  expect(run.requests('check/result')).toHaveLength(1)
  for (const prompt of later(run)) expect(prompt).not.toMatch(MENU)
  const afterwards = later(run).filter((prompt) => !prompt.startsWith('dual/plan'))
  for (const prompt of afterwards) {
    expect(prompt).not.toContain('count the chairs')
    // The person's words stay.
    expect(prompt.split('leave the chairs out')).toHaveLength(2)
  }
})

it('a person who only agrees has said nothing that anybody needs to know', async () => {
  const run = await solveDual(GOAL, writer(plan('compare')), {
    options: { review: 'manual', check: 'always' },
    answers: { 'review-plan': ['ok'], 'review-task': ['go ahead'] },
  })
  for (const prompt of later(run)) {
    expect(prompt).not.toMatch(MENU)
    expect(prompt).not.toContain('The person')
  }
  // So what a program can check of the goal still counts.
  const brief = 'Name the largest ocean in exactly one sentence.'
  const sentences = await solveDual(
    brief,
    {
      'dual/plan': [plan('name it')],
      'dual/decide': [finish('One. Two. Three.'), finish('The Pacific.')],
    },
    { options: { review: 'manual' } },
  )
  expect(sentences.outcome.result).toBe('The Pacific.')
})

it('what a person said of a task is told with the task, once, also where it is done again for it', async () => {
  const run = await solveDual(
    '打扫房间',
    { 'dual/plan': [plan('扫地')], 'dual/decide': [finish('已扫'), finish('扫干净了')] },
    { options: { review: 'manual' }, answers: { 'review-task': ['不准确：角落还脏'] } },
  )
  const [, again] = run.prompts('dual/decide')
  expect(again?.split('角落还脏')).toHaveLength(2)
  expect(again).not.toMatch(MENU)
})

it('parameters that a person changed are told without their question', async () => {
  const greet = `name: greet\ndescription: Greets.\nparameters: { who: string }\nreview: true\ninit_prompt: Greet {{who}}.\n`
  const workspace = newWorkspace({ '.thinkon/blueprints/greet.yaml': greet })
  const run = await solveDual('greet', writer(plan('greet')), {
    workspace,
    options: { blueprint: 'greet', params: { who: 'Eve' }, review: 'manual' },
    answers: { 'review-params': ['{"who": "Ada"}'] },
  })
  for (const prompt of later(run)) {
    expect(prompt).not.toMatch(MENU)
    expect(prompt).not.toContain('"Eve"')
  }
})

// Reviews of plans, answered from outside; and who is asked.

import { describe, expect, it } from 'vitest'
import { answerAt } from '../../../../tests/answers.ts'
import { turns } from '../../../../tests/conformance/async.ts'
import { names, reviewed } from '../../../../tests/dual/reviewed-runs.ts'
import {
  asks,
  finish,
  plan,
  planTask,
  solveDual,
  startDual,
  type TaskInput,
  type TaskScript,
} from '../../../../tests/dual/scripted-tasks.ts'

const MANUAL = { options: { review: 'manual' } }

describe('a review of the plan', () => {
  const PLAN: TaskScript = { 'plan all': [plan('a', { name: 'b', parts: ['b1', 'b2'] })] }

  it('waits until a person continues, and tells the plan', async () => {
    const run = await startDual('all', PLAN, MANUAL)
    const asked = await run.see('it asks', asks('review-plan'))
    expect(asked).toMatchObject({
      path: '1',
      question: { text: expect.stringContaining('-[ ] 1-2-1. "b1"') },
    })
    await turns(20)
    expect(run.of('act a')).toEqual([])
    await answerAt(run.run, '1', 'continue')
    await run.see('a task is reviewed', asks('review-task'))
    expect(run.of('act a')).toHaveLength(1)
    await run.run.cancel()
    await run.outcome()
  })

  it('gives the judge of risks whole goals, and what comes before what, after a task as well', async () => {
    const goal = `${'measure the spring and write it down. '.repeat(60)}THE END`
    const tasks = ['a', 'b'].map((name) => ({
      ...planTask(name),
      subtask_goal: goal,
      ...(name === 'b' && { depends_on: ['a'] }),
    }))
    const run = await startDual(
      'all',
      {
        'plan all': [{ ...plan('a'), tasks }],
        'risk all': () => ({ risk: 0, reason: 'none' }),
      },
      { options: { review: 'ai' } },
    )
    await run.outcome()
    const prompts = run.of('risk all').map(({ prompt }) => prompt)
    expect(prompts).toHaveLength(2)
    for (const prompt of prompts) {
      expect(prompt.match(/THE END/g)).toHaveLength(2)
      expect(prompt).toContain('(after 1-1)')
    }
  })

  it.each(['manual', 'ai'])('shows the goals of tasks whole, with %s', async (review) => {
    const goal = `${'measure the spring and write it down. '.repeat(60)}THE END`
    const tasks = ['a', 'b', 'c'].map((name) => ({ ...planTask(name), subtask_goal: goal }))
    const script: TaskScript = {
      'plan all': [{ ...plan('a'), tasks }],
      'risk all': () => ({ risk: 1, reason: 'it is long' }),
    }
    const run = await startDual('all', script, { options: { review } })
    const asked = await run.see('it asks', asks('review-plan'))
    const { text = '' } = ('question' in asked && asked.question) || {}
    expect(text.match(/THE END/g)).toHaveLength(3)
    for (const { prompt } of run.of('risk all')) expect(prompt.match(/THE END/g)).toHaveLength(3)
    await run.run.cancel()
    await run.outcome()
  })

  it.each([
    'unclear: what is b for?',
    'incomplete: what is b for?',
    { choice: 'revise', words: 'what is b for?' },
  ])('%j has the plan made again with these words', async (said) => {
    const run = await reviewed({ 'plan all': [plan('a', 'b'), plan('a', 'c')] }, [said])
    expect((await run.outcome()).status).toBe('completed')
    const [, again] = run.of('plan all')
    expect(again?.prompt).toContain('"subtask_name":"b"')
    expect(again?.prompt).toMatch(/It is to be changed.*\n.*what is b for\?/)
    // The person's words stand once.
    expect(again?.prompt.match(/what is b for\?/g)).toHaveLength(1)
    expect(await names(run)).toEqual(['1-1 a', '1-2 c'])
    expect((await run.notes('dual/phase-begun')).map(({ phase }) => phase)).toEqual([
      'plan-request',
      'plan-generation',
      'review',
      'refinement',
      'review',
      'refinement',
      'execution',
    ])
  })

  it('edits the tree: rename, remove, add, reorder, by index or by name', async () => {
    const edits = [
      { do: 'rename', task: '1-1', name: 'alpha', goal: 'a better one' },
      { do: 'remove', task: 'b1' },
      { do: 'add', under: 'b', at: 0, tasks: [planTask('b0')] },
      { do: 'add', tasks: [planTask({ name: 'z', after: ['alpha'] })] },
      { do: 'reorder', order: ['b', 'z', 'alpha'] },
    ]
    const run = await reviewed(PLAN, [{ edits }])
    expect((await run.outcome()).status).toBe('completed')
    expect(await names(run)).toEqual(['1-1 b', '1-1-1 b0', '1-1-2 b2', '1-2 z', '1-3 alpha'])
    expect(run.of('act alpha')[0]?.input.goal).toBe('a better one')
    expect(run.asked.flatMap(({ key }) => (key.startsWith('act') ? [key] : []))).toEqual([
      'act b0',
      'act b2',
      'act alpha',
      'act z',
    ])
  })

  it('edits and accepts in one answer; what could not be done is asked about', async () => {
    const edits = [{ do: 'depend', task: 'a', on: ['b'] }]
    const run = await reviewed(PLAN, [{ choice: 'continue', edits }])
    expect((await run.outcome()).status).toBe('completed')
    expect(run.asked.flatMap(({ key }) => (key.startsWith('act') ? [key] : []))).toEqual([
      'act b1',
      'act b2',
      'act a',
    ])
    expect(await run.notes('dual/plan-reviewed')).toHaveLength(1)
    const refused = await reviewed(PLAN, [{ choice: 'continue', edits: [{ do: 'remove', task: 'z' }] }])
    expect(await refused.notes('dual/plan-reviewed')).toHaveLength(2)
  })

  it('edits in words: remove and rename', async () => {
    const run = await reviewed(PLAN, ['remove 1-2-1', 'rename 1-1: alpha'])
    expect(await names(run)).toEqual(['1-1 alpha', '1-2 b', '1-2-1 b2'])
  })

  it.each([
    [{ do: 'remove', task: '1-9' }],
    [{ do: 'rename', task: '1-1', name: 'b' }],
    [{ do: 'rename', task: '1-1', name: '' }],
    [{ do: 'add' }],
    [{ do: 'add', tasks: [planTask({ name: 'x', after: ['nobody'] })] }],
    [{ do: 'add', under: 'b', tasks: [planTask({ name: 'x', after: ['b'] })] }],
    [{ do: 'reorder', order: ['1-1'] }],
    [{ do: 'reorder' }],
    [{ do: 'explode' }],
    [null],
  ])('tells of an edit that can not be made, %j, and asks again with the plan as it was', async (edit) => {
    const run = await reviewed(PLAN, [{ edits: [edit] }])
    expect((await run.outcome()).status).toBe('completed')
    expect(await run.notes('dual/edit-refused')).toMatchObject([{ problem: expect.any(String) }])
    expect(await names(run)).toEqual(['1-1 a', '1-2 b', '1-2-1 b1', '1-2-2 b2'])
  })

  it('has sub-tasks added to the tasks that it names', async () => {
    const run = await reviewed(
      { 'plan all': [plan('a', 'b'), { tasks: [planTask('a1'), planTask({ name: 'a2', after: ['a1'] })] }] },
      ['subtasks 1-1: more detail'],
    )
    expect((await run.outcome()).status).toBe('completed')
    expect(run.of('plan all')[1]?.prompt).toContain('Break the task "a" (a) into sub-tasks')
    expect(run.of('plan all')[1]?.prompt).toContain('more detail')
    expect(await names(run)).toEqual(['1-1 a', '1-1-1 a1', '1-1-2 a2', '1-2 b'])
  })

  it('asks again with the plan as it was when nothing better came of it, or a task is unknown', async () => {
    const run = await reviewed({ 'plan all': [plan('a'), plan(), plan(), plan(), plan()] }, [
      'unclear: what is a?',
      'subtasks 1-9',
    ])
    expect((await run.outcome()).status).toBe('completed')
    expect(await run.notes('dual/edit-refused')).toMatchObject([
      { problem: expect.stringContaining('there is no plan that can be used') },
      { problem: 'there is no task 1-9 in this plan' },
    ])
    expect(await names(run)).toEqual(['1-1 a'])
  })

  it('tells of sub-tasks that can not be added, and asks again', async () => {
    const run = await reviewed(
      { 'plan all': [plan('a', 'b'), { tasks: [planTask({ name: 'a1', after: ['a'] })] }] },
      ['subtasks a'],
    )
    expect((await run.outcome()).status).toBe('completed')
    expect(await run.notes('dual/edit-refused')).toHaveLength(1)
  })

  it('ends it: nothing is carried out, and it is not called completed', async () => {
    const run = await reviewed(PLAN, ['end'])
    expect(await run.outcome()).toMatchObject({
      status: 'partial',
      reason: '1: the plan was not accepted',
    })
    expect(run.asked.map(({ key }) => key)).toEqual(['plan all'])
  })
})

describe('who reviews', () => {
  it('nobody, unless told', async () => {
    const { events, of } = await solveDual('all', { 'plan all': [plan('a')] })
    expect(events.some(asks('review-plan'))).toBe(false)
    expect(of('risk all')).toEqual([])
  })

  it('with `ai` a person, where the model sees a risk from the threshold on', async () => {
    let judged = 0
    const run = await reviewed(
      {
        'plan all': [plan('a', 'b')],
        'risk all': () => ({ risk: judged++ === 1 ? 0.7 : 0.69, reason: 'it deletes things' }),
      },
      [],
      [],
      { review: 'ai', riskThreshold: 0.7 },
    )
    expect(await run.notes('dual/risk-judged')).toEqual([
      { what: 'review-plan', risk: 0.69, reason: 'it deletes things' },
      { what: 'review-task', risk: 0.7, reason: 'it deletes things' },
    ])
    const asked = (await run.events()).filter((event) => event.type === 'signal-asked' && event.question)
    expect(asked.map((event) => 'name' in event && event.name)).toEqual(['review-task'])
  })

  it('with `ai` nobody after the last task, where there is nothing to go on to, unless it failed', async () => {
    const script: TaskScript = {
      'plan all': [plan('a', 'b')],
      'risk all': () => ({ risk: 0, reason: 'none' }),
    }
    const run = await reviewed(script, [], [], { review: 'ai' })
    expect(run.of('risk all')).toHaveLength(2)
    const failing = { ...script, 'act b': [finish('nothing', { status: 'failed', reason: 'no' })] }
    const failed = await reviewed(failing, [], [], { review: 'ai', maxReplans: 0 })
    expect(failed.of('risk all')).toHaveLength(3)
  })

  it.each([[new Error('gone')], [{ risk: 'high' }], [{ risk: 7 }], ['no JSON']])(
    'what can not be judged, %j, counts as a risk',
    async (said) => {
      const run = await startDual(
        'all',
        { 'plan all': [plan('a')], 'risk all': () => said },
        {
          options: { review: 'ai' },
        },
      )
      await run.see('a person is asked', asks('review-plan'))
      await run.run.cancel()
      await run.outcome()
    },
  )

  it('nobody, where a person must not be bothered', async () => {
    const { events } = await solveDual(
      'all',
      { 'plan all': [plan('a')] },
      { options: { review: 'manual', allowUserInteract: false } },
    )
    expect(events.some(asks('review-plan'))).toBe(false)
  })

  it('plans within plans are reviewed as well, at their own coordinator', async () => {
    const run = await reviewed(
      {
        'plan all': [plan('a')],
        'act a': [
          { action: 'request_plan_and_execution', plan_request_payload: 'the parts' },
          ({ history }: TaskInput) => finish(history[0]!.text),
        ],
        'plan the parts': [plan('left')],
      },
      [],
    )
    const paths = (await run.events()).flatMap((event) => (asks('review-plan')(event) ? [event.path] : []))
    expect(paths).toEqual(['1', '1-1-1'])
  })
})

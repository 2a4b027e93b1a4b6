// A failed task replans: the Coordinator mends the plan by itself, and goes on with what does not depend on the failure.
import { describe, expect, it } from 'vitest'
import { violations } from '../../../../tests/conformance/invariants.ts'
import { names, reviewed } from '../../../../tests/dual/reviewed-runs.ts'
import {
  changes,
  type DualSettings,
  finish,
  plan,
  planTask,
  solveDual,
  startDual,
  type TaskScript,
  tool,
  use,
} from '../../../../tests/dual/scripted-tasks.ts'

const DOWN = [finish('', { result: 'nothing', status: 'failed', reason: 'the server is down' })]

async function solved(script: TaskScript, settings: DualSettings = {}) {
  const run = await solveDual('all', script, settings)
  expect(violations(run.events)).toEqual([])
  expect((await run.engine.replay(run.run.id)).differences).toEqual([])
  return run
}

describe('a failed task replans', () => {
  it('by itself: another way is taken, and the plan is completed', async () => {
    const run = await solved({
      'plan all': [
        plan('ask the server', { name: 'report', after: ['ask the server'] }),
        { tasks: [planTask('ask the mirror'), planTask({ name: 'report', after: ['ask the mirror'] })] },
      ],
      'act ask the server': DOWN,
    })
    expect(run.outcome.status).toBe('completed')
    expect(await names(run)).toEqual(['1-1 ask the server', '1-2 ask the mirror', '1-3 report'])
    expect(changes(run.events)).toEqual([
      ...['1-1 processing', '1-1 aborted', '1-2 processing', '1-2 completed'],
      ...['1-3 processing', '1-3 completed', '1 completed'],
    ])
    expect(await run.notes('dual/plan-mending')).toEqual([{ index: '1-1', mends: 1, of: 2 }])
    const [, mend] = run.of('plan all')
    expect(mend?.prompt).toContain(
      'The task 1-1 "ask the server" did not succeed (failed: the server is down). Take another way',
    )
    // How the plan stands, and what the task came to.
    expect(mend?.prompt).toContain('-[!] 1-1. "ask the server" (aborted:failed: the server is down)')
    expect(mend?.prompt).toContain('-[ ] 1-2. "report"')
    expect(mend?.prompt).toContain('nothing')
  })

  it('whose last task is told so, and gives the result: nothing is summed up', async () => {
    const run = await solved({
      'plan all': [
        plan('find out', 'ask the server', { name: 'report', after: ['find out', 'ask the server'] }),
        {
          tasks: [
            planTask('ask the mirror'),
            planTask({ name: 'report', after: ['find out', 'ask the mirror'] }),
          ],
        },
      ],
      'act ask the server': DOWN,
      'act report': [finish('', { result: 'the whole report' })],
    })
    expect(run.outcome).toMatchObject({ status: 'completed', result: 'the whole report' })
    expect(run.of('sum all')).toEqual([])
  })

  it('and is asked for the tasks that are left, not for the whole plan', async () => {
    const run = await solved({
      'plan all': [plan('a', 'c'), { tasks: [planTask('a2'), planTask('c')] }],
      'act a': DOWN,
    })
    const mend = run.of('plan all')[1]?.prompt
    expect(mend).toContain('answer with the tasks that are still to be done, alone')
    expect(mend).not.toContain('the plan as it should be')
  })

  it('also as a part of another, which is then no failure either', async () => {
    const run = await solved({
      'plan all': [plan({ name: 'b', parts: ['b1', 'b2'] }, 'c'), { tasks: [planTask('b3'), planTask('c')] }],
      'act b2': DOWN,
    })
    expect(run.outcome.status).toBe('completed')
    expect(changes(run.events)).toContain('1-1 aborted')
    expect(changes(run.events).at(-1)).toBe('1 completed')
  })

  it('at any level of a plan within a plan', async () => {
    const run = await solved({
      'plan all': [plan('look')],
      'act look': [{ action: 'request_plan_and_execution', plan_request_payload: 'the parts' }],
      'plan the parts': [plan('left'), { tasks: [planTask('right')] }],
      'act left': DOWN,
    })
    expect(run.outcome.status).toBe('completed')
    expect(changes(run.events, '1-1-1').at(-1)).toBe('1-1-1 completed')
    expect(run.of('act right')).toHaveLength(1)
  })

  it('after a loop that went round in circles or ran out of iterations, too', async () => {
    let n = 0
    const run = await solved(
      {
        'plan all': [plan('a'), { tasks: [planTask('b')] }],
        'act a': () => use('look', { n: n++ }),
      },
      { tools: [tool('look', async () => 'nothing')], options: { maxIterations: 3 } },
    )
    expect(run.outcome.status).toBe('completed')
    expect(run.of('plan all')[1]?.prompt).toContain('(maxIterations, 3) is reached')
  })

  it('a bounded number of times, then goes on with what does not depend on it', async () => {
    const again = (name: string) => ({ tasks: [planTask(name), planTask('c')] })
    const script = {
      'plan all': [plan('a', 'c'), again('a2'), again('a3'), again('a4')],
      ...Object.fromEntries(['a', 'a2', 'a3', 'a4'].map((name) => [`act ${name}`, DOWN])),
    }
    const run = await solved(script)
    expect(run.outcome).toMatchObject({
      status: 'partial',
      reason: '1: 1-3 "a3" was aborted: failed: the server is down',
    })
    expect(run.of('plan all')).toHaveLength(3)
    expect(run.of('act c')).toHaveLength(1)
    const once = await solved(script, { options: { maxReplans: 1 } })
    expect(once.of('plan all')).toHaveLength(2)
    expect(once.outcome.reason).toBe('1: 1-2 "a2" was aborted: failed: the server is down')
    const never = await solved(script, { options: { maxReplans: 0 } })
    expect(never.of('plan all')).toHaveLength(1)
    expect(never.outcome.status).toBe('partial')
    expect(never.of('act c')).toHaveLength(1)
  })

  it('or is told that no other way is open: the plan stays as it is', async () => {
    const run = await solved({
      'plan all': [plan('a', { name: 'b', after: ['a'] }, 'c'), { action: 'keep' }],
      'act a': DOWN,
    })
    expect(run.outcome).toMatchObject({
      status: 'partial',
      reason: '1: 1-1 "a" was aborted: failed: the server is down; 1 task was not begun',
    })
    expect(run.of('act c')).toHaveLength(1)
  })

  it('that only keeps the other tasks leaves it a failure', async () => {
    const run = await solved({
      'plan all': [plan('a', { name: 'b', after: ['a'] }, 'c'), { tasks: [planTask('c')] }],
      'act a': DOWN,
    })
    expect(run.outcome).toMatchObject({
      status: 'partial',
      reason: '1: 1-1 "a" was aborted: failed: the server is down',
    })
    expect(await names(run)).toEqual(['1-1 a', '1-2 c'])
    expect(run.of('act c')).toHaveLength(1)
  })

  it.each([
    ['a model that fails', () => new Error('gone')],
    ['a plan that can not be used', () => ({ tasks: [planTask({ name: 'x', after: ['nobody'] })] })],
  ])('with %s: the plan stays as it is, and goes on', async (_, mend) => {
    let asked = 0
    const run = await solved({
      'plan all': () => (asked++ === 0 ? plan('a', { name: 'b', after: ['a'] }, 'c') : mend()),
      'act a': DOWN,
    })
    expect(run.outcome).toMatchObject({
      status: 'partial',
      reason: '1: 1-1 "a" was aborted: failed: the server is down; 1 task was not begun',
    })
    expect(await run.notes('dual/mend-failed')).toMatchObject([{ index: '1-1' }])
    expect(run.of('act c')).toHaveLength(1)
    expect(run.of('act b')).toEqual([])
  })

  it('while others run: they go on, and stay in the plan', async () => {
    const run = await solved(
      {
        'plan all': [plan('a', 'b', 'c'), { tasks: [planTask('x'), planTask('c')] }],
        'act a': DOWN,
      },
      { options: { concurrency: 2 } },
    )
    expect(run.outcome.status).toBe('completed')
    expect([...(await names(run))].sort()).toEqual(['1-1 a', '1-2 b', '1-3 x', '1-4 c'])
    for (const name of ['b', 'x', 'c']) expect(run.of(`act ${name}`)).toHaveLength(1)
  })

  it('not where the budget is spent: nothing else is begun', async () => {
    const run = await solveDual(
      'all',
      { 'plan all': [plan('a', 'b', 'c')], 'act a': () => use('look', { n: Math.random() }) },
      { tools: [tool('look', async () => 'nothing')], budget: { calls: 8 } },
    )
    expect(run.outcome).toMatchObject({ status: 'partial', limit: 'calls' })
    expect(run.of('plan all')).toHaveLength(1)
    expect(run.of('act b')).toEqual([])
  })
})

const TWICE_MENDED: TaskScript = {
  'plan all': [
    plan('a', { name: 'b', after: ['a'] }),
    { tasks: [planTask('a2'), planTask('b')] },
    { tasks: [planTask('a3'), planTask('b')] },
  ],
  'act a': DOWN,
}

describe('a mended plan is reviewed as the mode says', () => {
  it('manual: a person who continues after the failure sees it first, and may have it made again', async () => {
    const run = await reviewed(TWICE_MENDED, ['continue', 'unclear: use the mirror', 'continue'])
    expect((await run.outcome()).status).toBe('completed')
    expect(await names(run)).toEqual(['1-1 a', '1-2 a3', '1-3 b'])
    expect(run.of('act a2')).toEqual([])
    expect(run.of('plan all')[2]?.prompt).toContain('use the mirror')
    expect(await run.notes('dual/plan-reviewed')).toMatchObject([
      { choice: 'continue' },
      { choice: 'revise' },
      { choice: 'continue' },
    ])
  })

  it('manual: edits of it count, and an end ends the plan', async () => {
    const edited = await reviewed(TWICE_MENDED, ['continue', 'rename 1-2: look elsewhere'])
    expect(await names(edited)).toEqual(['1-1 a', '1-2 look elsewhere', '1-3 b'])
    expect(edited.of('act look elsewhere')).toHaveLength(1)
    const ended = await reviewed(TWICE_MENDED, ['continue', 'end'])
    expect(await ended.outcome()).toMatchObject({
      status: 'partial',
      reason: '1: 2 tasks were not begun; a person ended it here',
    })
  })

  it('ai: a person is asked where a model sees a risk', async () => {
    const risks = [0, 0, 0.9, 0, 0]
    const run = await startDual(
      'all',
      { ...TWICE_MENDED, 'risk all': () => ({ risk: risks.shift() ?? 0, reason: 'it is another server' }) },
      { options: { review: 'ai' } },
    )
    const asked: string[] = []
    for await (const event of run.run.events) {
      if (event.type !== 'signal-asked' || event.question === undefined) continue
      asked.push(event.question.text)
      await run.run.answer('continue', { question: event.seq })
    }
    expect((await run.outcome()).status).toBe('completed')
    expect(asked).toHaveLength(1)
    expect(asked[0]).toContain('-[ ] 1-2. "a2"')
  })
})

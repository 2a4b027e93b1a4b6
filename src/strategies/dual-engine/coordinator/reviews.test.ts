// Reviews of plans and of tasks, answered from outside; and who is asked.
import { describe, expect, it } from 'vitest'
import { gate, turns } from '../../../../tests/conformance/async.ts'
import { violations } from '../../../../tests/conformance/invariants.ts'
import {
  asks,
  changes,
  type DualRun,
  finish,
  isNote,
  plan,
  planTask,
  solveDual,
  startDual,
  type TaskInput,
  type TaskScript,
} from '../../../../tests/dual/scripted-tasks.ts'

const MANUAL = { options: { review: 'manual' } }

/** Starts it, and gives these answers to reviews of the plan; tasks are continued, unless said otherwise. */
async function reviewed(
  script: TaskScript,
  answers: readonly unknown[],
  taskAnswers: readonly unknown[] = [],
  options: Record<string, unknown> = {},
): Promise<DualRun> {
  const run = await startDual('all', script, { options: { review: 'manual', ...options } })
  const answer = async () => {
    const left = { 'review-plan': [...answers], 'review-task': [...taskAnswers] }
    for await (const event of run.run.events) {
      if (event.type !== 'signal-asked' || event.question === undefined) continue
      const next = left[event.name as keyof typeof left]?.shift() ?? 'continue'
      await run.run.signal(event.path, event.name, next)
    }
  }
  await Promise.all([answer(), run.outcome()])
  const events = await run.events()
  expect(violations(events)).toEqual([])
  expect((await run.engine.replay(run.run.id)).differences).toEqual([])
  return run
}

async function names(run: DualRun): Promise<string[]> {
  const [last] = (await run.notes('dual/plan-changed')).slice(-1) as { tree: Shown }[]
  return shown(last!.tree)
}

interface Shown {
  readonly index: string
  readonly name: string
  readonly subtasks: readonly Shown[]
}

function shown({ index, name, subtasks }: Shown): string[] {
  return [`${index} ${name}`, ...subtasks.flatMap(shown)].filter((line) => !line.startsWith('1 '))
}

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
    await run.run.signal('1', 'review-plan', 'continue')
    await run.see('a task is reviewed', asks('review-task'))
    expect(run.of('act a')).toHaveLength(1)
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
    expect(again?.prompt).toMatch(/The person said: .*what is b for\?/)
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

describe('a review of a task', () => {
  const ABC: TaskScript = { 'plan all': [plan('a', 'b', 'c')] }

  it('tells what came of it', async () => {
    const run = await startDual('all', ABC, MANUAL)
    await run.run.signal('1', 'review-plan', 'continue')
    const asked = await run.see('it asks', asks('review-task'))
    expect(asked).toMatchObject({
      question: { text: expect.stringContaining('1-1 "a" completed: a is done\n') },
    })
    await run.run.cancel()
    await run.outcome()
  })

  it('adjusts the rest of the plan', async () => {
    const run = await reviewed(
      { 'plan all': [plan('a', 'b', 'c'), { tasks: [planTask('x'), planTask('c')] }] },
      [],
      ['adjust: x is needed first'],
    )
    expect((await run.outcome()).status).toBe('completed')
    expect(run.of('plan all')[1]?.prompt).toContain('x is needed first')
    expect(await names(run)).toEqual(['1-1 a', '1-2 x', '1-3 c'])
    expect(run.of('act b')).toEqual([])
  })

  it('may adjust it to nothing more', async () => {
    const run = await reviewed(
      { 'plan all': [plan('a', 'b', 'c'), { tasks: [] }] },
      [],
      ['adjust: that will do'],
    )
    expect((await run.outcome()).status).toBe('completed')
    expect(await names(run)).toEqual(['1-1 a'])
  })

  it('is asked again when nothing came of an adjustment that can be used', async () => {
    const bad = { tasks: [planTask({ name: 'x', after: ['nobody'] })] }
    const run = await reviewed(
      {
        'plan all': [plan('a', 'b'), bad, bad, bad, bad],
        'act a': [finish('nothing', { status: 'failed', reason: 'no' })],
      },
      [],
      ['adjust: do x', 'end'],
    )
    expect(await run.outcome()).toMatchObject({ status: 'partial' })
    expect(await run.notes('dual/edit-refused')).toHaveLength(1)
    expect(run.of('act b')).toEqual([])
  })

  it.each([
    [{ do: 'skip', subtask_index: '1-2', reason: 'no need' }, 'continue', [1, 0]],
    [{ do: 'redo', subtask_index: '1-1', user_message: 'better' }, 'continue', [2, 1]],
    [{ do: 'redo', subtask_index: '1-1', user_message: 'better' }, 'inaccurate: it is 14', [2, 1]],
    [{ do: 'redo', subtask_index: '1-1', user_message: 'better' }, 'deeper', [1, 1]],
  ])('that waits while %j comes in, and then %j, begins a and b so often: %j', async (sent, said, begun) => {
    const script = { 'plan all': [plan('a', 'b'), { tasks: [planTask('a1'), planTask('a2')] }] }
    const run = await startDual('all', script, { options: { review: 'manual' } })
    let sends = 0
    for await (const event of run.run.events) {
      if (event.type !== 'signal-asked' || event.question === undefined) continue
      const first = event.name === 'review-task' && sends++ === 0
      if (first) {
        await run.run.signal('1', 'subtask', sent)
        await run.see('it was taken', isNote('dual/subtask-signalled'))
      }
      await run.run.signal(event.path, event.name, first ? said : 'continue')
    }
    expect((await run.outcome()).status).toBe('completed')
    expect([run.of('act a').length, run.of('act b').length]).toEqual(begun)
    expect(violations(await run.events())).toEqual([])
    expect((await run.engine.replay(run.run.id)).differences).toEqual([])
  })

  it('that adjusts goes on after a failure', async () => {
    const run = await reviewed(
      {
        'plan all': [plan('a', 'b', 'c'), { tasks: [planTask('x')] }],
        'act a': [finish('nothing', { status: 'failed', reason: 'no' })],
      },
      [],
      ['adjust: without it'],
    )
    expect((await run.outcome()).status).toBe('completed')
    expect(run.of('act x')).toHaveLength(1)
  })

  it('that continues after a failure goes on with what does not depend on it; it stays a partial success', async () => {
    const run = await reviewed(
      {
        'plan all': [plan('a', { name: 'b', after: ['a'] }, 'c')],
        'act a': [finish('nothing', { status: 'failed', reason: 'no' })],
      },
      [],
    )
    expect(await run.outcome()).toMatchObject({
      status: 'partial',
      reason: '1: 1-1 "a" was aborted: failed: no; 1 task was not begun',
    })
    expect(run.of('act b')).toEqual([])
    expect(run.of('act c')).toHaveLength(1)
  })

  it('thinks deeper: the task is split and its parts are carried out', async () => {
    const run = await reviewed(
      { 'plan all': [plan('a', 'b'), { tasks: [planTask('a1'), planTask('a2')] }] },
      [],
      ['deeper: look closer'],
    )
    expect((await run.outcome()).status).toBe('completed')
    expect(run.asked.flatMap(({ key }) => (key.startsWith('act') ? [key] : []))).toEqual([
      'act a',
      'act a1',
      'act a2',
      'act b',
    ])
    expect(await names(run)).toEqual(['1-1 a', '1-1-1 a1', '1-1-2 a2', '1-2 b'])
  })

  it('has it done again as inaccurate', async () => {
    const run = await reviewed(ABC, [], ['inaccurate: count again'])
    expect((await run.outcome()).status).toBe('completed')
    expect(run.of('act a').map(({ input }) => [input.attempt, input.redo])).toEqual([
      [1, undefined],
      [2, 'count again'],
    ])
  })

  it('that has the same done again and again without anything new is refused in the end, and the plan stops as partial', async () => {
    const again = Array.from({ length: 9 }, () => 'inaccurate')
    const run = await reviewed(ABC, [], again)
    expect(await run.outcome()).toMatchObject({
      status: 'partial',
      reason: expect.stringContaining('would be the same again without progress'),
    })
    expect(run.of('act a').length).toBeLessThan(6)
    expect(run.of('act b')).toEqual([])
  })

  it('ends it here: what runs is ended, too, the rest stays, and it is not called completed', async () => {
    const slow = gate()
    const run = await reviewed(
      { ...ABC, 'act b': () => slow.opened.then(() => finish('never')) },
      [],
      ['end'],
      { concurrency: 2 },
    )
    expect(await run.outcome()).toMatchObject({
      status: 'partial',
      reason: expect.stringMatching(
        /^1: 1-2 "b" was aborted: .*; 1 task was not begun; a person ended it here$/,
      ),
    })
    expect(changes(await run.events())).toContain('1-2 aborted')
    expect(run.of('sum all')[0]?.prompt).toContain('-[!] 1-2. "b"')
    expect(run.of('act c')).toEqual([])
  })

  it('is not asked for a task that a person skipped', async () => {
    const slow = gate()
    const run = await startDual('all', { ...ABC, 'act a': () => slow.opened.then(() => finish('a')) }, MANUAL)
    await run.run.signal('1', 'review-plan', 'continue')
    await run.seeAsked('act a')
    await run.run.signal('1', 'subtask', { do: 'skip', subtask_index: '1-1', reason: 'no need' })
    const asked = await run.see('it asks', asks('review-task'))
    expect(asked).toMatchObject({ question: { text: expect.stringContaining('1-2 "b" completed') } })
    await run.run.cancel()
    await run.outcome()
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
      { what: 'review-task', risk: 0.69, reason: 'it deletes things' },
    ])
    const asked = (await run.events()).filter((event) => event.type === 'signal-asked' && event.question)
    expect(asked.map((event) => 'name' in event && event.name)).toEqual(['review-task'])
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

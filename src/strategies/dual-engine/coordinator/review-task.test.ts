// Reviews of tasks, answered from outside.

import { describe, expect, it } from 'vitest'
import { answerAt, kindOf } from '../../../../tests/answers.ts'
import { gate } from '../../../../tests/conformance/async.ts'
import { violations } from '../../../../tests/conformance/invariants.ts'
import { names, reviewed } from '../../../../tests/dual/reviewed-runs.ts'
import {
  asks,
  changes,
  finish,
  isNote,
  plan,
  planTask,
  startDual,
  type TaskScript,
} from '../../../../tests/dual/scripted-tasks.ts'

const MANUAL = { options: { review: 'manual' } }

describe('a review of a task', () => {
  const ABC: TaskScript = { 'plan all': [plan('a', 'b', 'c')] }

  it('tells what came of it', async () => {
    const run = await startDual('all', ABC, MANUAL)
    await answerAt(run.run, '1', 'continue')
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
      const first = kindOf(event.name) === 'review-task' && sends++ === 0
      if (first) {
        await run.run.signal('1', 'subtask', sent)
        await run.see('it was taken', isNote('dual/subtask-signalled'))
      }
      await run.run.answer(first ? said : 'continue', { question: event.seq })
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
    await answerAt(run.run, '1', 'continue')
    await run.seeAsked('act a')
    await run.run.signal('1', 'subtask', { do: 'skip', subtask_index: '1-1', reason: 'no need' })
    const asked = await run.see('it asks', asks('review-task'))
    expect(asked).toMatchObject({ question: { text: expect.stringContaining('1-2 "b" completed') } })
    await run.run.cancel()
    await run.outcome()
  })
})

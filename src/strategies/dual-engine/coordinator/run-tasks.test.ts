// Skips and redos, of tasks and of the blocks that carry them out, while the plan is carried out.
import { describe, expect, it } from 'vitest'
import { type Gate, gate } from '../../../../tests/conformance/async.ts'
import { violations } from '../../../../tests/conformance/invariants.ts'
import {
  changes,
  type DualRun,
  type DualSettings,
  finish,
  isNote,
  nested,
  plan,
  startDual,
  type TaskInput,
  type TaskScript,
} from '../../../../tests/dual/scripted-tasks.ts'
import { planOf } from '../views/task-plan.ts'

const PLAN = plan('a', { name: 'b', parts: ['b1', 'b2'] }, 'c')

interface Held extends DualRun {
  /** Lets it go on. */
  release(): void
}

/** The plan with one task that waits in its first attempt until it is let go. */
async function holding(task: string, script: TaskScript = {}, settings: DualSettings = {}): Promise<Held> {
  const held: Gate = gate()
  const started = await startDual(
    'all',
    {
      'plan all': [PLAN],
      [`act ${task}`]: async ({ attempt, redo }: TaskInput) => {
        if (attempt === 1) await held.opened
        return finish(`${task}, attempt ${attempt}${redo === undefined ? '' : `, ${redo}`}`)
      },
      ...script,
    },
    settings,
  )
  await started.seeAsked(`act ${task}`)
  return { ...started, release: () => held.open() }
}

function skip(run: DualRun, subtask_index: string, reason = 'no need') {
  return run.run.signal('1', 'subtask', { do: 'skip', subtask_index, reason })
}

function redo(run: DualRun, subtask_index: string, user_message = 'better') {
  return run.run.signal('1', 'subtask', { do: 'redo', subtask_index, user_message })
}

async function wholeEnd(run: DualRun) {
  const outcome = await run.outcome()
  const events = await run.events()
  expect(violations(events)).toEqual([])
  expect((await run.engine.replay(run.run.id)).differences).toEqual([])
  return { outcome, changed: changes(events) }
}

describe('a skip', () => {
  it('of a running task ends it at once, and the plan goes on', async () => {
    const run = await holding('a')
    await skip(run, '1-1')
    const { outcome, changed } = await wholeEnd(run)
    expect(outcome.status).toBe('completed')
    expect(changed.slice(0, 3)).toEqual(['1-1 processing', '1-1 skipped', '1-2-1 processing'])
    expect((await run.block('1-1')).outcome).toMatchObject({ status: 'cancelled', reason: 'no need' })
    expect(run.of('sum all')[0]?.prompt).toContain('-[/] 1-1. "a" (skipped:no need)')
  })

  it('of a waiting task keeps it from beginning', async () => {
    const run = await holding('a')
    await skip(run, '1-2-2')
    await run.see('it was taken', isNote('dual/subtask-signalled'))
    run.release()
    const { outcome, changed } = await wholeEnd(run)
    expect(outcome.status).toBe('completed')
    expect(run.of('act b2')).toEqual([])
    expect(changed).toContain('1-2-2 skipped')
    expect(changed).toContain('1-2 completed')
  })

  it('of a parent skips all below it, the running ones, too; what has ended stays', async () => {
    const run = await holding('b2')
    await skip(run, '1-2', 'no bread today')
    const { outcome, changed } = await wholeEnd(run)
    expect(outcome.status).toBe('completed')
    expect(changed).toEqual([
      '1-1 processing',
      '1-1 completed',
      '1-2-1 processing',
      '1-2-1 completed',
      '1-2-2 processing',
      '1-2-2 skipped',
      '1-2 skipped',
      '1-3 processing',
      '1-3 completed',
      '1 completed',
    ])
  })

  it('of the whole plan ends it', async () => {
    const run = await holding('a')
    await skip(run, '1')
    const { outcome, changed } = await wholeEnd(run)
    expect(outcome.status).toBe('partial')
    expect(changed.at(-1)).toBe('1 skipped')
    expect(run.asked.map(({ key }) => key)).toEqual(['plan all', 'act a', 'sum all'])
  })

  it('counts as an end for what depends on the task', async () => {
    const run = await holding('a', { 'plan all': [plan('a', { name: 'next', after: ['a'] })] })
    await skip(run, '1-1')
    expect((await wholeEnd(run)).changed).toContain('1-2 completed')
  })

  it('by the kernel, of the block that carries the task out, is one of the task', async () => {
    const run = await holding('a')
    await run.run.signal('1-1', 'skip', 'enough')
    const { outcome, changed } = await wholeEnd(run)
    expect(outcome.status).toBe('completed')
    expect(changed.slice(0, 2)).toEqual(['1-1 processing', '1-1 skipped'])
  })

  it('reaches a plan within a plan, where it is sent to the coordinator below', async () => {
    const held = gate()
    const run = await startDual('all', {
      'plan all': [plan('a')],
      'act a': [nested('the parts')],
      'plan the parts': [plan('left', 'right')],
      'act left': async () => {
        await held.opened
        return finish('never')
      },
    })
    await run.see('it runs', (event) => event.type === 'model-start' && event.path === '1-1-1-1')
    await run.run.signal('1-1-1', 'subtask', { do: 'skip', subtask_index: '1-1-1-1', reason: 'not this' })
    const { outcome } = await wholeEnd(run)
    expect(outcome.status).toBe('completed')
    expect(changes(await run.events(), '1-1-1')).toEqual([
      '1-1-1-1 processing',
      '1-1-1-1 skipped',
      '1-1-1-2 processing',
      '1-1-1-2 completed',
      '1-1-1 completed',
    ])
  })
})

describe('a signal whose words are no text', () => {
  it('is taken all the same', async () => {
    const run = await holding('a')
    await run.run.signal('1', 'subtask', { do: 'redo', subtask_index: '1-1', user_message: { to: 14 } })
    await run.run.signal('1', 'subtask', { do: 'skip', subtask_index: '1-3', reason: ['late'] })
    expect((await wholeEnd(run)).outcome.status).toBe('completed')
    expect(run.of('act a')[1]?.input.redo).toBe('{"to":14}')
    expect(run.of('sum all')[0]?.prompt).toContain('"c" (skipped:["late"])')
  })
})

describe('a redo', () => {
  it('of a running task ends this attempt and begins another, which is told the message', async () => {
    const run = await holding('a')
    await redo(run, '1-1', 'use the other one')
    const { outcome, changed } = await wholeEnd(run)
    expect(outcome.status).toBe('completed')
    expect(changed.slice(0, 5)).toEqual([
      '1-1 processing',
      '1-1 aborted',
      '1-1 created',
      '1-1 processing',
      '1-1 completed',
    ])
    const [, again] = run.of('act a')
    expect(again?.input).toMatchObject({ attempt: 2, redo: 'use the other one' })
    expect(again?.prompt).toContain('The task was done before, and is to be done again: use the other one')
    expect((await run.block('1')).done[0]).toMatch(/^\[cancelled/)
  })

  it('of an ended task does it again while others go on', async () => {
    const run = await holding('c')
    await redo(run, '1-1')
    await run.see('it was taken', isNote('dual/subtask-signalled'))
    run.release()
    const { outcome, changed } = await wholeEnd(run)
    expect(outcome.status).toBe('completed')
    expect(run.of('act a')).toHaveLength(2)
    expect(run.of('act a')[1]?.input).toMatchObject({ attempt: 2, redo: 'better' })
    expect(changed.slice(-4)).toEqual(['1-3 completed', '1-1 processing', '1-1 completed', '1 completed'])
  })

  it('leaves what the earlier attempt came to out of what is summed up', async () => {
    const act = ({ attempt }: TaskInput) => finish(attempt === 1 ? 'the wrong one' : 'the right one')
    const run = await holding('c', { 'act a': act })
    await redo(run, '1-1')
    await run.see('it was taken', isNote('dual/subtask-signalled'))
    run.release()
    await wholeEnd(run)
    const [summed] = run.of('sum all')
    expect(summed?.prompt).toMatch(
      /Result of the task 1-1 a \[completed\]\n<data-\w+ from="result">\nthe right one\n/,
    )
    expect(summed?.prompt).not.toContain('the wrong one')
    // Who does it again sees what it came to before.
    expect(run.of('act a')[1]?.prompt).toContain('What the task came to before:')
    expect(run.of('act a')[1]?.prompt).toContain('the wrong one')
  })

  it('of an ended parent does everything below it again', async () => {
    const run = await holding('c')
    await redo(run, '1-2')
    await run.see('it was taken', isNote('dual/subtask-signalled'))
    run.release()
    expect((await wholeEnd(run)).outcome.status).toBe('completed')
    expect([run.of('act a'), run.of('act b1'), run.of('act b2')].map(({ length }) => length)).toEqual([
      1, 2, 2,
    ])
  })

  it('of a parent in the middle does again what has ended or runs below it', async () => {
    const run = await holding('b2')
    await redo(run, '1-2')
    expect((await wholeEnd(run)).outcome.status).toBe('completed')
    expect([run.of('act b1'), run.of('act b2')].map(({ length }) => length)).toEqual([2, 2])
  })

  it('of a skipped task does it after all', async () => {
    const run = await holding('a')
    await skip(run, '1-3')
    await run.see('it was taken', isNote('dual/subtask-signalled'))
    await redo(run, '1-3', 'after all')
    await run.see('it was taken', isNote('dual/subtask-signalled'), 2)
    run.release()
    const { outcome, changed } = await wholeEnd(run)
    expect(outcome.status).toBe('completed')
    expect(changed).toContain('1-3 completed')
    expect(run.of('act c')[0]?.input).toMatchObject({ attempt: 2, redo: 'after all' })
  })

  describe('reopens what depends on the redone task, and says what stands', () => {
    const CHAIN = plan(
      'a',
      { name: 'b', after: ['a'] },
      'c',
      { name: 'd', after: ['b'] },
      { name: 'e', parts: ['e1', 'e2'], after: ['d'] },
      'last',
    )
    const times = (run: DualRun, ...of: string[]) => of.map((name) => run.of(`act ${name}`).length)

    it('all that builds on it, directly or through others, is done again after it; the rest stands', async () => {
      const run = await holding('last', { 'plan all': [CHAIN] })
      await redo(run, '1-1', 'count again')
      await run.see('it was taken', isNote('dual/subtask-signalled'))
      run.release()
      const { outcome, changed } = await wholeEnd(run)
      expect(outcome.status).toBe('completed')
      expect(times(run, 'a', 'b', 'c', 'd', 'e1', 'e2', 'last')).toEqual([2, 2, 1, 2, 2, 2, 1])
      expect(await run.notes('dual/subtask-signalled')).toMatchObject([
        { reopened: ['1-2', '1-4', '1-5-1', '1-5-2'], stands: ['1-3', '1-6'] },
      ])
      const again = changed.slice(changed.indexOf('1-1 created'))
      const order = again.filter((change) => change.endsWith('processing'))
      expect(order).toEqual(['1-1', '1-2', '1-4', '1-5-1', '1-5-2'].map((index) => `${index} processing`))
      expect(run.of('act b')[1]?.input.redo).toBe('the task 1-1 "a", which it builds on, is done again')
    })

    it('also what runs, is done again; what was skipped stays so', async () => {
      const run = await holding('d', { 'plan all': [CHAIN] })
      await skip(run, '1-5-2')
      await run.see('it was taken', isNote('dual/subtask-signalled'))
      await redo(run, '1-1')
      const { outcome, changed } = await wholeEnd(run)
      expect(outcome.status).toBe('completed')
      expect(times(run, 'a', 'b', 'c', 'd', 'e1', 'e2')).toEqual([2, 2, 1, 2, 1, 0])
      expect(changed).toContain('1-5-2 skipped')
      expect(changed).not.toContain('1-5-2 created')
    })

    it('by the kernel, too', async () => {
      let n = 0
      const run = await holding('last', { 'plan all': [CHAIN], 'act a': () => finish(`a, ${++n}`) })
      await run.run.signal('1-1', 'redo', 'again')
      run.release()
      expect((await wholeEnd(run)).outcome.status).toBe('completed')
      expect(times(run, 'a', 'b', 'c', 'd', 'e1')).toEqual([2, 2, 1, 2, 2])
      expect(run.of('act b')[1]?.prompt).toContain('a, 2')
    })
  })

  it('by the kernel, of a block and of one that builds on it, is done once for each', async () => {
    let n = 0
    const run = await holding('c', {
      'plan all': [plan('a', { name: 'b', after: ['a'] }, 'c')],
      'act a': () => finish(`a, ${++n}`),
      'act b': () => finish(`b, ${++n}`),
    })
    await run.run.signal('1-1', 'redo', 'again')
    await run.run.signal('1-2', 'redo', 'again, too')
    run.release()
    const { outcome, changed } = await wholeEnd(run)
    expect(outcome.status).toBe('completed')
    expect(changed.filter((change) => change === '1-2 completed').length).toBeGreaterThan(1)
    expect(run.of('sum all')[0]?.prompt).toContain('-[x] 1-2. "b"')
  })

  describe('that is skipped keeps the first attempt’s result', () => {
    const CHAIN = plan('a', { name: 'b', after: ['a'] }, 'c')

    it('while it waits: the task is as it was, and so is what depends on it', async () => {
      const run = await holding('c', { 'plan all': [CHAIN] })
      await redo(run, '1-1')
      await run.see('it was taken', isNote('dual/subtask-signalled'))
      await skip(run, '1-1', 'never mind')
      await run.see('it was taken', isNote('dual/subtask-signalled'), 2)
      run.release()
      const { outcome, changed } = await wholeEnd(run)
      expect(outcome.status).toBe('completed')
      expect([run.of('act a').length, run.of('act b').length]).toEqual([1, 1])
      const again = changed.slice(changed.indexOf('1-1 created'))
      expect(again).toEqual([
        ...['1-1 created', '1-2 created', '1-1 skipped', '1-1 completed', '1-2 completed'],
        ...['1-3 completed', '1 completed'],
      ])
      const [summed] = run.of('sum all')
      expect(summed?.prompt).toContain('-[x] 1-1. "a" (Finished:a is done)')
      expect(summed?.prompt).toMatch(
        /Result of the task 1-1 a \[completed\]\n<data-\w+ from="result">\na is done\n/,
      )
    })

    it('while it runs: its block ends, and the earlier result is the task’s again', async () => {
      const held = gate()
      const run = await startDual('all', {
        'plan all': [CHAIN],
        'act a': async ({ attempt }: TaskInput) => {
          if (attempt > 1) await held.opened
          return finish(`a, attempt ${attempt}`)
        },
        'act c': async () => {
          await redo(run, '1-1')
          await run.see('it was taken', isNote('dual/subtask-signalled'))
          return finish('c')
        },
      })
      await run.seeAsked('act a', 2)
      await skip(run, '1-1')
      const { outcome } = await wholeEnd(run)
      expect(outcome.status).toBe('completed')
      expect([run.of('act a').length, run.of('act b').length]).toEqual([2, 1])
      expect(run.of('sum all')[0]?.prompt).toContain('a, attempt 1')
      const { root } = planOf(await run.events(), '1')
      expect(root?.subtasks[0]).toMatchObject({
        status: 'completed',
        attempt: 1,
        task_summary: 'a, attempt 1',
      })
    })

    it('by the kernel, of its block, too', async () => {
      const run = await startDual('all', {
        'plan all': [plan('a', 'c')],
        'act a': ({ attempt }: TaskInput) => (attempt > 1 ? new Promise(() => {}) : finish('the first one')),
        'act c': async () => {
          await redo(run, '1-1')
          await run.see('it was taken', isNote('dual/subtask-signalled'))
          return finish('c')
        },
      })
      await run.seeAsked('act a', 2)
      await run.run.signal('1-3', 'skip', 'enough')
      const { outcome, changed } = await wholeEnd(run)
      expect(outcome.status).toBe('completed')
      expect(changed.slice(-2)).toEqual(['1-1 completed', '1 completed'])
      expect(run.of('sum all')[0]?.prompt).toContain('the first one')
    })

    it('also where that was not completed: it is summed up, and the task counts as skipped', async () => {
      const run = await holding('c', {
        'plan all': [plan('a', 'c')],
        'act a': [finish('half of it', { status: 'partial', reason: 'no time' })],
      })
      await redo(run, '1-1')
      await run.see('it was taken', isNote('dual/subtask-signalled'))
      await skip(run, '1-1')
      await run.see('it was taken', isNote('dual/subtask-signalled'), 2)
      run.release()
      const { outcome, changed } = await wholeEnd(run)
      expect(outcome.status).toBe('completed')
      expect(changed).toContain('1-1 skipped')
      expect(run.of('sum all')[0]?.prompt).toContain('half of it')
    })
  })

  it('of a failed task lets a plan that has stopped go on', async () => {
    const sum = gate()
    const run = await startDual('all', {
      'plan all': [plan('a', 'b')],
      'act a': [finish('half', { status: 'partial', reason: 'no' })],
      'sum all': [() => sum.opened.then(() => ({ result: 'stale' })), { result: 'all of it' }],
    })
    await run.seeAsked('sum all')
    await redo(run, '1-1')
    expect((await wholeEnd(run)).outcome).toMatchObject({ status: 'completed', result: 'all of it' })
    expect(run.of('act b')).toHaveLength(1)
  })

  it('that comes when a skip has ended the running attempt, or the other way round, leaves one attempt running', async () => {
    for (const [first, second, last] of [
      [skip, redo, 'completed'],
      [redo, skip, 'skipped'],
    ] as const) {
      const run = await holding('a', { 'act b1': [finish('b1')] })
      await Promise.all([first(run, '1-1'), second(run, '1-1')])
      const { outcome, changed } = await wholeEnd(run)
      expect(outcome.status).toBe('completed')
      expect(changed.filter((change) => change.startsWith('1-1 ')).at(-1)).toBe(`1-1 ${last}`)
    }
  })

  it('by the kernel, of a running block, goes on behind the same task', async () => {
    let times = 0
    const run = await holding('a', {
      'act a': async () => (++times === 1 ? new Promise(() => {}) : finish('a, done again')),
    })
    await run.run.signal('1-1', 'redo', 'like this')
    const { outcome, changed } = await wholeEnd(run)
    expect(outcome.status).toBe('completed')
    expect(changed.slice(0, 2)).toEqual(['1-1 processing', '1-1 completed'])
    expect(run.of('act a')[1]?.prompt).toContain('The person says: like this')
    expect(run.of('sum all')[0]?.prompt).toContain('(Finished:a, done again)')
  })

  it('by the kernel, of a block that has ended, gives its task the last outcome', async () => {
    let times = 0
    const run = await holding('c', { 'act a': () => finish(`a, ${++times}`) })
    await run.run.signal('1-1', 'redo', 'again')
    run.release()
    const { outcome } = await wholeEnd(run)
    expect(outcome.status).toBe('completed')
    expect(run.of('sum all')[0]?.prompt).toContain('-[x] 1-1. "a" (Finished:a, 2) (attempt 2)')
  })

  it('by the kernel, while the summary is made, is summed up', async () => {
    let times = 0
    const sum = gate()
    const run = await startDual('all', {
      'plan all': [plan('a', 'b')],
      'act a': () => finish(`a, ${++times}`),
      'sum all': [
        () => sum.opened.then(() => ({ result: 'stale' })),
        ({ progress }: TaskInput) => ({ result: progress }),
      ],
    })
    await run.seeAsked('sum all')
    await run.run.signal('1-1', 'redo', 'again')
    sum.open()
    const { outcome } = await wholeEnd(run)
    expect(outcome.result).toContain('(Finished:a, 2)')
  })
})

describe('what can not be done', () => {
  it.each([
    [{ do: 'skip', subtask_index: '1-9' }, 'there is no such task'],
    [{ do: 'burn', subtask_index: '1-1' }, 'a task can be skipped or done again'],
    [{ do: 'redo', subtask_index: '1-1', user_message: ' ' }, 'a redo needs a message'],
    [{ do: 'redo', subtask_index: '1-3', user_message: 'x' }, 'it has not begun'],
    [{ do: 'skip', subtask_index: '1-1' }, 'it is completed already'],
    [{ do: 'skip', subtask_index: { a: 1 } }, 'there is no such task'],
    [{ do: 'redo', subtask_index: '1-1', user_message: null }, 'a redo needs a message'],
    [{ do: 'redo', subtask_index: '1-3', user_message: 5 }, 'it has not begun'],
    ['nonsense', 'there is no such task'],
    [null, 'there is no such task'],
  ])('%j is told, and changes nothing', async (signal, problem) => {
    const run = await holding('b1')
    await run.run.signal('1', 'subtask', signal)
    await run.see('it was taken', isNote('dual/subtask-signalled'))
    run.release()
    const { outcome, changed } = await wholeEnd(run)
    expect(outcome.status).toBe('completed')
    expect(changed.filter((change) => change.endsWith('created') || change.endsWith('skipped'))).toEqual([])
    expect((await run.notes('dual/subtask-signalled'))[0]?.problem).toContain(problem)
  })
})

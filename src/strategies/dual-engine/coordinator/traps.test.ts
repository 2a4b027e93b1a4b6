// The traps that section 5 of the strategies page names: what went wrong in the system that the document describes.
import { describe, expect, it } from 'vitest'
import { gate } from '../../../../tests/conformance/async.ts'
import {
  changes,
  finish,
  nested,
  plan,
  solveDual,
  startDual,
  type TaskInput,
  tool,
  use,
} from '../../../../tests/dual/scripted-tasks.ts'
import { setStatus } from '../tasks/change-tasks.ts'
import { depthFirst, isLeaf } from '../tasks/task.ts'
import { buildTree, findTask, type TaskTree } from '../tasks/tree.ts'

const look = tool('look', async (input) => ({ seen: input }))

describe('trap: what did not succeed ends as completed', () => {
  it('trap: max iterations end the task, and the plan, as partial', async () => {
    const { outcome, events, block } = await solveDual(
      'all',
      { 'plan all': [plan('a', 'b')], 'act a': ({ iteration }: TaskInput) => use('look', { iteration }) },
      { tools: [look], options: { maxIterations: 3 } },
    )
    expect((await block('1-1')).outcome?.status).toBe('partial')
    expect(changes(events).slice(0, 2)).toEqual(['1-1 processing', '1-1 aborted'])
    expect(changes(events).at(-1)).toBe('1 aborted')
    expect(outcome.status).toBe('partial')
  })

  it('trap: a failing model fails the task, and the plan is partial', async () => {
    const { outcome, events, block } = await solveDual('all', {
      'plan all': [plan('a', 'b')],
      'act a': () => new Error('the model is gone'),
    })
    expect((await block('1-1')).outcome).toMatchObject({ status: 'failed', code: 'MODEL_ERROR' })
    expect(changes(events).slice(0, 2)).toEqual(['1-1 processing', '1-1 aborted'])
    expect(changes(events).at(-1)).toBe('1 aborted')
    expect(outcome.status).toBe('partial')
  })

  it('trap: a model that fails while the plan is made fails the run', async () => {
    const { outcome } = await solveDual('all', { 'plan all': () => new Error('the model is gone') })
    expect(outcome).toMatchObject({ status: 'failed', code: 'MODEL_ERROR' })
  })

  it('trap: a cancelled task is aborted, and the plan is partial; a cancelled run is cancelled', async () => {
    for (const path of ['1-1', '1']) {
      const run = await startDual('all', {
        'plan all': [plan('a', 'b')],
        'act a': () => new Promise(() => {}),
      })
      await run.seeAsked('act a')
      if (path === '1') await run.run.cancel('stop')
      else await run.run.signal(path, 'cancel', 'stop')
      const outcome = await run.outcome()
      expect((await run.block('1-1')).outcome?.status).toBe('cancelled')
      expect(outcome.status).toBe(path === '1' ? 'cancelled' : 'partial')
      if (path !== '1') expect(changes(await run.events()).at(-1)).toBe('1-1 aborted')
      expect(run.of('act b')).toEqual([])
    }
  })
})

describe('trap: redo during the last task does nothing', () => {
  it('trap: a redo of the last task while it runs', async () => {
    const run = await startDual('all', {
      'plan all': [plan('a', 'last')],
      'act last': ({ attempt, redo }: TaskInput) =>
        attempt === 1 ? new Promise(() => {}) : finish(`last, ${redo}`),
    })
    await run.seeAsked('act last')
    await run.run.signal('1', 'subtask', { do: 'redo', subtask_index: '1-2', user_message: 'better' })
    expect(await run.outcome()).toMatchObject({ status: 'completed' })
    expect(run.of('sum all').at(-1)?.prompt).toContain('(Finished:last, better) (attempt 2)')
  })

  it('trap: a redo of an earlier task while the last one runs', async () => {
    const last = gate()
    const run = await startDual('all', {
      'plan all': [plan('a', 'last')],
      'act a': ({ attempt }: TaskInput) => finish(`a, attempt ${attempt}`),
      'act last': () => last.opened.then(() => finish('last')),
    })
    await run.seeAsked('act last')
    await run.run.signal('1', 'subtask', { do: 'redo', subtask_index: '1-1', user_message: 'better' })
    last.open()
    expect(await run.outcome()).toMatchObject({ status: 'completed' })
    expect(run.of('sum all').at(-1)?.prompt).toContain('(Finished:a, attempt 2)')
  })

  it('trap: a redo of the last task when it has ended, while the summary is made', async () => {
    const run = await startDual('all', {
      'plan all': [plan('a', 'last')],
      'act last': ({ attempt }: TaskInput) => finish(`last, attempt ${attempt}`),
      'sum all': [() => new Promise(() => {}), ({ progress }: TaskInput) => ({ result: progress })],
    })
    await run.seeAsked('sum all')
    await run.run.signal('1', 'subtask', { do: 'redo', subtask_index: '1-2', user_message: 'better' })
    const outcome = await run.outcome()
    expect(outcome.status).toBe('completed')
    expect(outcome.result).toContain('(Finished:last, attempt 2)')
  })
})

describe('trap: redo fails the whole plan through an already cancelled context', () => {
  it('trap: the new attempt has a fresh signal, tools and plans of its own, and the plan goes on after it', async () => {
    const signals: boolean[] = []
    const probe = tool('probe', async (_, { signal }) => {
      signals.push(signal.aborted)
      return 'fine'
    })
    const run = await startDual(
      'all',
      {
        'plan all': [plan('a', 'b')],
        'act a': ({ attempt, iteration, history }: TaskInput) => {
          if (attempt === 1) return new Promise(() => {})
          return [use('probe'), nested('the parts'), finish(history.at(-1)?.text ?? '')][iteration - 1]
        },
        'plan the parts': [plan('left')],
      },
      { tools: [probe] },
    )
    await run.seeAsked('act a')
    await run.run.signal('1', 'subtask', { do: 'redo', subtask_index: '1-1', user_message: 'better' })
    expect(await run.outcome()).toMatchObject({
      status: 'completed',
      result: expect.stringContaining('completed: left is done; b is done'),
    })
    expect(signals).toEqual([false])
  })
})

describe('trap: a second compaction loses the first', () => {
  it('trap: what the first summary said stands in every later prompt', async () => {
    let page = 0
    const read = tool('read', async () => `page ${++page} ${'word '.repeat(1_200)}`)
    let compactions = 0
    const { of } = await solveDual(
      'all',
      {
        'plan all': [plan('a')],
        'act a': ({ iteration }: TaskInput) => (iteration < 50 ? use('read', { iteration }) : finish('done')),
        'compact a': () => ({ summary: `the treasure of chapter ${++compactions}` }),
      },
      { tools: [read], promptTokens: 16_000 },
    )
    expect(compactions).toBeGreaterThan(2)
    const prompts = of('act a').map(({ prompt }) => prompt)
    const first = prompts.findIndex((prompt) => prompt.includes('the treasure of chapter 1'))
    for (const prompt of prompts.slice(first)) expect(prompt).toContain('the treasure of chapter 1')
    expect(prompts.at(-1)).toContain(`the treasure of chapter ${compactions}`)
  })
})

describe('trap: a finished parent is drawn as running', () => {
  it('trap: a parent whose tasks have all ended shows [x] in the prompts of those that come after', async () => {
    const { of } = await solveDual('all', {
      'plan all': [plan({ name: 'first', parts: ['a', 'b'] }, 'last')],
    })
    const prompt = of('act last')[0]?.prompt
    expect(prompt).toMatch(/-\[x\] 1-1\. "first"/)
    expect(prompt).not.toMatch(/-\[[-~ ]\] 1-1\. "first"/)
    expect(of('sum all')[0]?.prompt).toMatch(/-\[x\] 1\. "all of it"/)
  })
})

describe('trap: a lookup that is quadratic', () => {
  /** A tree of so many leaves, ten below each parent. */
  function tree(leaves: number): TaskTree {
    const parts = Array.from({ length: leaves / 10 }, (_, i) => ({
      name: `p${i}`,
      parts: Array.from({ length: 10 }, (_unused, j) => `p${i} l${j}`),
    }))
    return buildTree(plan(...parts) as never)
  }

  /** How often the tree is gone down from a task while this is done. */
  function looksDuring(one: TaskTree, work: () => void): number {
    let looks = 0
    for (const task of depthFirst(one.root)) {
      let { subtasks } = task
      Object.defineProperty(task, 'subtasks', {
        get: () => {
          looks++
          return subtasks
        },
        set: (changed) => (subtasks = changed),
      })
    }
    work()
    return looks
  }

  it('trap: a task is found by index and by id without looking at any other', () => {
    const one = tree(1_000)
    const tasks = depthFirst(one.root)
    const looks = looksDuring(one, () => {
      for (const task of tasks) {
        if (findTask(one, task.index) !== task || findTask(one, task.id) !== task)
          throw new Error(`${task.index} is another task`)
      }
    })
    expect(looks).toBe(0)
  })

  it('trap: finding and ending every task, one after the other, looks at each a few times, in a tree of any size', () => {
    const looksPerTask = (leaves: number) => {
      const one = tree(leaves)
      const all = depthFirst(one.root)
      const ends = all.filter(isLeaf).map(({ index }) => index)
      const looks = looksDuring(one, () => {
        for (const index of ends)
          for (const status of ['queueing', 'processing', 'completed'] as const) setStatus(one, index, status)
      })
      expect(one.root.status).toBe('completed')
      return looks / all.length
    }
    expect(looksPerTask(4_000)).toBeLessThan(looksPerTask(100) + 2)
  })
})

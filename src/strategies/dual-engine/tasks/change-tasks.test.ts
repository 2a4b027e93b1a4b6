import { describe, expect, it } from 'vitest'
import { redoTask, setStatus, skipTask } from './change-tasks.ts'
import { depthFirst, type PlanTask, type StatusChange } from './task.ts'
import { buildTree, type TaskTree, taskAt } from './tree.ts'

/** `['a', 'b', ['c', 'd']]`: c and d are parts of b. */
type Names = (string | Names)[]

function treeOf(names: Names): TaskTree {
  const tasksOf = (list: Names): PlanTask[] =>
    list.flatMap((name, i) => {
      if (typeof name !== 'string') return []
      const below = list[i + 1]
      const subtasks = Array.isArray(below) ? { subtasks: tasksOf(below) } : {}
      return [{ subtask_name: name, subtask_goal: `${name} is done`, ...subtasks }]
    })
  return buildTree({ main_task: 'main', main_task_goal: 'all is done', tasks: tasksOf(names) })
}

const told = (changes: StatusChange[]) => changes.map(({ index, from, to }) => `${index} ${from} → ${to}`)

function run(tree: TaskTree, index: string, end: 'completed' | 'aborted' = 'completed'): StatusChange[] {
  return [
    ...setStatus(tree, index, 'queueing'),
    ...setStatus(tree, index, 'processing'),
    ...setStatus(tree, index, end, end === 'aborted' ? 'no way' : undefined),
  ]
}

const statuses = (tree: TaskTree) =>
  Object.fromEntries(depthFirst(tree.root).map(({ name, status }) => [name, status]))

describe('a change of status', () => {
  it('begins the parents with the first task below, and ends them with the last', () => {
    const tree = treeOf(['a', ['b', 'c'], 'd'])
    expect(told(run(tree, '1-1-1'))).toEqual([
      '1 created → queueing',
      '1-1 created → queueing',
      '1-1-1 created → queueing',
      '1-1-1 queueing → processing',
      '1-1-1 processing → completed',
    ])
    expect(told(run(tree, '1-1-2'))).toEqual([
      '1-1-2 created → queueing',
      '1-1-2 queueing → processing',
      '1-1-2 processing → completed',
      '1-1 queueing → completed',
    ])
    expect(told(run(tree, '1-2')).slice(-2)).toEqual(['1-2 processing → completed', '1 queueing → completed'])
  })

  it('can be told by id, and tells ids', () => {
    const tree = treeOf(['a', 'b'])
    const { id } = taskAt(tree, '1-2')
    expect(setStatus(tree, id, 'queueing').at(-1)).toEqual({
      id,
      index: '1-2',
      from: 'created',
      to: 'queueing',
    })
  })

  it('that is not allowed throws and changes nothing', () => {
    const tree = treeOf(['a', 'b'])
    expect(() => setStatus(tree, '1-1', 'completed')).toThrow('1-1 "a" can\'t go from created to completed')
    run(tree, '1-1')
    expect(() => setStatus(tree, '1-1', 'aborted')).toThrow(/from completed to aborted/)
    expect(() => setStatus(tree, '1-1', 'created')).toThrow(/from completed to created/)
    expect(() => setStatus(tree, '1', 'completed')).toThrow('1 of its sub-tasks are open')
    expect(statuses(tree)).toEqual({ main: 'queueing', a: 'completed', b: 'created' })
  })

  it('to aborted keeps the reason, leaves the rest untouched, and fails the parent when all has ended', () => {
    const tree = treeOf(['a', ['b', 'c'], 'd'])
    run(tree, '1-1-1', 'aborted')
    expect(taskAt(tree, '1-1-1').reason).toBe('no way')
    expect(statuses(tree)).toMatchObject({ a: 'queueing', c: 'created', main: 'queueing' })
    const changes = run(tree, '1-1-2')
    expect(changes.at(-1)).toMatchObject({ index: '1-1', to: 'aborted', reason: 'aborted below: 1-1-1' })
    expect(run(tree, '1-2').at(-1)).toMatchObject({ index: '1', to: 'aborted', reason: 'aborted below: 1-1' })
  })
})

describe('skipping', () => {
  it('a parent skips what has not ended below it', () => {
    const tree = treeOf(['a', ['b', 'c', ['d', 'e']], 'f'])
    run(tree, '1-1-1')
    const changes = skipTask(tree, '1-1', 'not wanted')
    expect(changes.map(({ index, to, reason }) => `${index} ${to} ${reason}`)).toEqual(
      ['1-1-2-1', '1-1-2-2', '1-1-2', '1-1'].map((index) => `${index} skipped not wanted`),
    )
    expect(statuses(tree)).toMatchObject({ main: 'queueing', b: 'completed', f: 'created' })
    expect(taskAt(tree, '1-1-2-1').reason).toBe('not wanted')
  })

  it('counts as an end for the parent', () => {
    const tree = treeOf(['a', 'b'])
    run(tree, '1-1')
    expect(told(skipTask(tree, '1-2', ''))).toEqual(['1-2 created → skipped', '1 queueing → completed'])
  })

  it('everything ends a parent that never began, by the way that is allowed', () => {
    const tree = treeOf(['a', ['b'], 'c'])
    expect(told(setStatus(tree, '1-1-1', 'skipped', 'no'))).toEqual([
      '1-1-1 created → skipped',
      '1-1 created → queueing',
      '1-1 queueing → completed',
    ])
  })

  it('is not for what has ended', () => {
    const tree = treeOf(['a', 'b'])
    run(tree, '1-1')
    expect(() => skipTask(tree, '1-1', 'late')).toThrow(/from completed to skipped/)
  })
})

describe('a redo', () => {
  it('needs a message, and a task that has ended', () => {
    const tree = treeOf(['a', 'b'])
    expect(() => redoTask(tree, '1-1', 'again')).toThrow(/is created: only a task that has ended/)
    run(tree, '1-1')
    expect(() => redoTask(tree, '1-1', '  ')).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
  })

  it('is a fresh attempt that knows what was said', () => {
    const tree = treeOf(['a', 'b'])
    run(tree, '1-1', 'aborted')
    const task = Object.assign(taskAt(tree, '1-1'), { task_summary: 'half', tool_call_results: { c1: 'r1' } })
    expect(redoTask(tree, '1-1', 'read the other file')).toEqual([
      { id: task.id, index: '1-1', from: 'aborted', to: 'created', reason: 'read the other file' },
    ])
    expect(task).toMatchObject({
      status: 'created',
      attempt: 2,
      task_summary: '',
      tool_call_results: {},
      redo_message: 'read the other file',
    })
    expect(task.reason).toBeUndefined()
  })

  it('of the last task opens what had ended with it, and ends it again', () => {
    const tree = treeOf(['a', 'b', ['c']])
    run(tree, '1-1')
    run(tree, '1-2-1')
    expect(tree.root.status).toBe('completed')
    expect(told(redoTask(tree, '1-2-1', 'better'))).toEqual([
      '1 completed → created',
      '1-2 completed → created',
      '1-2-1 completed → created',
    ])
    expect(told(run(tree, '1-2-1')).slice(-2)).toEqual(['1-2 queueing → completed', '1 queueing → completed'])
    expect(taskAt(tree, '1-1').attempt).toBe(1)
  })

  it('of an aborted task lets its parent be completed after all', () => {
    const tree = treeOf(['a', 'b'])
    run(tree, '1-1', 'aborted')
    run(tree, '1-2')
    expect(tree.root.status).toBe('aborted')
    redoTask(tree, '1-1', 'better')
    run(tree, '1-1')
    expect(tree.root).toMatchObject({ status: 'completed', attempt: 2 })
  })

  it('of a parent does everything below it again', () => {
    const tree = treeOf(['a', ['b', 'c'], 'd'])
    run(tree, '1-1-1')
    skipTask(tree, '1-1-2', 'no')
    redoTask(tree, '1-1', 'all of it')
    expect(statuses(tree)).toEqual({
      main: 'queueing',
      a: 'created',
      b: 'created',
      c: 'created',
      d: 'created',
    })
    expect(taskAt(tree, '1-1-2')).toMatchObject({ attempt: 2, redo_message: 'all of it' })
  })
})

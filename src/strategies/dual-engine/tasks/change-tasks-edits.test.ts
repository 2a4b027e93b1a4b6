import { describe, expect, it } from 'vitest'
import {
  addTasks,
  adjustPlan,
  redoTask,
  removeTask,
  renameTask,
  reorderTasks,
  setDependencies,
  setStatus,
  splitTask,
} from './change-tasks.ts'
import { depthFirst, type PlanTask, type StatusChange } from './task.ts'
import { buildTree, planOf, type TaskTree, taskAt } from './tree.ts'

function task(name: string, more: Partial<PlanTask> = {}): PlanTask {
  return { subtask_name: name, subtask_goal: `${name} is done`, ...more }
}

function sample(): TaskTree {
  return buildTree({
    main_task: 'main',
    main_task_goal: 'all is done',
    tasks: [
      task('read', { subtasks: [task('open'), task('parse')] }),
      task('think', { depends_on: ['parse'] }),
      task('write', { depends_on: ['think', 'read'] }),
    ],
  })
}

const shape = (tree: TaskTree) => depthFirst(tree.root).map(({ index, name }) => `${index} ${name}`)
const told = (changes: StatusChange[]) => changes.map(({ index, from, to }) => `${index} ${from} → ${to}`)

function run(tree: TaskTree, ...indices: string[]): void {
  for (const index of indices)
    for (const status of ['queueing', 'processing', 'completed'] as const) setStatus(tree, index, status)
}

/** What was refused must not have changed anything. */
function refused(tree: TaskTree, edit: () => unknown, message: string | RegExp): void {
  const before = JSON.stringify(tree.root)
  expect(edit).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringMatching(message) }),
  )
  expect(JSON.stringify(tree.root)).toBe(before)
}

describe('editing a plan', () => {
  it('changes what a task waits for, and refuses circles and what has begun', () => {
    const tree = sample()
    setDependencies(tree, '1-3', ['1-1-1', '1-1-1'])
    expect(planOf(tree).tasks[2]?.depends_on).toEqual(['open'])
    setDependencies(tree, '1-3', [])
    expect(planOf(tree).tasks[2]?.depends_on).toBeUndefined()
    refused(tree, () => setDependencies(tree, '1-1', ['1-2']), /circle: "read" → "think"|circle/)
    refused(tree, () => setDependencies(tree, '1-2', ['1-2']), /circle/)
    refused(tree, () => setDependencies(tree, '1-2', ['1-9']), /no task 1-9/)
    refused(tree, () => setDependencies(tree, '1', ['1-2']), /main task/)
    run(tree, '1-1-1')
    refused(tree, () => setDependencies(tree, '1-1', []), /1-1-1 is completed/)
  })

  it('renames, and what depends on the task still does', () => {
    const tree = sample()
    expect(renameTask(tree, '1-2', { name: ' ponder ', goal: 'it is clear' })).toEqual([])
    expect(planOf(tree).tasks[1]).toMatchObject({ subtask_name: 'ponder', subtask_goal: 'it is clear' })
    expect(planOf(tree).tasks[2]?.depends_on).toEqual(['ponder', 'read'])
    refused(tree, () => renameTask(tree, '1-2', { name: 'write' }), /"write" is taken/)
    refused(tree, () => renameTask(tree, '1-2', { name: ' ' }), /must have a name/)
  })

  it('removes with all below, and nothing waits for it any more; indices move, ids do not', () => {
    const tree = sample()
    const { id } = taskAt(tree, '1-3')
    removeTask(tree, '1-1')
    expect(shape(tree)).toEqual(['1 main', '1-1 think', '1-2 write'])
    expect(taskAt(tree, id).index).toBe('1-2')
    expect(planOf(tree).tasks.map(({ depends_on = [] }) => depends_on)).toEqual([[], ['think']])
  })

  it('does not remove what has begun, the main task, or the last one', () => {
    const tree = sample()
    run(tree, '1-1-1')
    refused(tree, () => removeTask(tree, '1-1'), /1-1-1 is completed: skip it/)
    refused(tree, () => removeTask(tree, '1'), /main task/)
    const small = buildTree({ main_task: 'm', main_task_goal: 'g', tasks: [task('a')] })
    refused(small, () => removeTask(small, '1-1'), /without sub-tasks/)
  })

  it('ends a parent whose last open task is removed', () => {
    const tree = sample()
    run(tree, '1-1-1')
    expect(told(removeTask(tree, '1-1-2'))).toEqual(['1-1 queueing → completed'])
  })

  it('adds tasks anywhere, and sub-tasks to a task that had none', () => {
    const tree = sample()
    addTasks(tree, '1', [task('check', { depends_on: ['write'] })])
    addTasks(tree, '1', [task('greet')], 0)
    addTasks(tree, '1-4', [task('draft'), task('polish', { depends_on: ['draft', '1-3'] })])
    expect(shape(tree)).toEqual([
      '1 main',
      '1-1 greet',
      '1-2 read',
      '1-2-1 open',
      '1-2-2 parse',
      '1-3 think',
      '1-4 write',
      '1-4-1 draft',
      '1-4-2 polish',
      '1-5 check',
    ])
    expect(planOf(tree).tasks[3]?.subtasks?.[1]?.depends_on).toEqual(['draft', 'think'])
  })

  it('refuses names that are taken, unknown dependencies and circles', () => {
    const tree = sample()
    refused(tree, () => addTasks(tree, '1', [task('parse')]), /"parse" is taken/)
    refused(tree, () => addTasks(tree, '1', [task('x'), task('x')]), /"x" is taken/)
    refused(tree, () => addTasks(tree, '1', [task('x', { depends_on: ['y'] })]), /no task "y"/)
    refused(
      tree,
      () => addTasks(tree, '1-1', [task('x', { depends_on: ['write'] })]),
      /circle: "read" → "x" → "write" → "read"$/,
    )
    refused(tree, () => addTasks(tree, '1-1', [task('x', { depends_on: ['1'] })]), /circle/)
    refused(tree, () => addTasks(tree, '1-1', []), /no tasks to add/)
  })

  it('opens an ended parent again when tasks are added to it, but not an ended leaf', () => {
    const tree = sample()
    run(tree, '1-1-1', '1-1-2', '1-2', '1-3')
    refused(tree, () => addTasks(tree, '1-2', [task('x')]), /split it/)
    expect(told(addTasks(tree, '1-1', [task('x')]))).toEqual([
      '1 completed → created',
      '1-1 completed → created',
    ])
    run(tree, '1-1-3')
    expect(tree.root).toMatchObject({ status: 'completed', attempt: 2 })
  })

  it('puts sub-tasks into another order', () => {
    const tree = sample()
    const { id } = taskAt(tree, '1-3')
    reorderTasks(tree, '1', [id, '1-1', '1-2'])
    expect(shape(tree).filter((line) => /^1-\d /.test(line))).toEqual(['1-1 write', '1-2 read', '1-3 think'])
    expect(taskAt(tree, id).index).toBe('1-1')
    refused(tree, () => reorderTasks(tree, '1', ['1-1', '1-2']), /each of its sub-tasks once: 1-1, 1-2, 1-3/)
    refused(tree, () => reorderTasks(tree, '1', ['1-1', '1-1', '1-2']), /once/)
    refused(tree, () => reorderTasks(tree, '1', ['1-1', '1-2', '1-2-1']), /once/)
  })
})

describe('thinking deeper', () => {
  it('splits a task that has ended into a new attempt with parts', () => {
    const tree = sample()
    run(tree, '1-1-1', '1-1-2', '1-2', '1-3')
    const parts = [task('weigh'), task('decide', { depends_on: ['weigh'] })]
    expect(told(splitTask(tree, '1-2', parts, 'go into detail'))).toEqual([
      '1 completed → created',
      '1-2 completed → created',
    ])
    expect(taskAt(tree, '1-2')).toMatchObject({ attempt: 2, redo_message: 'go into detail' })
    run(tree, '1-2-1')
    expect(tree.root.status).toBe('queueing')
    run(tree, '1-2-2')
    expect(tree.root.status).toBe('completed')
  })

  it('splits one that is processing without a new attempt', () => {
    const tree = sample()
    setStatus(tree, '1-2', 'queueing')
    setStatus(tree, '1-2', 'processing')
    expect(splitTask(tree, '1-2', [task('weigh')], '')).toEqual([])
    run(tree, '1-2-1')
    expect(taskAt(tree, '1-2')).toMatchObject({ status: 'completed', attempt: 1 })
  })

  it('refuses parents, nothing, and an ended task without words', () => {
    const tree = sample()
    refused(tree, () => splitTask(tree, '1-1', [task('x')], 'why'), /has sub-tasks already/)
    refused(tree, () => splitTask(tree, '1-2', [], 'why'), /no tasks to split/)
    run(tree, '1-1-1')
    refused(tree, () => splitTask(tree, '1-1-1', [task('x')], ''), /needs a message/)
  })
})

describe('adjusting a plan', () => {
  it('keeps what has ended or is processing and replaces the rest', () => {
    const tree = sample()
    run(tree, '1-1-1')
    setStatus(tree, '1-2', 'queueing')
    setStatus(tree, '1-2', 'processing')
    const kept = taskAt(tree, '1-1-1').id
    const changes = adjustPlan(tree, [
      task('parse', { depends_on: ['open'] }),
      task('sing', { depends_on: ['think'] }),
    ])
    expect(shape(tree)).toEqual(['1 main', '1-1 read', '1-1-1 open', '1-2 think', '1-3 parse', '1-4 sing'])
    expect(told(changes)).toEqual(['1-1 queueing → completed'])
    expect(taskAt(tree, '1-1-1').id).toBe(kept)
    expect(planOf(tree).tasks.map(({ depends_on = [] }) => depends_on)).toEqual([[], [], ['open'], ['think']])
  })

  it('opens the main task again after the last one', () => {
    const tree = sample()
    run(tree, '1-1-1', '1-1-2', '1-2', '1-3')
    expect(told(adjustPlan(tree, [task('publish')]))).toEqual(['1 completed → created'])
    run(tree, '1-4')
    expect(tree.root.status).toBe('completed')
  })

  it('goes on without what was aborted', () => {
    const tree = sample()
    setStatus(tree, '1-1-1', 'queueing')
    setStatus(tree, '1-1-1', 'aborted', 'no such file')
    setStatus(tree, '1', 'aborted', 'stopped')
    expect(told(adjustPlan(tree, [task('ask')]))).toEqual(['1 aborted → created', '1-1 queueing → completed'])
    expect(shape(tree)).toEqual(['1 main', '1-1 read', '1-1-1 open', '1-2 ask'])
    run(tree, '1-2')
    expect(tree.root.status).toBe('completed')
    expect(taskAt(tree, '1-1-1')).toMatchObject({ status: 'aborted', reason: 'no such file', replaced: true })
  })

  it('counts a task that it went on without as a failure again when it is redone and fails', () => {
    const tree = sample()
    setStatus(tree, '1-1-1', 'aborted', 'no such file')
    adjustPlan(tree, [task('ask')])
    redoTask(tree, '1-1-1', 'try the other one')
    setStatus(tree, '1-1-1', 'aborted', 'none there')
    expect(taskAt(tree, '1-1')).toMatchObject({ status: 'aborted', reason: 'aborted below: 1-1-1' })
    run(tree, '1-2')
    expect(tree.root).toMatchObject({ status: 'aborted', reason: 'aborted below: 1-1' })
  })

  it('may end the plan where it is, but not leave nothing', () => {
    const tree = sample()
    refused(tree, () => adjustPlan(tree, []), /without sub-tasks/)
    refused(tree, () => adjustPlan(tree, [task('x', { depends_on: ['write'] })]), /no task "write"/)
    run(tree, '1-1-1', '1-1-2')
    expect(told(adjustPlan(tree, []))).toEqual(['1 queueing → completed'])
  })
})

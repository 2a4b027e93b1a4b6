/**
 * Ten times the tasks may take ten times the work. What is counted is operations, not time, so that a busy machine changes
 * nothing: lookups in maps and sets, items that methods of arrays go over, and reads of a task's fields.
 */
import { describe, expect, it } from 'vitest'
import { repetitions } from '../../../../tests/repetitions.ts'
import {
  addTasks,
  adjustPlan,
  redoTask,
  removeTask,
  renameTask,
  reorderTasks,
  setStatus,
  skipTask,
  splitTask,
} from './change-tasks.ts'
import { Schedule } from './schedule.ts'
import { depthFirst, type Plan, type PlanTask, postOrder, type Task } from './task.ts'
import { buildTree, planOf, type TaskTree, taskNames } from './tree.ts'

const task = (name: string, more: Partial<PlanTask> = {}): PlanTask => ({
  subtask_name: name,
  subtask_goal: 'g',
  ...more,
})

function row(n: number, dependsOn: (i: number) => string[] = () => [], name = 't'): PlanTask[] {
  return Array.from({ length: n }, (_, i) => task(`${name}${i}`, { depends_on: dependsOn(i) }))
}

const SHAPES: Readonly<Record<string, (n: number) => PlanTask[]>> = {
  'side by side': (n) => row(n),
  'one after the other': (n) => row(n, (i) => (i === 0 ? [] : [`t${i - 1}`])),
  'from the last to the first': (n) => row(n, (i) => (i === n - 1 ? [] : [`t${i + 1}`])),
  'all after the last': (n) => row(n, (i) => (i === n - 1 ? [] : [`t${n - 1}`])),
  'in groups, one after the other': (n) =>
    Array.from({ length: n / 100 }, (_, g) =>
      task(`g${g}`, { depends_on: g === 0 ? [] : [`g${g - 1}`], subtasks: row(99, undefined, `${g}.`) }),
    ),
}

const WORK: Readonly<Record<string, (tree: TaskTree, n: number) => void>> = {
  'walking it': ({ root }) => depthFirst(root).length + postOrder(root).length,
  'giving back its plan': (tree) => planOf(tree).tasks.length + taskNames(tree).size,
  'running it': runAll,
  'skipping all of it': (tree) => skipTask(tree, '1', 'no'),
  'doing all of it again': (tree) => {
    runAll(tree)
    redoTask(tree, '1', 'better')
    runAll(tree)
  },
  'failing all over it': (tree) => {
    const schedule = new Schedule(tree)
    for (const { id } of depthFirst(tree.root).filter(({ subtasks }) => subtasks.length === 0)) {
      setStatus(tree, id, 'aborted', 'no')
      schedule.ended(id)
      schedule.goOn()
    }
  },
  'removing one': (tree) => removeTask(tree, '1-5'),
  'renaming one': (tree) => renameTask(tree, '1-5', { name: 'other' }),
  'reordering it': (tree) =>
    reorderTasks(
      tree,
      '1',
      tree.root.subtasks.map(({ id }) => id),
    ),
  'adding as many': (tree, n) =>
    addTasks(
      tree,
      '1',
      row(n, (i) => (i === 0 ? [] : [`new${i - 1}`]), 'new'),
    ),
  'splitting one into as many': (tree, n) =>
    splitTask(tree, depthFirst(tree.root).at(-1)!.id, row(n, undefined, 'new'), ''),
  'replacing it': (tree, n) => adjustPlan(tree, row(n, undefined, 'new')),
}

/** Quadratic work would be a hundred times as much for ten times the tasks, whatever the sizes. */
const SMALL = repetitions(500, 1_000)
const LARGE = 10 * SMALL

describe.each(Object.entries(SHAPES))('thousands of tasks, %s', (_, shape) => {
  const planOfSize = (n: number): Plan => ({ main_task: 'm', main_task_goal: 'g', tasks: shape(n) })

  it('are built in proportion', () => {
    const [small, large] = [planOfSize(SMALL), planOfSize(LARGE)]
    expect(operations(() => buildTree(large))).toBeLessThan(operations(() => buildTree(small)) * 12)
  })

  it.each(Object.entries(WORK))('%s is in proportion', (_name, work) => {
    const [small, large] = [SMALL, LARGE].map((n) => {
      const tree = watched(buildTree(planOfSize(n)))
      return operations(() => work(tree, n))
    })
    expect(small).toBeGreaterThan(500)
    expect(large).toBeLessThan((small as number) * 12)
  })
})

function runAll(tree: TaskTree): void {
  const schedule = new Schedule(tree)
  for (let [next] = schedule.ready(1); next !== undefined; [next] = schedule.ready(1)) {
    for (const status of ['queueing', 'processing', 'completed'] as const) setStatus(tree, next.id, status)
    schedule.ended(next.id)
  }
  expect(schedule.open).toBe(0)
}

let count = 0

/** The same tree, with every read of a task's field counted. */
function watched(tree: TaskTree): TaskTree {
  const watch = new Map<string, Task>()
  for (const one of postOrder(tree.root)) {
    one.subtasks = one.subtasks.map(({ id }) => watch.get(id) as Task)
    const proxy = new Proxy(one, {
      get(target, field, receiver) {
        count++
        return Reflect.get(target, field, receiver)
      },
    })
    watch.set(one.id, proxy)
    tree.byId.set(one.id, proxy)
    tree.byIndex.set(one.index, proxy)
  }
  tree.root = watch.get(tree.root.id) as Task
  return tree
}

const ARRAY_METHODS = [
  ...([
    'concat',
    'every',
    'filter',
    'find',
    'findIndex',
    'flatMap',
    'forEach',
    'includes',
    'indexOf',
    'join',
  ] as const),
  ...([
    'map',
    'reduce',
    'reverse',
    'shift',
    'slice',
    'some',
    'sort',
    'splice',
    'unshift',
    'entries',
  ] as const),
  Symbol.iterator,
]

function operations(work: () => unknown): number {
  const restore = [
    ...ARRAY_METHODS.map((name) => counting(Array.prototype, name, (list) => (list as unknown[]).length + 1)),
    ...(['get', 'set', 'has', 'delete'] as const).map((name) => counting(Map.prototype, name, () => 1)),
    ...(['add', 'has', 'delete'] as const).map((name) => counting(Set.prototype, name, () => 1)),
  ]
  try {
    count = 0
    work()
    return count
  } finally {
    for (const undo of restore) undo()
  }
}

function counting(prototype: object, name: string | symbol, weight: (self: unknown) => number): () => void {
  const original = Reflect.get(prototype, name) as (...args: unknown[]) => unknown
  const put = (value: unknown) =>
    Object.defineProperty(prototype, name, { value, writable: true, configurable: true, enumerable: false })
  put(function (this: unknown, ...args: unknown[]) {
    count += weight(this)
    return Reflect.apply(original, this, args)
  })
  return () => put(original)
}

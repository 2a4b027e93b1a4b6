import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adjustPlan, redoTask, setStatus, skipTask, splitTask } from './change-tasks.ts'
import { findCycles } from './dependency-cycles.ts'
import { FirstOf } from './first-of.ts'
import { Schedule } from './schedule.ts'
import { depthFirst, isEnded, isLeaf, type PlanTask, type Task, type TaskStatus } from './task.ts'
import { buildTree, parentOf, type TaskTree, taskAt } from './tree.ts'

const task = (name: string, more: Partial<PlanTask> = {}): PlanTask => ({
  subtask_name: name,
  subtask_goal: 'g',
  ...more,
})

const treeOf = (...tasks: PlanTask[]): TaskTree => buildTree({ main_task: 'm', main_task_goal: 'g', tasks })

function start(tree: TaskTree, { id }: Task): void {
  setStatus(tree, id, 'queueing')
  setStatus(tree, id, 'processing')
}

function end(tree: TaskTree, schedule: Schedule, name: string, status: TaskStatus = 'completed'): void {
  const ending = depthFirst(tree.root).find((one) => one.name === name) as Task
  if (ending.status === 'created') start(tree, ending)
  for (const change of setStatus(tree, ending.id, status)) schedule.ended(change.id)
}

const names = (tasks: Task[]) => tasks.map(({ name }) => name)

describe('the schedule', () => {
  it('gives leaves depth-first, each once, as many as are wanted', () => {
    const schedule = new Schedule(treeOf(task('a', { subtasks: [task('b'), task('c')] }), task('d')))
    expect(names(schedule.ready(2))).toEqual(['b', 'c'])
    expect(names(schedule.ready(0))).toEqual([])
    expect(names(schedule.ready(9))).toEqual(['d'])
    expect(names(schedule.ready(9))).toEqual([])
    expect(schedule.open).toBe(3)
  })

  it('holds a leaf back until what it depends on is completed or skipped', () => {
    const tree = treeOf(task('a', { depends_on: ['b', 'c'] }), task('b'), task('c'))
    const schedule = new Schedule(tree)
    expect(names(schedule.ready(9))).toEqual(['b', 'c'])
    end(tree, schedule, 'b')
    expect(schedule.ready(9)).toEqual([])
    for (const { id } of skipTask(tree, '1-3', 'no')) schedule.ended(id)
    expect(names(schedule.ready(9))).toEqual(['a'])
  })

  it('takes a dependency on a parent for one on all its leaves, and a parent’s for its leaves’', () => {
    const tree = treeOf(
      task('late', { depends_on: ['first'], subtasks: [task('x'), task('y', { depends_on: ['z'] })] }),
      task('first', { subtasks: [task('p', { subtasks: [task('q')] }), task('r')] }),
      task('z'),
    )
    const schedule = new Schedule(tree)
    expect(names(schedule.ready(9))).toEqual(['q', 'r', 'z'])
    end(tree, schedule, 'q')
    expect(schedule.ready(9)).toEqual([])
    end(tree, schedule, 'r')
    expect(names(schedule.ready(9))).toEqual(['x'])
    end(tree, schedule, 'z')
    expect(names(schedule.ready(9))).toEqual(['y'])
  })

  it('stops after an aborted leaf, until it is told to go on; what depends on the leaf stays', () => {
    const tree = treeOf(task('a'), task('b'), task('c', { depends_on: ['a'] }))
    const schedule = new Schedule(tree)
    expect(names(schedule.ready(1))).toEqual(['a'])
    end(tree, schedule, 'a', 'aborted')
    expect(schedule.stopped).toBe(true)
    expect(schedule.ready(9)).toEqual([])
    schedule.goOn()
    expect(names(schedule.ready(9))).toEqual(['b'])
    end(tree, schedule, 'b')
    expect(schedule.ready(9)).toEqual([])
    expect(schedule.open).toBe(1)
    schedule.rebuild()
    expect(schedule.stopped).toBe(false)
  })

  it('does not give out what was skipped while it waited', () => {
    const tree = treeOf(task('a', { subtasks: [task('b'), task('c')] }), task('d'))
    const schedule = new Schedule(tree)
    for (const { id } of skipTask(tree, '1-1', 'no')) schedule.ended(id)
    expect(names(schedule.ready(9))).toEqual(['d'])
  })

  it('does a redone task again after a rebuild, and the last one, too', () => {
    const tree = treeOf(task('a'), task('b', { depends_on: ['a'] }))
    const schedule = new Schedule(tree)
    schedule.ready(9)
    end(tree, schedule, 'a', 'aborted')
    redoTask(tree, '1-1', 'better')
    schedule.rebuild()
    expect(names(schedule.ready(9))).toEqual(['a'])
    end(tree, schedule, 'a')
    expect(names(schedule.ready(9))).toEqual(['b'])
    end(tree, schedule, 'b')
    expect(schedule.open).toBe(0)
    redoTask(tree, '1-2', 'better')
    schedule.rebuild()
    expect(names(schedule.ready(9))).toEqual(['b'])
  })

  it('stops again when a task that it once went on after fails anew', () => {
    const tree = treeOf(task('a'), task('b'))
    const schedule = new Schedule(tree)
    end(tree, schedule, 'a', 'aborted')
    schedule.goOn()
    redoTask(tree, '1-1', 'better')
    schedule.rebuild()
    end(tree, schedule, 'a', 'aborted')
    expect(schedule.stopped).toBe(true)
  })

  it('follows edits: parts of a split task, the rest of an adjusted plan, and nothing that is processing twice', () => {
    const tree = treeOf(task('a'), task('b'), task('c', { depends_on: ['b'] }))
    const schedule = new Schedule(tree)
    for (const ready of schedule.ready(2)) start(tree, ready)
    end(tree, schedule, 'a', 'aborted')
    splitTask(tree, taskAt(tree, '1-3').id, [task('c1'), task('c2')], '')
    schedule.rebuild()
    expect(schedule.stopped).toBe(true)
    adjustPlan(tree, [task('d', { depends_on: ['b'] }), task('e', { depends_on: ['a'] })])
    schedule.rebuild()
    expect(names(schedule.ready(9))).toEqual(['e'])
    end(tree, schedule, 'b')
    expect(names(schedule.ready(9))).toEqual(['d'])
  })

  it('agrees with looking at everything every time', () => {
    fc.assert(fc.property(randomTasks, fc.infiniteStream(fc.nat()), carryOut), { numRuns: 150 })
  })
})

/** Carries the tasks out in a random order, and looks at all of them at each step. */
function carryOut(tasks: readonly PlanTask[], numbers: Iterator<number>): void {
  const random = (below: number) => (numbers.next().value as number) % below
  const tree = treeOf(...tasks)
  const schedule = new Schedule(tree)
  const running: Task[] = []
  const given = new Set<string>()
  for (;;) {
    const wanted = lookAtAll(tree).filter(({ id }) => !given.has(id))
    const limit = 1 + random(3)
    const ready = schedule.ready(limit)
    expect(names(ready)).toEqual(names(wanted.slice(0, limit)))
    for (const one of ready) {
      given.add(one.id)
      start(tree, one)
    }
    running.push(...ready)
    if (running.length === 0) break
    const [one] = running.splice(random(running.length), 1) as [Task]
    const status = random(4) === 0 ? 'skipped' : 'completed'
    for (const { id } of setStatus(tree, one.id, status)) schedule.ended(id)
  }
  expect(schedule.open).toBe(0)
  expect(isEnded(tree.root.status)).toBe(true)
}

it('FirstOf gives the lowest number it holds', () => {
  const step = fc.record({ number: fc.nat(4_999), action: fc.constantFrom('add', 'add', 'remove', 'take') })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const first = new FirstOf(5_000)
      const model = new Set<number>()
      const take = () => {
        const lowest = model.size === 0 ? undefined : Math.min(...model)
        model.delete(lowest ?? -1)
        expect(first.take()).toBe(lowest)
      }
      for (const { number, action } of steps) {
        if (action === 'take') take()
        else {
          first[action](number)
          model[action === 'add' ? 'add' : 'delete'](number)
        }
      }
    }),
  )
})

/** Leaves that have not begun, and whose dependencies, and whose ancestors', have no open leaf. */
function lookAtAll(tree: TaskTree): Task[] {
  const done = (id: string) =>
    depthFirst(taskAt(tree, id)).every((one) => !isLeaf(one) || ['completed', 'skipped'].includes(one.status))
  const free = (one: Task | undefined): boolean =>
    one === undefined || (one.depends_on.every(done) && free(parentOf(tree, one)))
  return depthFirst(tree.root).filter((one) => isLeaf(one) && one.status === 'created' && free(one))
}

/** A random forest with random dependencies, as far as they make no circle. */
const randomTasks = fc
  .array(fc.record({ parent: fc.nat(), wants: fc.array(fc.nat(), { maxLength: 3 }) }), {
    minLength: 1,
    maxLength: 24,
  })
  .map((given) => {
    const nodes = given.map(({ parent }, i) => ({
      name: `n${i}`,
      parent: i === 0 || parent % 3 === 0 ? null : parent % i,
      dependsOn: [] as number[],
    }))
    for (const [i, { wants }] of given.entries()) {
      for (const want of wants) {
        nodes[i]!.dependsOn.push(want % nodes.length)
        if (findCycles(nodes).length > 0) nodes[i]!.dependsOn.pop()
      }
    }
    const below = (parent: number | null): PlanTask[] =>
      nodes.flatMap(({ name, dependsOn }, i) =>
        nodes[i]!.parent === parent
          ? [task(name, { depends_on: dependsOn.map((other) => `n${other}`), subtasks: below(i) })]
          : [],
      )
    return below(null)
  })

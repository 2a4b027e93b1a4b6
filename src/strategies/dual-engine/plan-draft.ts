/**
 * A plan while a person edits it: names, goals, order, what is there and what waits for what. It is checked as a whole, and then told as
 * the edits that make it of the plan that is there: each of them can be made when it comes.
 */
import { isObject } from '../../protocol/index.ts'
import { checkView } from '../../views/entrances.ts'
import type { Edit } from './schema.ts'
import { findCycles } from './tasks/dependency-cycles.ts'
import { MAX_PLAN_DEPTH, MAX_PLAN_TASKS } from './tasks/read-plan.ts'
import type { PlanTask, Task } from './tasks/task.ts'

export interface DraftTask {
  /** Of a task that is there; of a new one, any other. */
  readonly id: string
  readonly name: string
  readonly goal: string
  /** By their ids. */
  readonly dependsOn: readonly string[]
  readonly subtasks: readonly DraftTask[]
  /** It, or a task below it, has begun: it stays, and waits for nothing. */
  readonly hasBegun: boolean
}

/** The tasks of a plan as `dual/plan-changed` tells it; null if it does not. */
export function planDraft(data: unknown): DraftTask[] | null {
  const root = isObject(data) && isObject(data.tree) ? (data.tree as unknown as Task) : null
  return root === null || !Array.isArray(root.subtasks) ? null : root.subtasks.map(draftOf)
}

function draftOf({ id, name, goal, depends_on, subtasks, status }: Task): DraftTask {
  const below = subtasks.map(draftOf)
  const hasBegun = below.length > 0 ? below.some((one) => one.hasBegun) : !UNBEGUN.has(status)
  return { id, name, goal, dependsOn: [...depends_on], subtasks: below, hasBegun }
}

const UNBEGUN: ReadonlySet<string> = new Set(['created', 'queueing'])

/** What is wrong with it, in words for the person who edits it; empty if nothing is. */
export function draftProblems(draft: readonly DraftTask[], lang: 'en' | 'zh'): string[] {
  checkView('draftProblems', [draft, lang])
  const words = WORDS[lang]
  const all = flat(draft)
  const problems: string[] = []
  const names = new Set<string>()
  if (all.length === 0) problems.push(words.none)
  if (all.length > MAX_PLAN_TASKS) problems.push(words.tooMany(all.length))
  if (all.some(({ depth }) => depth > MAX_PLAN_DEPTH)) problems.push(words.tooDeep)
  for (const { task } of all) {
    const name = task.name.trim()
    if (name === '') problems.push(words.unnamed)
    else if (names.has(name)) problems.push(words.twice(name))
    else if (REFERENCE.test(name)) problems.push(words.reference(name))
    names.add(name)
  }
  const at = new Map(all.map(({ task }, i) => [task.id, i]))
  const waiting = all.map(({ task, parent }) => ({
    name: task.name,
    parent: parent === null ? null : (at.get(parent) ?? null),
    dependsOn: task.dependsOn.flatMap((id) => at.get(id) ?? []),
  }))
  for (const cycle of findCycles(waiting)) problems.push(words.circle(cycle))
  return [...new Set(problems)]
}

/** Edits tell tasks by their index or id where they can. */
const REFERENCE = /^(?:\d+(?:-\d+)*|t\d+)$/

/** The edits that make `after` of `before`; `after` has no problems. */
export function planEdits(before: readonly DraftTask[], after: readonly DraftTask[]): Edit[] {
  checkView('planEdits', [before, after])
  const was = new Map(flat(before).map(({ task }) => [task.id, task]))
  const is = new Map(flat(after).map(({ task }) => [task.id, task]))
  /** What is there is told by its id, what is new by its name. */
  const ref = (id: string) => (was.has(id) ? id : (is.get(id)?.name.trim() ?? id))
  return [
    ...freedNames(was, is),
    ...renames(was, is),
    ...additions(was, null, after),
    ...removals(before, is),
    ...dependencies(was, is, ref),
    ...orders(before, after, is, ref),
  ]
}

type Tasks = ReadonlyMap<string, DraftTask>

/** A name that goes from one task to another must not be used by both in between. */
function freedNames(was: Tasks, is: Tasks): Edit[] {
  const wanted = new Set(
    [...is.values()].filter(({ id, name }) => was.get(id)?.name !== name.trim()).map(nameOf),
  )
  return [...was.values()]
    .filter(({ id, name }) => wanted.has(name) && is.get(id)?.name.trim() !== name)
    .map(({ id, name }) => ({ do: 'rename', task: id, name: `${name} (${id})` }))
}

function renames(was: Tasks, is: Tasks): Edit[] {
  return [...is.values()].flatMap((task): Edit[] => {
    const old = was.get(task.id)
    if (old === undefined) return []
    const name = nameOf(task)
    const goal = task.goal.trim() || name
    const change = { ...(name !== old.name && { name }), ...(goal !== old.goal.trim() && { goal }) }
    return Object.keys(change).length === 0 ? [] : [{ do: 'rename', task: task.id, ...change }]
  })
}

/** With all that is new below them; what they depend on is said when all are there. */
function additions(was: Tasks, under: string | null, tasks: readonly DraftTask[]): Edit[] {
  const added = tasks.filter(({ id }) => !was.has(id)).map(planTask)
  const here: Edit[] =
    added.length === 0 ? [] : [{ do: 'add', ...(under !== null && { under }), tasks: added }]
  return [
    ...here,
    ...tasks.filter(({ id }) => was.has(id)).flatMap((task) => additions(was, task.id, task.subtasks)),
  ]
}

function planTask(task: DraftTask): PlanTask {
  const name = nameOf(task)
  const below = task.subtasks.map(planTask)
  return {
    subtask_name: name,
    subtask_goal: task.goal.trim() || name,
    ...(below.length > 0 && { subtasks: below }),
  }
}

/** With a task goes what is below it. */
function removals(before: readonly DraftTask[], is: Tasks): Edit[] {
  return before.flatMap((task): Edit[] =>
    is.has(task.id) ? removals(task.subtasks, is) : [{ do: 'remove', task: task.id }],
  )
}

/** What is not waited for any more goes first: a dependency that is turned round would be a circle otherwise. */
function dependencies(was: Tasks, is: Tasks, ref: (id: string) => string): Edit[] {
  const depend = (task: string, on: readonly string[]): Edit => ({
    do: 'depend',
    task: ref(task),
    on: on.map(ref),
  })
  const changed = [...is.values()].flatMap(({ id, dependsOn }) => {
    const before = (was.get(id)?.dependsOn ?? []).filter((other) => is.has(other))
    const after = [...new Set(dependsOn)].filter((other) => is.has(other))
    const kept = before.filter((other) => after.includes(other))
    return { id, after, kept, loses: kept.length < before.length, gains: kept.length < after.length }
  })
  return [
    ...changed.filter(({ loses }) => loses).map(({ id, kept }) => depend(id, kept)),
    ...changed.filter(({ gains }) => gains).map(({ id, after }) => depend(id, after)),
  ]
}

function orders(
  before: readonly DraftTask[],
  after: readonly DraftTask[],
  is: Tasks,
  ref: (id: string) => string,
): Edit[] {
  const lists = (
    tasks: readonly DraftTask[],
    under: string | null,
  ): [string | null, readonly DraftTask[]][] => [
    [under, tasks],
    ...tasks.flatMap((task) => lists(task.subtasks, task.id)),
  ]
  const were = new Map(lists(before, null))
  return lists(after, null).flatMap(([under, tasks]): Edit[] => {
    const old = were.get(under)
    if (old === undefined) return []
    const order = tasks.map(({ id }) => id)
    const kept = old.map(({ id }) => id).filter((id) => is.has(id))
    const made = [...kept, ...order.filter((id) => !kept.includes(id))]
    if (made.every((id, i) => id === order[i])) return []
    return [{ do: 'reorder', ...(under !== null && { under }), order: order.map(ref) }]
  })
}

function nameOf({ name }: DraftTask): string {
  return name.trim()
}

interface Placed {
  readonly task: DraftTask
  readonly parent: string | null
  readonly depth: number
}

function flat(tasks: readonly DraftTask[], parent: string | null = null, depth = 1): Placed[] {
  return tasks.flatMap((task) => [{ task, parent, depth }, ...flat(task.subtasks, task.id, depth + 1)])
}

interface DraftWords {
  none: string
  unnamed: string
  tooDeep: string
  tooMany(n: number): string
  twice(name: string): string
  reference(name: string): string
  circle(cycle: string): string
}

const WORDS: Readonly<Record<'en' | 'zh', DraftWords>> = {
  en: {
    none: 'A plan needs at least one task.',
    unnamed: 'Every task needs a name.',
    tooDeep: `A plan has at most ${MAX_PLAN_DEPTH} levels.`,
    tooMany: (n) => `${n} tasks are too many: a plan has at most ${MAX_PLAN_TASKS}.`,
    twice: (name) => `The name “${name}” is used twice.`,
    reference: (name) => `“${name}” looks like a task's number: choose another name.`,
    circle: (cycle) => `Tasks would wait for each other in a circle: ${cycle}.`,
  },
  zh: {
    none: '计划至少要有一个任务。',
    unnamed: '每个任务都要有名称。',
    tooDeep: `计划最多 ${MAX_PLAN_DEPTH} 层。`,
    tooMany: (n) => `${n} 个任务太多：计划最多 ${MAX_PLAN_TASKS} 个。`,
    twice: (name) => `名称“${name}”重复了。`,
    reference: (name) => `“${name}”看起来像任务编号，请换一个名称。`,
    circle: (cycle) => `任务会循环等待：${cycle}。`,
  },
}

/** Reads a plan from a reply or a file. What a schema can't express is checked here; problems are sentences for the plan's author. */
import { isObject } from '../../../protocol/index.ts'
import { findCycles, type Waiting } from './dependency-cycles.ts'
import type { Plan, PlanTask } from './task.ts'

export const MAX_PLAN_DEPTH = 6
export const MAX_PLAN_TASKS = 200
const MAX_PROBLEMS = 12

export interface ReadPlan {
  /** Null when there are problems. */
  readonly plan: Plan | null
  /** Sentences for the model. */
  readonly problems: string[]
  /** Tasks without a name, with what was below them. */
  readonly dropped: number
}

export function readPlan(value: unknown): ReadPlan {
  if (!isObject(value)) return { plan: null, problems: ['A plan must be one JSON object.'], dropped: 0 }
  const texts = { main_task: trimmed(value.main_task), main_task_goal: trimmed(value.main_task_goal) }
  const empty = Object.entries(texts).filter(([, text]) => text === '')
  const { tasks, problems: wrong, dropped } = readTasks(value.tasks)
  const problems = [...empty.map(([field]) => `"${field}" must be a text that is not empty.`), ...wrong]
  const plan = tasks === null || problems.length > 0 ? null : { ...texts, tasks }
  return { plan, problems, dropped }
}

interface ReadTasks extends Omit<ReadPlan, 'plan'> {
  readonly tasks: PlanTask[] | null
}

/**
 * Only the list `tasks`: sub-tasks that are added, the rest of a plan, the parts of one task. `known`: names of the tree that
 * they are for, which they may depend on and must not use again.
 */
export function readTasks(value: unknown, known: Iterable<string> = []): ReadTasks {
  const reading: Reading = { problems: [], dropped: 0, found: [] }
  const tasks = taskList(value, '"tasks"', null, 1, reading)
  const { problems, dropped, found } = reading
  if (found.length === 0 && problems.length === 0)
    problems.push(
      dropped === 0
        ? 'The plan has no sub-tasks: "tasks" must hold at least one.'
        : 'The plan has no sub-tasks with a name: every task needs a "subtask_name".',
    )
  if (found.length > MAX_PLAN_TASKS)
    problems.push(
      `The plan has ${found.length} tasks, more than ${MAX_PLAN_TASKS}: put less detail into it, a task can be planned further when it is executed.`,
    )
  checkDependencies(found, new Set(known), problems)
  return { tasks: problems.length === 0 ? tasks : null, problems: few(problems), dropped }
}

/** A task with the names that it depends on. */
type Found = Omit<Waiting, 'dependsOn'> & { readonly dependsOn: readonly string[] }

interface Reading {
  readonly problems: string[]
  dropped: number
  /** In depth-first order. */
  readonly found: Found[]
}

function taskList(
  value: unknown,
  place: string,
  parent: number | null,
  depth: number,
  to: Reading,
): PlanTask[] {
  if (!Array.isArray(value)) {
    to.problems.push(`${place} must be a list of tasks.`)
    return []
  }
  if (depth > MAX_PLAN_DEPTH && value.length > 0) {
    to.problems.push(`${place} is nested deeper than ${MAX_PLAN_DEPTH} levels: plan it when it is executed.`)
    return []
  }
  return value.flatMap((item) => {
    const name = isObject(item) ? trimmed(item.subtask_name) : ''
    if (name !== '') return [planTask(item, name, parent, depth, to)]
    to.dropped += sizeOf(item)
    return []
  })
}

function planTask(
  item: Record<string, unknown>,
  subtask_name: string,
  parent: number | null,
  depth: number,
  to: Reading,
): PlanTask {
  const subtask_goal = trimmed(item.subtask_goal)
  if (subtask_goal === '') to.problems.push(`The task "${subtask_name}" has no "subtask_goal".`)
  const depends_on = nameList(item.depends_on, subtask_name, to.problems)
  const at = to.found.push({ name: subtask_name, parent, dependsOn: depends_on }) - 1
  const place = `"subtasks" of "${subtask_name}"`
  const subtasks = item.subtasks == null ? [] : taskList(item.subtasks, place, at, depth + 1, to)
  return {
    subtask_name,
    subtask_goal,
    ...(depends_on.length === 0 ? {} : { depends_on }),
    ...(subtasks.length === 0 ? {} : { subtasks }),
  }
}

function nameList(value: unknown, name: string, problems: string[]): string[] {
  if (value == null) return []
  if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
    return [...new Set(value.map((one: string) => one.trim()).filter((one) => one !== ''))]
  problems.push(`"depends_on" of "${name}" must be a list of task names.`)
  return []
}

function checkDependencies(found: readonly Found[], known: ReadonlySet<string>, problems: string[]): void {
  const at = new Map<string, number>()
  for (const [i, { name }] of found.entries()) {
    if (at.has(name)) problems.push(`The name "${name}" is used twice: names must be unique in a plan.`)
    else if (known.has(name)) problems.push(`The name "${name}" is taken by a task that is there already.`)
    else at.set(name, i)
  }
  const waiting = found.map((task, i): Waiting => {
    const others: number[] = []
    for (const other of task.dependsOn) {
      const to = at.get(other)
      if (to === undefined && known.has(other)) continue
      const problem = dependencyProblem(found, i, other, to)
      if (problem !== null) problems.push(`The task "${task.name}" depends on ${problem}.`)
      else if (to !== undefined) others.push(to)
    }
    return { ...task, dependsOn: others }
  })
  for (const cycle of findCycles(waiting)) problems.push(`Tasks wait for each other in a circle: ${cycle}.`)
}

/** `to` is where the other task stands in the plan, if it does. */
function dependencyProblem(
  found: readonly Found[],
  from: number,
  other: string,
  to: number | undefined,
): string | null {
  if (to === undefined) return `"${other}", which is no task of the plan`
  if (to === from) return 'itself'
  if (isAbove(found, to, from)) return `"${other}", which it is a part of`
  return isAbove(found, from, to) ? `"${other}", which is a part of it` : null
}

/** Plans are few levels deep. */
function isAbove(found: readonly Found[], above: number, below: number): boolean {
  let at = found[below]?.parent ?? null
  while (at !== null && at !== above) at = found[at]?.parent ?? null
  return at === above
}

/** A nameless task and the named ones that are lost with it. */
function sizeOf(item: unknown): number {
  const all = [item]
  for (const next of all)
    if (isObject(next) && Array.isArray(next.subtasks)) for (const below of next.subtasks) all.push(below)
  return all.length
}

function few(problems: readonly string[]): string[] {
  if (problems.length <= MAX_PROBLEMS) return [...problems]
  const shown = problems.slice(0, MAX_PROBLEMS - 1)
  return [...shown, `There are ${problems.length - shown.length} more problems like these.`]
}

function trimmed(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}

/** A blueprint's file as data. Reports all problems at once, each with its line, its column and what to do. */

import { DecodingBudget } from '../../protocol/decoding-budget.ts'
import { type InputsSchema, unknownName } from '../executors/executor.ts'
import { readInputs } from '../executors/parse-executors.ts'
import { readYaml, type YamlPath, type YamlSource } from '../yaml-source.ts'
import { type Blueprint, type BlueprintPlan, type BlueprintTask, PROMPTS, placesOf } from './blueprint.ts'
import { BLUEPRINT_FILE, MAX_TASKS } from './blueprint-schema.ts'
import { findCycle } from './find-cycle.ts'

/** As it is written. */
interface Entry extends Partial<Omit<Blueprint, 'parameters' | 'plan'>> {
  name: string
  description: string
  parameters?: Record<string, unknown>
  plan?: BlueprintPlan
}

/** `file` is its name in error messages; the last part must be the blueprint's name. Throws BAD_INPUT. */
export async function parseBlueprint(
  text: string,
  file: string,
  budget = new DecodingBudget(file),
): Promise<Blueprint> {
  const { source, value } = await readYaml(text, file, pathPrefix, budget)
  if (value === null || value === undefined)
    source.at(0, 'this file is empty: write a name, a description and a plan, or delete the file')
  else source.check(value, BLUEPRINT_FILE)
  source.throwIfAny()

  const entry = value as Entry
  const parameters = readInputs(entry.parameters ?? {}, ['parameters'], source)
  checkName(entry, file, source)
  if (entry.init_prompt === undefined && entry.plan === undefined)
    source.problem([], '"init_prompt" or "plan" is missing: one of them says what to do')
  checkPlaces(entry, parameters, source)
  if (entry.plan !== undefined) checkTasks(entry.plan, source)
  source.throwIfAny()
  const { name, verbose_name = name, description, plan = null, tools = null, review = false } = entry
  const { init_prompt = '', persistent_prompt = '', result_prompt = '' } = entry
  const prompts = { init_prompt, persistent_prompt, result_prompt }
  return { name, verbose_name, description, parameters, ...prompts, plan, tools, review }
}

/** The beginning of a problem's message: `plan, task 2, subtask_goal: `. */
function pathPrefix(path: YamlPath, atKey: boolean): string {
  const shown = (atKey ? path.slice(0, -1) : path).flatMap((part, at, all) => {
    if (part === 'tasks' || part === 'subtasks') return at === all.length - 1 ? [part] : []
    if (typeof part !== 'number') return [part]
    return [`${['tasks', 'subtasks'].includes(String(all[at - 1])) ? 'task' : 'entry'} ${part + 1}`]
  })
  return shown.length === 0 ? '' : `${shown.join(', ')}: `
}

function checkName({ name }: Entry, file: string, source: YamlSource): void {
  const said = file.replace(/^.*[\\/]/, '').replace(/\.ya?ml$/, '')
  if (name !== said) source.problem(['name'], `must be the name of the file, "${said}": rename one of them`)
}

function checkPlaces(entry: Entry, { properties }: InputsSchema, source: YamlSource): void {
  const known = Object.keys(properties)
  const used = new Set<string>()
  for (const { path, text } of textsOf(entry)) {
    const places = placesOf(text)
    for (const { name } of places) used.add(name)
    const problemOf = (name: string) =>
      known.includes(name) ? undefined : `is not a parameter: ${unknownName(name, known)}`
    source.problemsWithin(
      path,
      places.map(({ name, written }) => ({ written, problem: problemOf(name) })),
    )
  }
  const at = entry.parameters?.type === 'object' ? ['parameters', 'properties'] : ['parameters']
  for (const name of known.filter((one) => !used.has(one))) {
    const message = `is never used: write {{${name}}} in a prompt or the plan, or remove it`
    source.problem([...at, name], message, true)
  }
}

/** The texts that may contain placeholders. */
function textsOf(entry: Entry): { path: YamlPath; text: string }[] {
  const prompts = PROMPTS.flatMap((name) =>
    entry[name] === undefined ? [] : [{ path: [name], text: entry[name] }],
  )
  const { plan } = entry
  if (plan === undefined) return prompts
  return [
    ...prompts,
    { path: ['plan', 'main_task'], text: plan.main_task },
    { path: ['plan', 'main_task_goal'], text: plan.main_task_goal },
    ...tasksOf(plan).map(({ path, task }) => ({ path: [...path, 'subtask_goal'], text: task.subtask_goal })),
  ]
}

interface PlacedTask {
  readonly path: YamlPath
  readonly task: BlueprintTask
  /** The parent's index in the list; null at the top. */
  readonly parent: number | null
}

/** Depth first. */
function tasksOf({ tasks }: BlueprintPlan): PlacedTask[] {
  const all: PlacedTask[] = []
  const add = (list: readonly BlueprintTask[], path: YamlPath, parent: number | null) => {
    for (const [at, task] of list.entries()) {
      const mine = all.push({ path: [...path, at], task, parent }) - 1
      add(task.subtasks ?? [], [...path, at, 'subtasks'], mine)
    }
  }
  add(tasks, ['plan', 'tasks'], null)
  return all
}

function checkTasks(plan: BlueprintPlan, source: YamlSource): void {
  const all = tasksOf(plan)
  if (all.length > MAX_TASKS)
    source.problem(['plan', 'tasks'], `must have at most ${MAX_TASKS} tasks in total`)
  const byName = new Map<string, number>()
  for (const [at, { path, task }] of all.entries()) {
    const { subtask_name: name } = task
    const place = placesOf(name)[0]?.written
    if (place !== undefined)
      source.problem([...path, 'subtask_name'], `a name can't have placeholders: write ${place} in the goal`)
    if (byName.has(name)) source.problem([...path, 'subtask_name'], `"${name}" is taken by another task`)
    else byName.set(name, at)
  }
  const waiting = all.map(({ path, task, parent }) => ({
    parent,
    dependsOn: (task.depends_on ?? []).flatMap((name, at) => {
      const other = byName.get(name)
      if (other !== undefined) return [other]
      source.problem([...path, 'depends_on', at], unknownName(name, [...byName.keys()]))
      return []
    }),
  }))
  const cycle = findCycle(waiting).map((at) => all[at] as PlacedTask)
  const [first] = cycle
  if (first === undefined) return
  const names = [...cycle, first].map(({ task }) => `"${task.subtask_name}"`)
  const path = first.task.depends_on === undefined ? first.path : [...first.path, 'depends_on']
  source.problem(path, `these wait for each other: ${names.join(' for ')}`)
}

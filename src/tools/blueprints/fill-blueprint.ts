/**
 * Fills the placeholders of a blueprint. A parameter is data and never becomes an instruction: short texts are quoted, long
 * ones and those of several lines are put in a fence below, which the placeholder's text refers to.
 */
import { FENCE_RULE, fence } from '../../kernel/fence.ts'
import type { DecodingBudget } from '../../protocol/decoding-budget.ts'
import { isObject, shorten, ThinkonError } from '../../protocol/index.ts'
import { inputProblems } from '../executors/executor.ts'
import {
  type Blueprint,
  type BlueprintPlan,
  type BlueprintTask,
  type PROMPTS,
  placesOf,
  replacePlaces,
} from './blueprint.ts'

type Params = Readonly<Record<string, unknown>>

export interface FilledBlueprint
  extends Pick<Blueprint, 'name' | 'verbose_name' | 'plan' | 'tools' | 'review'> {
  /** Including defaults. */
  readonly params: Params
  readonly prompts: Pick<Blueprint, (typeof PROMPTS)[number]>
}

/** Longer texts are put in a fence. */
const MAX_QUOTED_CHARS = 200
/** The maximum length of a value in a title. */
const MAX_TITLE_CHARS = 60

/**
 * `fitted` is used in place of the blueprint's plan. Throws BAD_INPUT with all problems of the parameters, or of that plan. `budget` is that of
 * all texts: each of them may repeat the parameters.
 */
export function fillBlueprint(
  blueprint: Blueprint,
  given: unknown,
  budget: DecodingBudget,
  fitted?: BlueprintPlan | undefined,
): FilledBlueprint {
  const params = checkParams(blueprint, given)
  if (fitted !== undefined) checkFitted(blueprint, fitted)
  const fill = (text: string) => fillText(text, params, budget)
  const { name, verbose_name, plan: own, tools, review } = blueprint
  const plan = fitted ?? own
  return {
    name,
    verbose_name,
    params,
    prompts: {
      init_prompt: fill(blueprint.init_prompt),
      persistent_prompt: fill(blueprint.persistent_prompt),
      result_prompt: fill(blueprint.result_prompt),
    },
    plan: plan && {
      main_task: fillTitle(plan.main_task, params),
      main_task_goal: fill(plan.main_task_goal),
      tasks: plan.tasks.map((task) => fillTask(task, fill)),
    },
    tools,
    review,
  }
}

/** Some models send null for a parameter that they leave out. */
function checkParams({ name, parameters }: Blueprint, given: unknown): Params {
  const params = isObject(given)
    ? Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
    : given
  const problems = inputProblems(parameters, params ?? {})
  for (const [key, value] of Object.entries(isObject(params) ? params : {}))
    if (Array.isArray(value) && value.some((one) => typeof one === 'object'))
      problems.push(`"${key}" must be a list of texts or numbers`)
  if (problems.length > 0) {
    throw new ThinkonError('BAD_INPUT', `parameters of blueprint "${name}": ${problems.join('; ')}`, {
      data: { blueprint: name, problems },
    })
  }
  const defaults = Object.entries(parameters.properties).flatMap(([key, schema]) =>
    schema.default === undefined ? [] : [[key, schema.default]],
  )
  return { ...Object.fromEntries(defaults), ...(params as object) }
}

function checkFitted({ name, parameters }: Blueprint, plan: BlueprintPlan): void {
  const known = Object.keys(parameters.properties)
  const places = placesOf(JSON.stringify(plan)).filter((place) => !known.includes(place.name))
  const unknown = [...new Set(places.map(({ written }) => written))]
  if (unknown.length === 0) return
  const problem = `plan for blueprint "${name}": ${unknown.join(', ')} is not a parameter; there are: ${known.join(', ')}`
  throw new ThinkonError('BAD_INPUT', problem, { data: { blueprint: name, problems: [problem] } })
}

function fillTask(task: BlueprintTask, fill: (text: string) => string): BlueprintTask {
  return {
    ...task,
    subtask_goal: fill(task.subtask_goal),
    ...(task.subtasks && { subtasks: task.subtasks.map((part) => fillTask(part, fill)) }),
  }
}

function fillText(text: string, params: Params, budget: DecodingBudget): string {
  const inline = new Map<string, string>()
  const fenced = new Map<string, string>()
  budget.take(text.length)
  const filled = replacePlaces(text, (name) => {
    const written = inline.get(name) ?? inPlace(name, fenced, params, budget)
    inline.set(name, written)
    budget.take(written.length)
    return written
  })
  return fenced.size === 0 ? filled : [filled.trimEnd(), '', FENCE_RULE, ...fenced.values(), ''].join('\n')
}

/** The text for a parameter's places. A long value is added to `fenced`. */
function inPlace(name: string, fenced: Map<string, string>, params: Params, budget: DecodingBudget): string {
  const value = params[name]
  if (isShort(value)) return quoted(value)
  const whole = fence(`parameter ${name}`, [value].flat().join('\n'))
  budget.take(whole.length)
  fenced.set(name, whole)
  return `the value of "${name}" (given below as data)`
}

function fillTitle(text: string, params: Params): string {
  if (placesOf(text).length === 0) return text
  return replacePlaces(text, (name) => {
    const value = params[name]
    return typeof value === 'string' || Array.isArray(value) ? `"${titleOf(value)}"` : quoted(value)
  })
}

function titleOf(value: string | readonly unknown[]): string {
  const line = [value]
    .flat()
    .join(', ')
    .replace(/[\s\p{C}]+/gu, ' ')
    .replaceAll('"', "'")
    .trim()
  return shorten(line, MAX_TITLE_CHARS)
}

function isShort(value: unknown): boolean {
  const texts = [value].flat().filter((one) => typeof one === 'string')
  const length = texts.reduce((sum, one) => sum + one.length, 0)
  return length <= MAX_QUOTED_CHARS && !texts.some((one) => NOT_PLAIN.test(one))
}

/** Line breaks and invisible characters. */
const NOT_PLAIN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

function quoted(value: unknown): string {
  if (value === undefined) return '(not given)'
  if (!Array.isArray(value)) return JSON.stringify(value)
  return value.length === 0 ? '(none)' : value.map((one) => JSON.stringify(one)).join(', ')
}

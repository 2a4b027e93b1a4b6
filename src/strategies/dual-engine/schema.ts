/** The strategy's options, the brief of a block that performs a task, and the answers of reviews. */
import { isObject, ThinkonError } from '../../protocol/index.ts'
import type { StrategyName } from '../../protocol/strategy-registry.ts'
import { CHECK_RULE, type CheckOptions } from '../closing/option.ts'
import { NAMES_SCHEMA, nameList, type OptionRules, optionsSchema, readOptions } from '../read-options.ts'
import { readPlan } from './tasks/read-plan.ts'
import type { Plan } from './tasks/task.ts'
import type { ParentInput } from './tasks/tree.ts'

export const REVIEW_MODES = ['manual', 'auto', 'ai'] as const

export interface DualOptions extends CheckOptions {
  /** When a tool call or sub-goal has come so many times without new results the model is warned; once more is refused. Default: 3. */
  maxRepeats: number
  /** Who reviews plans and tasks: a person (`manual`), nobody (`auto`, the default), or a person where a model sees a risk (`ai`). */
  review: (typeof REVIEW_MODES)[number]
  /** With `ai`: from this risk on a person is asked, 0 to 1. Default: 0.5. */
  riskThreshold: number
  /** Tasks that are carried out at once, 64 at most. Default: 1. */
  concurrency: number
  /** Iterations of one task's loop; then it ends `partial`, with what it has. Default: 50. */
  maxIterations: number
  /** Iterations of the loop that makes a plan. Default: 12. */
  maxPlanIterations: number
  /** How often a coordinator mends its plan by itself after a task has failed. Default: 2. */
  maxReplans: number
  /** So many equal actions in a row are a spin. Default: 3. */
  sameActionTypeSpinThreshold: number
  /** Judged so often in a row to go round in circles, a loop ends. Default: 3. */
  sameLogicSpinThreshold: number
  /** A loop has the model look back at what it did: every eighth iteration, after a failure, when it spins. Default: true. */
  reflection: boolean
  /** The workspace's memory is searched, and what tasks have learned is kept in it. Default: true. */
  memory: boolean
  /** A task may use tools. Default: true. */
  allowToolCall: boolean
  /** A task may have a goal planned and carried out below it. Default: true. */
  allowPlanAndExec: boolean
  /** A task may have a blueprint carried out. Default: true. */
  allowAIForge: boolean
  /** A task may search the workspace's memory and files for a few words. Default: true. */
  allowRAG: boolean
  /** A task may ask a person. Default: true. */
  allowUserInteract: boolean
  /** Strategies that a task may have a goal solved with. Default: `cot`, `tot`, `fractal`, `planner`. */
  strategies: readonly StrategyName[]
  /** Named texts that every prompt has, as data. Default: none. */
  contexts: readonly NamedText[]
  /** A prepared plan: nothing is planned by the model. Default: the model plans. */
  plan?: Plan
  /** The blueprint that makes the plan. Default: none. */
  blueprint?: string
  /** The blueprint's parameters, where they are known. Default: none. */
  params?: Readonly<Record<string, unknown>>
  /** The tools that may be used. Default: all. */
  tools?: readonly string[]
  /** A text for every loop, such as a blueprint's. Default: none. */
  prompt?: string
  /** What a blueprint says to whoever begins, and how it was found: a text for the plan and its tasks. Default: none. */
  init?: string
  /** A text for the summary, such as a blueprint's. Default: none. */
  close?: string
  // Set by the strategy itself:
  /** The blueprints that loops may choose from. */
  knownBlueprints?: readonly NamedText[]
  /** The block coordinates a plan that a loop above has asked for. */
  nested?: boolean
  /** The index of that plan's root. */
  index?: string
  /** The block performs this task of its parent's plan. */
  task?: TaskBrief
}

/** What the strategy itself sets. */
export type DualInternal = 'knownBlueprints' | 'nested' | 'index' | 'task'

export interface NamedText {
  readonly name: string
  readonly text: string
  /** Where the journal has it; what was given with the run is not read again. */
  readonly ref?: string
}

/** A task, as the block that performs it knows it. */
export interface TaskBrief extends ParentInput {
  /** From far to near. */
  readonly parents: readonly ParentInput[]
  /** The user's own words. */
  readonly request: string
  /** The plan with its marks when the task began. */
  readonly progress: string
  readonly current: string
  readonly attempt: number
  /** What is to be better than in the attempt before. */
  readonly redo?: string
  /** The block of that attempt. */
  readonly before?: string
  /** The blocks of the tasks that it depends on. */
  readonly needs: readonly string[]
  /** Blocks of attempts that another has replaced: their results do not count. */
  readonly superseded: readonly string[]
  /** Its result is that of the plan. */
  readonly last?: true
  /** Of a last task whose result is to be given as a value: the value's form, in words. */
  readonly form?: string
}

/** Replies are checked where they are read: what is wrong with one is a sentence for the model. */
export const REPLY = { type: 'object' } as const

export type ReviewName = 'review-plan' | 'review-task' | 'review-params'

/** A change of the tree, by names, indices or ids. It comes from a person as it is, and is checked when it is made. */
export type Edit =
  | { readonly do: 'rename'; readonly task: string; readonly name?: string; readonly goal?: string }
  | { readonly do: 'remove'; readonly task: string }
  | { readonly do: 'add'; readonly under?: string; readonly at?: number; readonly tasks: unknown }
  | { readonly do: 'reorder'; readonly under?: string; readonly order: readonly string[] }
  | { readonly do: 'depend'; readonly task: string; readonly on: readonly string[] }

export type PlanReview =
  | { readonly choice: 'continue' }
  /** The plan is unclear or incomplete: it is made again with these words. */
  | { readonly choice: 'revise'; readonly words: string }
  /** `accept`: if all of them can be made, the plan is not asked about again. */
  | { readonly choice: 'edit'; readonly edits: readonly Edit[]; readonly accept?: true }
  /** These tasks get sub-tasks. */
  | { readonly choice: 'subtasks'; readonly tasks: readonly string[]; readonly words: string }
  | { readonly choice: 'end' }

export type TaskReview =
  | { readonly choice: 'continue' }
  | { readonly choice: 'adjust' | 'deeper' | 'inaccurate'; readonly words: string }
  | { readonly choice: 'end' }

const NAMED_TEXTS = {
  type: 'array',
  items: {
    type: 'object',
    properties: { name: { type: 'string' }, text: { type: 'string' } },
    required: ['name', 'text'],
  },
} as const

const ON = { type: 'switch', fallback: true } as const

const RULES: OptionRules<DualOptions> = {
  maxRepeats: {
    type: 'whole',
    least: 1,
    fallback: 3,
    about:
      'how often the same tool call or sub-goal may repeat without new results before the model is warned; once more is refused',
  },
  review: { type: 'choice', choices: REVIEW_MODES, fallback: 'auto' },
  riskThreshold: {
    type: 'number',
    least: 0,
    most: 1,
    fallback: 0.5,
    about: 'where a model looks for risks: a person is asked from this risk on',
  },
  concurrency: { type: 'whole', least: 1, most: 64, fallback: 1 },
  maxIterations: {
    type: 'whole',
    least: 1,
    fallback: 50,
    about: 'iterations of one task’s loop; then it ends partial, with what it has',
  },
  maxPlanIterations: {
    type: 'whole',
    least: 1,
    fallback: 12,
    about: 'iterations of the loop that makes a plan',
  },
  maxReplans: {
    type: 'whole',
    least: 0,
    fallback: 2,
    about: 'how often a plan is mended after a task has failed',
  },
  sameActionTypeSpinThreshold: {
    type: 'whole',
    least: 2,
    fallback: 3,
    about: 'so many equal actions in a row count as going round in circles',
  },
  sameLogicSpinThreshold: {
    type: 'whole',
    least: 1,
    fallback: 3,
    about: 'judged so often in a row to go round in circles, a loop ends',
  },
  reflection: {
    ...ON,
    about:
      'the model looks back at what it did: now and then, after a failure, when it goes round in circles',
  },
  memory: { ...ON, about: 'the workspace’s memory is searched, and what tasks have learned is kept in it' },
  allowToolCall: { ...ON, about: 'a task may use tools' },
  allowPlanAndExec: { ...ON, about: 'a task may have a goal planned and carried out below it' },
  allowAIForge: { ...ON, about: 'a task may have a blueprint carried out' },
  allowRAG: { ...ON, about: 'a task may search the workspace’s memory and files' },
  allowUserInteract: { ...ON, about: 'a task may ask a person' },
  strategies: {
    type: 'own',
    check: nameList('strategies'),
    json: NAMES_SCHEMA,
    fallback: ['cot', 'tot', 'fractal', 'planner'],
    about: 'strategies that a task may have a goal solved with',
  },
  contexts: {
    type: 'own',
    check: namedTexts,
    json: NAMED_TEXTS,
    fallback: [],
    about: 'named texts that every prompt has, as data',
  },
  plan: {
    type: 'own',
    check: planOption,
    json: {},
    about: 'a prepared plan: main_task, main_task_goal, tasks',
  },
  blueprint: { type: 'text' },
  params: { type: 'own', check: paramsOption, json: { type: 'object' } },
  tools: {
    type: 'own',
    check: nameList('tools'),
    json: NAMES_SCHEMA,
    about: 'the tools that may be used; all unless given',
  },
  prompt: { type: 'text', about: 'a text for every loop' },
  init: { type: 'text', about: 'a text for the plan and its tasks' },
  close: { type: 'text', about: 'a text for the summary' },
  knownBlueprints: { type: 'own', check: namedTexts, internal: true },
  nested: { type: 'switch', internal: true },
  index: { type: 'text', internal: true },
  task: { type: 'own', check: (value) => value as TaskBrief, internal: true },
  check: CHECK_RULE,
}

export const OPTIONS_SCHEMA = optionsSchema(RULES)

export function checkOptions(given: Readonly<Record<string, unknown>>): DualOptions {
  return readOptions('dual', RULES, given)
}

/** These apply to one coordinator only. */
const OWN = ['plan', 'blueprint', 'params', 'close', 'nested', 'index', 'task', 'check'] as const

/** A coordinator's options, as the blocks below it get them. */
export function inheritedOptions(options: DualOptions): Omit<DualOptions, (typeof OWN)[number]> {
  const inherited = { ...options }
  for (const name of OWN) delete inherited[name]
  return inherited
}

function planOption(value: unknown): Plan {
  const { plan, problems } = readPlan(value)
  if (plan !== null) return plan
  throw new ThinkonError('BAD_INPUT', `plan can't be used: ${problems.join(' ')}`)
}

function paramsOption(value: unknown): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value
  const given = JSON.stringify(value)
  throw new ThinkonError('BAD_INPUT', `params must be an object such as {"path": "src"}, not ${given}`)
}

function namedTexts(value: unknown): readonly NamedText[] {
  const isNamed = (item: unknown) =>
    typeof (item as NamedText | null)?.name === 'string' && typeof (item as NamedText).text === 'string'
  if (Array.isArray(value) && value.every(isNamed)) return value
  throw new ThinkonError('BAD_INPUT', 'contexts must be a list of {name, text}')
}

/**
 * The recursive dual engine, in the order data flows:
 *
 *   strategy.ts    a block coordinates a plan, or carries out one task of a plan
 *   coordinator/   layer 1: the five phases from a request to its result; runs the leaves of the tree, takes skips and redos
 *   plan/          layer 2: makes a plan, by the model or from a blueprint
 *   review/        asks a person or a risk judge about a plan, a task, a blueprint's parameters
 *   answers/       the questions of reviews, and what a person's answers mean
 *   tasks/         plain data: the plan as it is written, the tree of tasks, their statuses, what may run next
 *   react/         layer 3: the loop of one task: decide, act, reflect; its actions can plan again
 *   prompts/       what the requests to a model have in common, and how an action's result is told
 *   views/         how tasks and their progress are drawn
 *   embedded.ts    how the embedded models answer the requests
 *
 * Shared by the rooms: schema.ts (options and reply shapes), notes.ts (what stands in the journal), scope.ts (a block and the
 * options that apply in it), memory.ts (what earlier runs remember).
 */
import {
  type Arguments,
  checkArguments,
  type Fields,
  fields,
  func,
  list,
  text,
} from '../../protocol/check-arguments.ts'
import { strategyName } from '../strategy-checks.ts'
import type { StrategyModule } from '../strategy-module.ts'
import type { DualHooks } from './coordinator/hooks.ts'
import type { DualOptions } from './schema.ts'

export type { ContextProvider, DualHooks, DualResult } from './coordinator/hooks.ts'
export type { SubtaskSignal } from './coordinator/take-signal.ts'
export type { Observation } from './prompts/observation.ts'
export type { Action, Begun } from './react/loop.ts'
export type { DualOptions } from './schema.ts'
export type { Plan, PlanTask, Task } from './tasks/task.ts'

export const dual: StrategyModule = {
  name: 'dual',
  version: 4,
  summary:
    'plans tasks, has the plan reviewed, and carries out each in a loop of actions that can plan again',
  flags: {
    review: {
      option: 'review',
      type: 'text',
      value: 'manual|auto|ai',
      help: 'who reviews plans and tasks: a person, nobody (auto), or a person where a model sees a risk',
    },
    concurrency: { option: 'concurrency', type: 'whole', value: '<n>', help: 'tasks at once (1)' },
    blueprint: {
      option: 'blueprint',
      type: 'text',
      value: '<name>',
      values: ['code-audit', 'documentation', 'migration', 'security-review'],
      help: 'a prepared plan: code-audit, documentation, migration, security-review, or one of .thinkon/blueprints',
    },
    params: { option: 'params', type: 'json', value: '<json>', help: "the blueprint's parameters" },
  },
  signals: ['subtask'],
  targets: {
    task: {
      value: '<index>',
      help: 'a task of a plan (of the strategy dual) by its number in the tree, such as 1-2; of the block given, or of any plan below it',
    },
  },
  load: async () => (await import('./strategy.ts')).dual,
  view: async () => (await import('./views/index.ts')).view,
  embedded: async () => (await import('./embedded.ts')).embedded,
}

const contextProvider = fields(
  { name: text, provide: func() },
  { needs: { name: 'what its text is called', provide: 'the function that gives the text' }, open: true },
)
const action = fields(
  { name: text, description: text },
  { needs: { name: 'what the model calls it', description: 'what it does, for the model' }, open: true },
)

const DUAL_ENGINE: Arguments = {
  checks: {
    options: fields({
      name: strategyName,
      planTemplate: func(),
      resultHandler: func(),
      contextProviders: list(contextProvider, '{ name, provide }'),
      actions: list(action, 'actions'),
    } satisfies Fields<DualHooks & { name: string }>),
  },
}

/**
 * The strategy with functions of your own, for `createEngine({ strategies })`. Without a name it replaces `dual`. A run can only be
 * resumed by a process that has the same functions under the same name.
 */
export function dualEngine<const Name extends string = 'dual'>(
  own: DualHooks & { readonly name?: Name } = {},
): StrategyModule<Name, DualOptions> {
  checkArguments('dualEngine', DUAL_ENGINE, [own])
  const { name = dual.name as Name } = own
  return { ...dual, name, load: async () => (await import('./strategy.ts')).solverWith(name, own) }
}

import type { StrategyModule } from '../strategy-module.ts'

export type { ContextProvider, DualHooks, DualResult } from './coordinator/hooks.ts'
export type { SubtaskSignal } from './coordinator/run-tasks.ts'
export type { Plan, PlanTask } from './plan/plan-schema.ts'
export type { Action, Begun, Observation } from './react/action.ts'
export type { DualOptions } from './schema.ts'
export type { Task } from './tasks/tree.ts'

export const dual: StrategyModule = {
  name: 'dual',
  version: 1,
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
      help: 'a plan made beforehand: code-audit, documentation, migration, security-review, or one of .thinkon/blueprints',
    },
    params: { option: 'params', type: 'json', value: '<json>', help: "the blueprint's parameters" },
  },
  load: async () => (await import('./strategy.ts')).dual,
  abacus: async () => (await import('../../models/embedded/abacus/kinds/dual.ts')).dualKinds,
}

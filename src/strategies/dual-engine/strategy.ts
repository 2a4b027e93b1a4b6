/** The recursive dual engine: a block coordinates a plan, or carries out one task of a plan in a loop. */
import type { Solver } from '../../kernel/strategy.ts'
import { coordinate } from './coordinator/coordinate.ts'
import { type DualHooks, hooksOf } from './coordinator/hooks.ts'
import type { DualNotes } from './notes.ts'
import { ACTIONS } from './react/actions.ts'
import { performTask } from './react/perform-task.ts'
import { checkOptions, type DualOptions, OPTIONS_SCHEMA } from './schema.ts'

export const dual = solverWith('dual', {})

/** `name`: what the programs that call the hooks are named after. */
export function solverWith(name: string, own: DualHooks): Solver<DualOptions, DualNotes> {
  const hooks = hooksOf(name, own)
  const actions = [...ACTIONS, ...(own.actions ?? [])]
  return {
    options: checkOptions,
    optionsSchema: OPTIONS_SCHEMA,
    maxRepeats: ({ maxRepeats }) => maxRepeats,
    calls: ({ strategies }) => strategies,
    programs: hooks.programs,
    solve: (context) => {
      const { task } = context.options
      return task === undefined
        ? coordinate(context, hooks)
        : performTask(context, task, { actions, look: hooks.look })
    },
  }
}

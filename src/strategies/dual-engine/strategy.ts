/** The recursive dual engine: a block is a coordinator of a plan, or carries out one task of one in a loop. */
import type { Strategy } from '../../kernel/strategy.ts'
import { coordinate } from './coordinator/coordinate.ts'
import { type DualHooks, hooksOf, NO_HOOKS, programsOf } from './coordinator/hooks.ts'
import { ACTIONS } from './react/actions.ts'
import { performTask } from './react/perform-task.ts'
import { checkOptions, type DualOptions } from './schema.ts'

const NAME = 'dual'

export const dual: Strategy<DualOptions> = {
  name: NAME,
  version: 1,
  options: checkOptions,
  calls: ({ strategies }) => strategies,
  solve: (context) => {
    const { task } = context.options
    return task === undefined ? coordinate(context, NO_HOOKS) : performTask(context, task)
  },
}

/**
 * The strategy with functions of yours: given to `createEngine({ strategies })`. Without a name it takes the place of `dual`. A
 * run is gone on with by a process that has the same functions under the same name.
 */
export function dualEngine(own: DualHooks & { readonly name?: string } = {}): Strategy<DualOptions> {
  const { name = NAME } = own
  const hooks = hooksOf(name, own)
  const actions = [...ACTIONS, ...(own.actions ?? [])]
  return {
    ...dual,
    name,
    programs: programsOf(name, own),
    solve: (context) => {
      const { task } = context.options
      return task === undefined ? coordinate(context, hooks) : performTask(context, task, actions)
    },
  }
}

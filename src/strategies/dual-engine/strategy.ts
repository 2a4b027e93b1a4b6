/** The recursive dual engine: a block is a coordinator of a plan, or carries out one task of one in a loop. */
import type { Strategy } from '../../kernel/strategy.ts'
import { coordinate } from './coordinator.ts'
import { checkOptions, type DualOptions } from './options.ts'
import { performTask } from './react.ts'

export const dual: Strategy<DualOptions> = {
  name: 'dual',
  version: 1,
  options: checkOptions,
  solve: (context) => {
    const { task } = context.options
    return task === undefined ? coordinate(context) : performTask(context, task)
  },
}

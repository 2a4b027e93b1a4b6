import type { Strategy } from '../../kernel/strategy.ts'
import type { StrategyDescription } from '../strategy-module.ts'
import type { DualHooks } from './coordinator/hooks.ts'
import { dual } from './index.ts'
import type { DualNotes } from './notes.ts'
import type { DualOptions } from './schema.ts'
import { solverWith } from './strategy.ts'

/**
 * The strategy with functions of yours: passed to `createEngine({ strategies })`. Without a name it replaces `dual`. A run can
 * only be resumed by a process that has the same functions under the same name.
 */
export function dualEngine(
  own: DualHooks & { readonly name?: string } = {},
): Strategy<DualOptions, DualNotes> & StrategyDescription {
  const { load: _, ...description } = dual
  const { name = dual.name } = own
  return { ...description, name, ...solverWith(name, own) }
}

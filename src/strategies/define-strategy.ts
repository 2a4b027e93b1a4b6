/** A strategy of your own, with its types. */
import type { AnyNotes, Strategy } from '../kernel/strategy.ts'
import { checkArguments } from '../protocol/check-arguments.ts'
import { strategyObject } from './strategy-checks.ts'
import type { StrategyDescription } from './strategy-module.ts'

/** A strategy in one object, with what the registry may know of it. */
export type StrategyDefinition<Name extends string, Options, Notes> = Strategy<Options, Notes, Name> &
  Omit<StrategyDescription, 'name' | 'version'>

/**
 * Does nothing but check the object. `solve` gets the options that `options` returns, and engines that the strategy is given to know
 * its name and its options: `engine.start(goal, { strategy: 'mine', options: { … } })` is typed.
 */
export function defineStrategy<const Name extends string, Options, Notes = AnyNotes>(
  strategy: StrategyDefinition<Name, Options, Notes>,
): StrategyDefinition<Name, Options, Notes> {
  checkArguments('defineStrategy', { checks: { options: strategyObject }, needs: NEEDS }, [strategy])
  return strategy
}

const NEEDS = { options: 'an object with name, version, options() and solve()' }

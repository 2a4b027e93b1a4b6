/**
 * A strategy as the registry lists it: a light description, and how to load the rest. Each strategy's folder has one in its
 * index.ts; one of your own has the same form and is passed to `createEngine({ strategies })` or named in the configuration.
 */
import type { Solver, Strategy } from '../kernel/strategy.ts'
import type { Kinds } from '../models/embedded/kinds.ts'
import type { NoStrategy } from '../protocol/strategy-registry.ts'
import type { StrategyView } from '../views/strategy-view.ts'

export interface StrategyModule<Name extends string = string, Options = unknown>
  extends StrategyDescription<Name> {
  /** strategy.ts */
  load(): Promise<Solver<Options>>
}

/** Everything about a strategy but the code that solves. */
export interface StrategyDescription<Name extends string = string> {
  readonly name: Name
  /** Raised when a block begun by the old code can't be resumed by the new. */
  readonly version: number
  /** One line of help. */
  readonly summary?: string
  /** Options of its own that the command line has as flags, by the flag's name. */
  readonly flags?: Readonly<Record<string, StrategyFlag>>
  /** Names of signals that its blocks take besides `message`, `skip`, `redo` and `cancel`, also before they wait for one. */
  readonly signals?: readonly string[]
  /** What `skip` and `redo` can be aimed at inside a block, by the flag's name; `view.steer` makes the signal. */
  readonly targets?: Readonly<Record<string, TargetFlag>>
  /** view.ts: how it is drawn. */
  view?(): Promise<StrategyView>
  /** embedded.ts: how the embedded models answer its requests. */
  embedded?(): Promise<Kinds>
}

/** A strategy in one object is a module that is loaded already. */
export type GivenStrategy = StrategyModule | (Omit<StrategyDescription, 'name' | 'version'> & AnyStrategy)

// biome-ignore lint/suspicious/noExplicitAny: strategies whose options differ have no common type but this
type AnyStrategy = Strategy<any>

/** What a list of strategies is inferred as. */
export type InferredStrategies = readonly (GivenStrategy | NoStrategy)[]

/** `--<flag> <value>` sets an option of the strategy. */
export interface StrategyFlag {
  /** The option's name. */
  readonly option: string
  /** How the text is read; `json` is JSON where it is JSON, otherwise text; a `path` begins at the current folder. */
  readonly type: 'text' | 'path' | 'whole' | 'number' | 'switch' | 'json'
  /** What stands for the value in help: `<n>`. */
  readonly value?: string
  /** The values there are, for the shell to complete, where `value` does not list them. */
  readonly values?: readonly string[]
  readonly help: string
}

export interface TargetFlag {
  readonly value: string
  readonly help: string
}

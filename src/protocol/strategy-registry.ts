/** Strategies by name, for the compiler: which names there are, and which options each has. At run time the engine has the strategies. */
import type { Route } from './route.ts'

/**
 * The options of each strategy that is known by its name. Those that ship are in src/strategies/option-types.ts. Yours are known to the
 * engine that they are given to; where that is out of sight, declare them:
 *
 *   declare module 'thinkon' {
 *     interface StrategyRegistry {
 *       mine: { width?: number }
 *     }
 *   }
 */
// biome-ignore lint/suspicious/noEmptyInterface: others add to it
export interface StrategyRegistry {}

/** Of engines whose own strategies are out of sight: any name may be one, with any options. */
// biome-ignore lint/suspicious/noExplicitAny: whatever is given to one engine fits any other type of engine
export type AnyOwn = any

/** Options of a strategy that the compiler knows nothing about; the strategy checks them when the run is started. */
export type AnyOptions = Readonly<Record<string, unknown>>

/** A strategy's options as they are given: each may be left out. `Internal` ones are set by the strategy itself. */
export type GivenOptions<Options, Internal extends keyof Options = never> = {
  [Name in keyof Options as Exclude<Name, Internal>]?: Options[Name] | undefined
}

/** Completes the names that are known and accepts any other. `Own` are strategies that were given to the engine. */
export type StrategyName<Own = AnyOwn> = keyof StrategyRegistry | OwnName<Own> | (string & {})

/** Any name would hide those that are known. */
type OwnName<Own> = unknown extends Own ? never : keyof Own & string

/** The options of the strategy of this name. */
export type OptionsOf<Name, Own = AnyOwn> = Name extends keyof StrategyRegistry
  ? StrategyRegistry[Name]
  : Name extends keyof Own
    ? Own[Name]
    : AnyOptions

type Known<Own> = keyof StrategyRegistry | (keyof Own & string)

/** A strategy of a known name with its options. */
export type ChosenStrategy<Own = AnyOwn> = unknown extends Own
  ? AnyOwn
  : {
      [Name in Known<Own>]: { readonly strategy: Name; readonly options?: OptionsOf<Name, Own> | undefined }
    }[Known<Own>]

export type StrategyRoute<Own = AnyOwn> = Route<StrategyName<Own> | ChosenStrategy<Own>>

/** By the strategy that ended partial: which one tries the block once more. */
export type StrategyFallbacks<Own = AnyOwn> = {
  readonly [Name in Known<Own>]?: StrategyName<Own> | ChosenStrategy<Own>
}

/** By a strategy's name: its default options. */
export type OptionsByName<Own = AnyOwn> = {
  readonly [Name in Known<Own>]?: OptionsOf<Name, Own>
}

/** Part of what a list of strategies is inferred as only if none is given. */
export interface NoStrategy {
  readonly name: never
}

/** The options of strategies by name, as the engine that they are given to knows them; any, if the names are out of sight. */
export type OwnOptions<Strategies extends readonly { readonly name: string }[]> =
  NoStrategy extends Strategies[number]
    ? Readonly<Record<never, never>>
    : string extends Strategies[number]['name']
      ? AnyOwn
      : { [Given in Strategies[number] as Given['name']]: OptionsIn<Given> }

/** Of an object that solves, or of a module that loads one. */
type OptionsIn<Given> = Given extends { options(given: never): infer Options }
  ? unknown extends Options
    ? AnyOptions
    : GivenOptions<Options>
  : Given extends { load(): PromiseLike<infer Loaded> }
    ? OptionsIn<Loaded>
    : AnyOptions

/** `thinkon/ai-sdk`: strategies as language models of the AI SDK. Of `@ai-sdk/provider` only types are used. */
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { languageModel } from './engine/ai-sdk/language-model.ts'
import type { Engine, EngineOptions, StartOptions } from './engine/api.ts'
import { engineFields, startFields } from './engine/entrances.ts'
import { createEngine } from './engine.ts'
import { type Arguments, checkArguments, fields, text, whole } from './protocol/check-arguments.ts'
import type { OwnOptions, StrategyName } from './protocol/strategy-registry.ts'
import { withOwn } from './strategies/registry.ts'
import type { InferredStrategies } from './strategies/strategy-module.ts'

/** What the runs of a language model are started with. */
export interface ThinkonRunSettings<Name extends StrategyName = StrategyName, Own = Record<never, never>>
  extends Pick<
    StartOptions<never, Name, Own>,
    'options' | 'strategyOptions' | 'routes' | 'fallbacks' | 'budget' | 'workspace' | 'approval'
  > {
  /** How long a run waits for the result of a tool that the AI SDK executes; an hour, unless given. */
  toolTimeoutMs?: number
}

export type ThinkonSettings<
  Strategies extends InferredStrategies = InferredStrategies,
  Name extends StrategyName = StrategyName,
> = EngineOptions<Strategies> & ThinkonRunSettings<Name, OwnOptions<Strategies>>

/** What `providerOptions.thinkon` of a call may have; it overrides the settings. */
export type ThinkonProviderOptions = Pick<StartOptions, 'options' | 'budget' | 'id' | 'seed'>

export interface ThinkonLanguageModel extends LanguageModelV4 {
  /** Works on its runs: to look at them and steer them by the id in `providerMetadata.thinkon.run`, and to close it. */
  readonly engine: Engine
}

export interface ThinkonProvider<Own = Record<never, never>> {
  <const Name extends StrategyName<Own>>(
    strategy: Name,
    settings?: ThinkonRunSettings<Name, Own>,
  ): ThinkonLanguageModel
  /** By the strategy's name, for registries of providers. */
  languageModel(strategy: string): ThinkonLanguageModel
  readonly engine: Engine
}

const HOUR_MS = 3_600_000

const { options, strategyOptions, routes, fallbacks, budget, workspace, approval } = startFields
const runFields = {
  ...{ options, strategyOptions, routes, fallbacks, budget, workspace, approval },
  toolTimeoutMs: whole(1),
}
const THINKON: Arguments = {
  checks: { strategy: text, options: fields({ ...engineFields, ...runFields }) },
  needs: { strategy: 'the name of a strategy, such as "tot"' },
}
const CREATE: Arguments = { checks: { options: fields(engineFields) } }
const CHOOSE: Arguments = { ...THINKON, checks: { strategy: text, options: fields(runFields) } }

/** A strategy as a language model: `generateText({ model: thinkon('tot', { model }), prompt })`. It has an engine of its own. */
export function thinkon<
  const Strategies extends InferredStrategies,
  const Name extends StrategyName<OwnOptions<Strategies>>,
>(strategy: Name, settings: ThinkonSettings<Strategies, Name> = {}): ThinkonLanguageModel {
  checkArguments('thinkon', THINKON, [strategy, settings])
  const isOfRun = (name: string) => Object.hasOwn(runFields, name)
  const given = Object.entries(settings)
  const ofEngine = Object.fromEntries(given.filter(([name]) => !isOfRun(name)))
  return createThinkon(ofEngine as EngineOptions)(
    strategy,
    Object.fromEntries(given.filter(([name]) => isOfRun(name))),
  )
}

/** Several of them with one engine, which is closed by `provider.engine.close()`. */
export function createThinkon<const Strategies extends InferredStrategies>(
  settings: EngineOptions<Strategies> = {},
): ThinkonProvider<OwnOptions<Strategies>> {
  checkArguments('createThinkon', CREATE, [settings])
  const engine = createEngine(settings) as Engine
  const strategies = withOwn((settings as EngineOptions).strategies)
  const choose = (strategy: string, run: ThinkonRunSettings = {}): ThinkonLanguageModel => {
    checkArguments('thinkon', CHOOSE, [strategy, run])
    const { toolTimeoutMs = HOUR_MS, ...start } = run
    const model = languageModel({ strategy, engine, strategies, start: start as StartOptions, toolTimeoutMs })
    return { ...model, engine }
  }
  return Object.assign(choose, { languageModel: (strategy: string) => choose(strategy), engine }) as never
}

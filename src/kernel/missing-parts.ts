/** What a run needs and a kernel does not have: the strategies that its options and rules name, its tools, its model. */
import { chosenOf, type ModelNames, type RunConfig, type RunStart, ThinkonError } from '../protocol/index.ts'
import type { Missing } from './durable.ts'
import type { Solver } from './strategy.ts'

/** The models of a process by name. */
export interface NamedModels extends ModelNames {
  /** Nobody chose one: it is the default. */
  readonly isDefault: boolean
}

interface Parts {
  readonly loaded: ReadonlyMap<string, Solver>
  readonly strategies: ReadonlyMap<string, unknown>
  readonly tools: ReadonlyMap<string, unknown>
  readonly models: NamedModels | undefined
}

export function missingParts(
  { strategy, options, config }: Pick<RunStart, 'strategy' | 'options' | 'config'>,
  { loaded, strategies, tools, models }: Parts,
): Missing[] {
  const solver = loaded.get(strategy.slice(0, strategy.lastIndexOf('@')))
  const called = solver?.calls?.(solver.options((options ?? {}) as Record<string, unknown>)) ?? []
  const named = [...new Set([...called, ...ruledStrategies(config)])]
  const used = (config.tools ?? []).flatMap(({ name, caller }) => (caller === undefined ? name : []))
  return [
    ...named.filter((name) => !strategies.has(name)).map(missingStrategy),
    ...used.filter((name) => !tools.has(name)).map(missingTool),
    ...missingModel(config, models),
  ]
}

function ruledStrategies({ routes = [], fallbacks = {} }: RunConfig): string[] {
  const rules = [...routes.map(({ use }) => use), ...Object.values(fallbacks)]
  return rules.map((use) => chosenOf(use).strategy)
}

/** A model that was chosen stands for the run's, whichever it is; the default does not. */
function missingModel({ model }: RunConfig, here: NamedModels | undefined): Missing[] {
  if (here === undefined || !here.isDefault || model === undefined || model === here.model) return []
  return [{ code: 'NO_MODEL', what: `the model "${model}"` }]
}

function missingStrategy(name: string): Missing {
  return { code: 'NO_SUCH_STRATEGY', what: `the strategy "${name}"` }
}

function missingTool(name: string): Missing {
  return { code: 'NO_SUCH_TOOL', what: `the tool "${name}"` }
}

/** The refusal to resume a run, with all that is missing and what can be done about it. */
export function cannotResume(run: string, missing: readonly Missing[]): ThinkonError {
  const code = missing[0]?.code ?? 'INTERNAL'
  const list = missing.map(({ what }) => what).join('; ')
  const message = `run ${run} can't be resumed here and was left as it is. Not here: ${list}. ${wayOn(missing)}`
  return new ThinkonError(code, message.trim(), { data: { run, missing } })
}

function wayOn(missing: readonly Missing[]): string {
  const codes = new Set(missing.map(({ code }) => code))
  const ways = [
    ...(codes.has('NO_SUCH_STRATEGY') ? ['add the strategies to the configuration'] : []),
    // Tools of a program can't be in a configuration.
    ...(codes.has('NO_SUCH_TOOL')
      ? ['switch on the built-in tools and MCP servers in the configuration']
      : []),
    ...(codes.has('NO_MODEL') ? ['choose another model with --model'] : []),
  ]
  if (ways.length === 0) return ''
  return `Resume it with the program and the options that it was started with, or ${ways.join(' and ')}.`
}

/** Checks routes, fallbacks and options before the run starts: a rule that can't work is reported now, not when its block comes. */

import type { StrategyEntry } from '../kernel/kernel.ts'
import {
  type Chosen,
  chosenOf,
  fallbackProblems,
  meantOrAll,
  routeProblems,
  strategyOptionProblems,
  ThinkonError,
} from '../protocol/index.ts'
import type { StartOptions } from './api.ts'

type Given = { [K in 'routes' | 'fallbacks' | 'strategyOptions']: StartOptions[K] | undefined }
type Strategies = ReadonlyMap<string, StrategyEntry>

/** Throws BAD_INPUT with every problem. */
export async function checkRouting(
  { routes, fallbacks, strategyOptions }: Given,
  strategies: Strategies,
): Promise<void> {
  if (routes === undefined && fallbacks === undefined && strategyOptions === undefined) return
  const names = [...strategies.keys()]
  const problems = [
    ...routeProblems('routes', routes, names),
    ...fallbackProblems('fallbacks', fallbacks, names),
    ...strategyOptionProblems('strategyOptions', strategyOptions, names),
  ].map(({ message }) => message)
  if (problems.length === 0) {
    for (const [i, { use }] of (routes ?? []).entries())
      problems.push(...(await optionProblems(`routes[${i}].use.options`, chosenOf(use), strategies)))
    for (const [name, use] of Object.entries(fallbacks ?? {}))
      problems.push(...(await optionProblems(`fallbacks.${name}.options`, chosenOf(use), strategies)))
    for (const [strategy, options] of Object.entries(strategyOptions ?? {}))
      problems.push(
        ...(await optionProblems(`strategyOptions.${strategy}`, { strategy, options }, strategies)),
      )
  }
  if (problems.length > 0) throw new ThinkonError('BAD_INPUT', problems.join('\n'), { data: { problems } })
}

/** The strategies that a run's options name must exist. */
export function checkCalls(named: readonly string[], strategies: Strategies): void {
  const names = [...strategies.keys()]
  for (const name of named) {
    if (strategies.has(name)) continue
    throw new ThinkonError(
      'BAD_INPUT',
      `the options name an unknown strategy "${name}"${meantOrAll(name, names)}`,
    )
  }
}

/** The strategy of a run must exist. A block's is looked up by the kernel, whose words are on record. */
export function checkStrategy(name: string, strategies: Strategies): void {
  if (strategies.has(name)) return
  const available = [...strategies.keys()]
  throw new ThinkonError('NO_SUCH_STRATEGY', `no strategy "${name}"${meantOrAll(name, available)}`, {
    data: { name, available },
  })
}

/** Runs the strategy's own check; the strategy is loaded only if there are options. */
async function optionProblems(
  where: string,
  { strategy, options }: Chosen,
  strategies: Strategies,
): Promise<string[]> {
  if (options === undefined || Object.keys(options).length === 0) return []
  const chosen = await strategies.get(strategy)?.load()
  try {
    chosen?.options(options)
    return []
  } catch (error) {
    if (!ThinkonError.isInstance(error)) throw error
    return [`${where}: ${error.message}`]
  }
}

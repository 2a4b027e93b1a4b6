/** The strategies that ship. Each is loaded when it is first used. */
import type { Kind } from '../models/embedded/kinds.ts'
import { refused } from '../protocol/check-arguments.ts'
import { errorText, ThinkonError } from '../protocol/index.ts'
import type { StrategyView } from '../views/strategy-view.ts'
import { auto } from './auto/index.ts'
import { bestOf } from './best-of/index.ts'
import { cot } from './chain-of-thought/index.ts'
import { dual } from './dual-engine/index.ts'
import { fractal } from './fractal/index.ts'
import { minimal } from './minimal/index.ts'
import { planner } from './planner/index.ts'
import { solver } from './strategy-checks.ts'
import type { GivenStrategy, StrategyModule } from './strategy-module.ts'
import { tot } from './tree-of-thoughts/index.ts'

export type Strategies = ReadonlyMap<string, StrategyModule>

const SHIPPED: readonly StrategyModule[] = [auto, bestOf, cot, dual, fractal, planner, minimal, tot]

export const STRATEGIES: Strategies = new Map(SHIPPED.map((module) => [module.name, module]))

export const DEFAULT_STRATEGY = auto.name

/** Those that ship and those given; a given one replaces a shipped one of the same name. */
export function withOwn(own: readonly GivenStrategy[] = []): Strategies {
  if (own.length === 0) return STRATEGIES
  return new Map([...STRATEGIES, ...own.map((given) => [given.name, moduleOf(given)] as const)])
}

/** A strategy in one object is loaded already. What a module loads is checked: it comes from somebody's own file. */
function moduleOf(given: GivenStrategy): StrategyModule {
  if (STRATEGIES.get(given.name) === given) return given
  if (!('load' in given)) return { ...given, load: async () => given }
  const load = async () => {
    const loaded = await given.load()
    const problems = solver(loaded, ['solver'])
    if (problems.length > 0) throw refused(`load() of the strategy "${given.name}"`, problems)
    return loaded
  }
  return { ...given, load }
}

/** How each is drawn, by name. */
export async function viewsOf(strategies: Strategies): Promise<ReadonlyMap<string, StrategyView>> {
  return new Map(
    await Promise.all(
      [...strategies.values()].map(async (module) => [module.name, await viewOf(module)] as const),
    ),
  )
}

async function viewOf({ name, view }: StrategyModule): Promise<StrategyView> {
  try {
    return (await view?.()) ?? {}
  } catch (cause) {
    throw new ThinkonError(
      'STRATEGY_ERROR',
      `the view of the strategy "${name}" can't be loaded: ${errorText(cause)}`,
      { cause },
    )
  }
}

/** How the embedded models answer a kind of request, such as `fractal/think`. */
export async function embeddedKind(strategies: Strategies, kind: string): Promise<Kind | undefined> {
  const owner = strategies.get(kind.slice(0, kind.indexOf('/')))
  return (await owner?.embedded?.())?.[kind]
}

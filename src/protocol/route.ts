/**
 * Who solves which block: rules of a configuration, recorded when the run starts. They serve calls that leave it open: a strategy
 * that says what kind of block it calls, and not who is to solve it.
 */

/** `leaf`: one piece of work. `plan`: something with parts. `search`: one of several ways to look for something. */
export const BLOCK_KINDS = ['leaf', 'plan', 'search'] as const
export type BlockKind = (typeof BLOCK_KINDS)[number]

export interface Chosen {
  readonly strategy: string
  readonly options?: Readonly<Record<string, unknown>>
}

export interface Route {
  /** All that is given must fit. */
  readonly when: {
    readonly kind?: BlockKind
    /** The block's level; the root is 0. */
    readonly depth?: number | { readonly from?: number; readonly to?: number }
    /** The strategy that calls. */
    readonly caller?: string
    /** A regular expression that the goal's text must match, upper and lower case the same. */
    readonly goal?: string
  }
  readonly use: string | Chosen
}

/** By the strategy that ended partial: who gets the block once more. */
export type Fallbacks = Readonly<Record<string, string | Chosen>>

/** By a strategy's name: options that it has wherever nothing else is said. */
export type StrategyOptions = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export interface RoutedCall {
  readonly kind: BlockKind
  readonly level: number
  readonly caller: string
  readonly goal: string
}

/** The first rule that fits, and its number from 1; null when none does. */
export function routeFor(routes: readonly Route[], call: RoutedCall): (Chosen & { rule: number }) | null {
  const at = routes.findIndex(({ when }) => fits(when, call))
  const route = routes[at]
  return route === undefined ? null : { ...chosenOf(route.use), rule: at + 1 }
}

export function chosenOf(use: string | Chosen): Chosen {
  return typeof use === 'string' ? { strategy: use } : use
}

function fits(when: Route['when'], { kind, level, caller, goal }: RoutedCall): boolean {
  const { depth } = when
  const { from = 0, to = Number.POSITIVE_INFINITY } =
    typeof depth === 'number' ? { from: depth, to: depth } : (depth ?? {})
  return (
    (when.kind === undefined || when.kind === kind) &&
    (when.caller === undefined || when.caller === caller) &&
    level >= from &&
    level <= to &&
    (when.goal === undefined || new RegExp(when.goal, 'iu').test(goal))
  )
}

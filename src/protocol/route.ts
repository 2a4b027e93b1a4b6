import { LinearPattern } from './patterns/linear-pattern.ts'

/**
 * Which strategy solves which block: rules of a configuration, recorded when the run starts. They apply to calls that name the
 * kind of block but not a strategy.
 */

/** `leaf`: one piece of work. `plan`: work with several parts. `search`: one of several ways to look for something. */
export const BLOCK_KINDS = ['leaf', 'plan', 'search'] as const
export type BlockKind = (typeof BLOCK_KINDS)[number]

export interface Chosen {
  readonly strategy: string
  readonly options?: Readonly<Record<string, unknown>>
}

export interface Route<Use = string | Chosen> {
  /** All given conditions must match. */
  readonly when: {
    readonly kind?: BlockKind
    /** The block's level; the root is 0. */
    readonly depth?: number | { readonly from?: number; readonly to?: number }
    /** The strategy that calls. */
    readonly caller?: string
    /** A regular expression that the goal's text must match, ignoring case. */
    readonly goal?: string
  }
  readonly use: Use
}

/** By the strategy that ended partial: which one tries the block once more. */
export type Fallbacks = Readonly<Record<string, string | Chosen>>

/** By a strategy's name: its default options. */
export type StrategyOptions = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export interface RoutedCall {
  readonly kind: BlockKind
  readonly level: number
  readonly caller: string
  readonly goal: string
}

/** The first rule that matches, and its number from 1; null if none does. */
export function routeFor(routes: readonly Route[], call: RoutedCall): (Chosen & { rule: number }) | null {
  const at = routes.findIndex(({ when }) => matches(when, call))
  const route = routes[at]
  return route === undefined ? null : { ...chosenOf(route.use), rule: at + 1 }
}

export function chosenOf(use: string | Chosen): Chosen {
  return typeof use === 'string' ? { strategy: use } : use
}

function matches(when: Route['when'], { kind, level, caller, goal }: RoutedCall): boolean {
  const { depth } = when
  const { from = 0, to = Number.POSITIVE_INFINITY } =
    typeof depth === 'number' ? { from: depth, to: depth } : (depth ?? {})
  return (
    (when.kind === undefined || when.kind === kind) &&
    (when.caller === undefined || when.caller === caller) &&
    level >= from &&
    level <= to &&
    (when.goal === undefined || new LinearPattern(when.goal, 'i').test(goal))
  )
}

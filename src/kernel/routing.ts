/**
 * Who solves a child: the run's routes, where the caller leaves it open, and its fallbacks, where a child ended partial. Both are
 * recorded with the run, so that a block that is executed again chooses the same; each choice is a note in the journal.
 */
import {
  type Chosen,
  chosenOf,
  type Fallbacks,
  type Goal,
  goalText,
  type Left,
  levelOf,
  type Outcome,
  type Route,
  type RunConfig,
  routeFor,
  type StrategyOptions,
} from '../protocol/index.ts'
import type { CallOptions } from './strategy.ts'
import type { CalledChild } from './work.ts'

export interface Routing {
  /** Null when no route fits, or the caller has chosen. */
  route(path: string, goal: Goal, options: CallOptions | undefined): Chosen | null
  /** Who gets a block that ended partial while there is budget left: once, and not who had it. Null for nobody. */
  fallback(child: CalledChild, outcome: Outcome, left: Left): Chosen | null
  /** What a named strategy's block begins with: what is given with the name, before what the run has for all of its blocks. */
  optionsOf(chosen: Chosen): Readonly<Record<string, unknown>>
}

const NO_ROUTES: readonly Route[] = []
const NOTHING: Fallbacks & StrategyOptions = {}
const NONE: Routing = {
  route: () => null,
  fallback: () => null,
  optionsOf: ({ options = {} }) => options,
}

export function routingOf(
  config: RunConfig,
  caller: string,
  journal: { emit(name: string, data: unknown): void },
): Routing {
  const { routes = NO_ROUTES, fallbacks = NOTHING, strategyOptions = NOTHING } = config
  if (routes === NO_ROUTES && fallbacks === NOTHING && strategyOptions === NOTHING) return NONE
  return {
    route(path, goal, options) {
      if (options?.kind === undefined) return null
      const { kind } = options
      const chosen = routeFor(routes, { kind, level: levelOf(path), caller, goal: goalText(goal) })
      if (chosen === null) return null
      journal.emit('strategy-routed', { path, strategy: chosen.strategy, kind, rule: chosen.rule })
      return chosen
    },
    fallback({ spec, fallback }, { status }, left) {
      const use = fallbacks[spec.strategy]
      if (use === undefined || status !== 'partial' || fallback !== null) return null
      const chosen = chosenOf(use)
      const spent = left.calls < 1 || left.tokens < 1 || left.timeMs < 1
      return chosen.strategy === spec.strategy || spent ? null : chosen
    },
    optionsOf: ({ strategy, options }) => ({ ...strategyOptions[strategy], ...options }),
  }
}

/** Which strategy's view draws which block. */
import type { Event } from '../protocol/index.ts'
import type { StrategyView } from './strategy-view.ts'

/** The views of the strategies, by name. */
export type StrategyViews = ReadonlyMap<string, StrategyView>

export interface BlockViews {
  follow(event: Event): void
  /** The view of the block at `path`; empty if its strategy has none. */
  of(path: string): StrategyView
}

/**
 * A block is drawn by the view of its strategy. A strategy derived from another under a new name, such as a tree search with
 * custom functions, emits the notes of the original: it is drawn by the view of the strategy that its notes name.
 */
export function createBlockViews(views: StrategyViews): BlockViews {
  const byPath = new Map<string, StrategyView>()
  return {
    follow(event) {
      if (event.type === 'block-start') {
        const view = views.get(strategyName(event.strategy))
        if (view !== undefined) byPath.set(event.path, view)
      } else if (event.type === 'note' && !byPath.has(event.path)) {
        const view = views.get(event.name.slice(0, event.name.indexOf('/')))
        if (view !== undefined) byPath.set(event.path, view)
      }
    },
    of: (path) => byPath.get(path) ?? NO_VIEW,
  }
}

const NO_VIEW: StrategyView = {}

/** `fractal` of `fractal@1`. */
export function strategyName(identity: string): string {
  const at = identity.lastIndexOf('@')
  return at === -1 ? identity : identity.slice(0, at)
}

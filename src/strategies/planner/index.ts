/**
 * The Planner. `strategy.ts` is the loop of a block; it asks the Planner (`ask-planner.ts`) for the next child and Reflect
 * (`reflect.ts`) whether the block has ended. `rules/` has what a reply must not break, and how one that does is refused.
 */
import type { StrategyModule } from '../strategy-module.ts'

export const planner: StrategyModule = {
  name: 'planner',
  version: 4,
  summary:
    'plans the next block through two gates (evidence, ability), executes, and reflects on the four parts of a goal',
  load: async () => (await import('./strategy.ts')).planner,
  view: async () => (await import('./views/index.ts')).view,
  embedded: async () => (await import('./embedded.ts')).embedded,
}

/** The options of the strategies that ship, by name: what `engine.start(goal, { strategy, options })` is typed by. */
import type { GivenOptions } from '../protocol/strategy-registry.ts'
import type { AutoOptions } from './auto/schema.ts'
import type { BestOfOptions } from './best-of/schema.ts'
import type { CotOptions } from './chain-of-thought/schema.ts'
import type { DualInternal, DualOptions } from './dual-engine/schema.ts'
import type { FractalOptions } from './fractal/schema.ts'
import type { MinimalOptions } from './minimal/schema.ts'
import type { PlannerOptions } from './planner/schema.ts'
import type { TotOptions } from './tree-of-thoughts/schema.ts'

export interface ShippedOptions {
  auto: GivenOptions<AutoOptions>
  'best-of': GivenOptions<BestOfOptions>
  cot: GivenOptions<CotOptions>
  dual: GivenOptions<DualOptions, DualInternal>
  fractal: GivenOptions<FractalOptions>
  minimal: GivenOptions<MinimalOptions>
  planner: GivenOptions<PlannerOptions, 'start'>
  tot: GivenOptions<TotOptions>
}

/** They are known in the same way as anybody's own. */
declare module '../protocol/strategy-registry.ts' {
  interface StrategyRegistry extends ShippedOptions {}
}

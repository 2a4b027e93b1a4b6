/** The views of the strategies that ship, all at once: for a web page. The command line loads them from the registry. */
import type { StrategyViews } from '../views/block-views.ts'
import { auto } from './auto/index.ts'
import { view as autoView } from './auto/views/index.ts'
import { cot } from './chain-of-thought/index.ts'
import { view as cotView } from './chain-of-thought/views/index.ts'
import { dual } from './dual-engine/index.ts'
import { view as dualView } from './dual-engine/views/index.ts'
import { fractal } from './fractal/index.ts'
import { view as fractalView } from './fractal/view.ts'
import { minimal } from './minimal/index.ts'
import { view as minimalView } from './minimal/view.ts'
import { planner } from './planner/index.ts'
import { view as plannerView } from './planner/view.ts'
import { tot } from './tree-of-thoughts/index.ts'
import { view as totView } from './tree-of-thoughts/views/index.ts'

export const SHIPPED_VIEWS: StrategyViews = new Map([
  [auto.name, autoView],
  [cot.name, cotView],
  [dual.name, dualView],
  [fractal.name, fractalView],
  [minimal.name, minimalView],
  [planner.name, plannerView],
  [tot.name, totView],
])

/**
 * The views of the strategies that ship, all at once: for a web page, which loads none of their code. The command line loads them
 * from the registry; a test holds the names against it.
 */
import type { StrategyViews } from '../views/block-views.ts'
import { view as autoView } from './auto/views/index.ts'
import { view as bestOfView } from './best-of/view.ts'
import { view as cotView } from './chain-of-thought/views/index.ts'
import { view as dualView } from './dual-engine/views/index.ts'
import { view as fractalView } from './fractal/view.ts'
import { view as minimalView } from './minimal/view.ts'
import { view as plannerView } from './planner/views/index.ts'
import { view as totView } from './tree-of-thoughts/views/index.ts'

export const SHIPPED_VIEWS: StrategyViews = new Map([
  ['auto', autoView],
  ['best-of', bestOfView],
  ['cot', cotView],
  ['dual', dualView],
  ['fractal', fractalView],
  ['minimal', minimalView],
  ['planner', plannerView],
  ['tot', totView],
])

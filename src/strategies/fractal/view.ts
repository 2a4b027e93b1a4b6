/** How `fractal` is drawn: as the tree of its blocks, which needs nothing of its own. */
import type { StrategyView } from '../../views/strategy-view.ts'

export const view: StrategyView = { streamFields: ['description'] }

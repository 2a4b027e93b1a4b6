/** How `minimal` is drawn: as the tree of its blocks. */
import type { StrategyView } from '../../views/strategy-view.ts'

export const view: StrategyView = {
  streamFields: ['result', 'question'],
  answer: () => ({ field: 'result', when: { do: 'return' } }),
}

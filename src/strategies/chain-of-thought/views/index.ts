/** How `cot` is drawn: its plan below the block's row, and its thoughts as a trace. */
import type { StrategyView } from '../../../views/strategy-view.ts'
import { chainMarkdown } from './chain-markdown.ts'
import { foldChains } from './thought-chain.ts'
import { chainDetail } from './thought-chain-lines.ts'

export const view: StrategyView = {
  detail: chainDetail,
  formats: {
    md({ path, journal }, lang) {
      const chain = foldChains(journal).get(path)
      return chain === undefined ? null : chainMarkdown(chain, lang)
    },
  },
  streamFields: ['current_thinking'],
}

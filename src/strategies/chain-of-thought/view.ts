/** How `cot` is drawn: its plan below the block's row, and its thoughts as a trace. */
import { chainMarkdown } from '../../views/formats/markdown.ts'
import type { StrategyView } from '../../views/strategy-view.ts'
import { foldChains } from '../../views/thought-chain.ts'
import { chainDetail } from '../../views/thought-chain-lines.ts'

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

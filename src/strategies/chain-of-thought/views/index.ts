/** How `cot` is drawn: its last thoughts and its plan below the block's row, and all its thoughts as a trace. */
import type { StrategyView } from '../../../views/strategy-view.ts'
import { chainForm } from './chain-form.ts'
import { chainMarkdown } from './chain-markdown.ts'
import { chainOf } from './thought-chain.ts'
import { chainDetail } from './thought-chain-lines.ts'

export const view: StrategyView = {
  detail: chainDetail,
  form: (block, lang) => chainForm(chainOf(block), lang),
  formats: { md: (block, lang) => chainMarkdown(chainOf(block), lang) },
  streamFields: ['evaluation', 'current_thinking'],
}

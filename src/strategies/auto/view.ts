/** How `auto` is drawn: which strategy it chose and why; a run of it is drawn as the block of that strategy. */
import { type Segment, segment } from '../../views/line.ts'
import { strategyTag } from '../../views/strategy-news.ts'
import type { StrategyView } from '../../views/strategy-view.ts'
import { cleanLine } from '../../views/text-width.ts'
import type { Lang } from '../../views/words.ts'
import type { AutoNotes } from './notes.ts'

export const view: StrategyView = {
  handsOn: true,
  detail: () => ({
    follow() {},
    news: ({ name, data }, lang) =>
      name === 'auto/strategy-chosen' ? chosenLine(data as AutoNotes[typeof name], lang) : null,
  }),
}

function chosenLine(
  { strategy, reason, by }: AutoNotes['auto/strategy-chosen'],
  lang: Lang,
): readonly Segment[] {
  const words = WORDS[lang]
  const how = by === 'rule' ? '' : ` (${words.by[by]})`
  return [
    segment(`${words.chose} ${strategyTag(strategy)}`),
    segment(`: ${cleanLine(reason, 200)}${how}`, 'dim'),
  ]
}

const WORDS = {
  en: { chose: 'chose', by: { model: 'a model classified it', default: 'the standard' } },
  zh: { chose: '选择', by: { model: '由模型归类', default: '默认' } },
} as const

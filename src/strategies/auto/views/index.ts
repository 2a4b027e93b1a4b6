/** How `auto` is drawn: which strategy it chose and why; a run of it is drawn as the block of that strategy. */
import { type Segment, segment } from '../../../views/line.ts'
import { reasonInWords } from '../../../views/reason-words.ts'
import { strategyTag } from '../../../views/strategy-news.ts'
import type { StrategyView } from '../../../views/strategy-view.ts'
import { cleanLine } from '../../../views/text-width.ts'
import type { Lang } from '../../../views/words.ts'
import type { AutoNotes } from '../notes.ts'
import { REASONS_ZH, WORDS } from './words.ts'

export const view: StrategyView = {
  handsOn: true,
  streamFields: ['reason'],
  detail: () => ({
    follow() {},
    news: ({ name, data }, lang) =>
      name === 'auto/strategy-chosen' ? chosenLine(data as AutoNotes[typeof name], lang) : null,
  }),
}

function chosenLine(
  { strategy, reason, by, overruled, needs = [], lacks = [] }: AutoNotes['auto/strategy-chosen'],
  lang: Lang,
): readonly Segment[] {
  const words = WORDS[lang]
  const said = (lang === 'zh' ? REASONS_ZH[reason] : undefined) ?? reasonInWords(reason, lang)
  const how = by === 'rule' ? '' : ` (${words.by[by]})`
  const instead = overruled === undefined ? '' : `${words.not} ${strategyTag(overruled)}`
  const what = lacks.length > 0 ? words.lacks(lacks) : needs.length > 0 ? words.needs(needs) : ''
  return [
    segment(`${words.chose} ${strategyTag(strategy)}${instead}`),
    segment(`: ${cleanLine(said, 200)}${how}${what === '' ? '' : ` · ${what}`}`, 'dim'),
  ]
}

/** Notes that blocks of any strategy may emit: who solves what, and why; and how a result was checked. */
import type { EventOf } from '../protocol/index.ts'
import { strategyName } from './block-views.ts'
import { type Segment, segment } from './line.ts'
import { reasonInWords } from './reason-words.ts'
import { checkText } from './result-check.ts'
import { cleanLine } from './text-width.ts'
import type { Lang } from './words.ts'

/** The note as news for a person who follows the run; null for any other note. */
export function strategyNews(event: EventOf<'note'>, lang: Lang): readonly Segment[] | null {
  if (event.name === 'result-checked') return checkText(event.data, lang)
  const data = (event.data ?? {}) as NoteData
  const told = data.reason === undefined ? data : { ...data, reason: reasonInWords(data.reason, lang) }
  return NEWS.get(event.name)?.(told, WORDS[lang]) ?? null
}

/** A strategy's name as the tree shows it. */
export function strategyTag(strategy: string): string {
  return `‹${strategyName(strategy)}›`
}

type NoteData = Partial<
  Record<'path' | 'strategy' | 'from' | 'to' | 'by' | 'reason' | 'kind', string> & { rule: string | number }
>

const NEWS = new Map<string, (data: NoteData, words: NewsWords) => readonly Segment[]>([
  [
    'strategy-routed',
    ({ path = '?', strategy = '?', kind, rule }, words) => [
      segment(`${path} ${words.routed} ${strategyTag(strategy)}`),
      segment(` (${words.route} ${rule}, ${kind})`, 'dim'),
    ],
  ],
  [
    'strategy-changed',
    ({ path = '?', from = '?', to = '?', reason }, words) => [
      segment(`${path} ${words.changed(strategyTag(from), strategyTag(to))}${why(reason)}`, 'warn'),
    ],
  ],
])

function why(reason: string | undefined): string {
  return reason === undefined ? '' : `: ${cleanLine(reason, 200)}`
}

interface NewsWords {
  routed: string
  route: string
  changed(from: string, to: string): string
}

const WORDS: Readonly<Record<Lang, NewsWords>> = {
  en: {
    routed: 'goes to',
    route: 'route',
    changed: (from, to) => `goes from ${from} to ${to}`,
  },
  zh: {
    routed: '交给',
    route: '路由',
    changed: (from, to) => `由 ${from} 改交 ${to}`,
  },
}

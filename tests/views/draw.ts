// Draws a journal as the command line does: the tree with its details, and the news in a pipe.
import { type Event, emptyState, foldEvent } from '../../src/protocol/index.ts'
import { SHIPPED_VIEWS } from '../../src/strategies/shipped-views.ts'
import { createDetails } from '../../src/views/details.ts'
import { newsLine } from '../../src/views/event-line.ts'
import { plainText } from '../../src/views/line.ts'
import { progressLines } from '../../src/views/progress.ts'
import type { Journal } from './journal.ts'

export function draw(made: Journal, maxLines = 50, lang: 'en' | 'zh' = 'en', width = 80): string {
  const state = emptyState()
  const details = createDetails(SHIPPED_VIEWS)
  for (const event of made.events) {
    foldEvent(state, event)
    details.follow(event)
  }
  const nowMs = Date.parse(made.events.at(-1)?.ts ?? '')
  return plainText(progressLines(state, { lang, width, maxLines, nowMs, details }))
}

/** What a pipe gets of the notes. */
export function news(made: Journal, lang: 'en' | 'zh' = 'en'): string[] {
  return allNews(made, lang, ({ type }) => type === 'note')
}

/** What a pipe gets. */
export function allNews(
  made: Pick<Journal, 'events'>,
  lang: 'en' | 'zh' = 'en',
  isAsked: (event: Event) => boolean = () => true,
): string[] {
  const state = emptyState()
  const details = createDetails(SHIPPED_VIEWS)
  return made.events.flatMap((event) => {
    foldEvent(state, event)
    details.follow(event)
    const line = isAsked(event) ? newsLine(state, event, lang, details) : null
    return line === null ? [] : [line, ...details.planNewsOf(event, lang)].map((one) => plainText([one]))
  })
}

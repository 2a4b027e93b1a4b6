// Draws a journal as the command line does: the tree with its details, and the news in a pipe.
import { emptyState, foldEvent } from '../../src/protocol/index.ts'
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

export function news(made: Journal, lang: 'en' | 'zh' = 'en'): string[] {
  const state = emptyState()
  const details = createDetails(SHIPPED_VIEWS)
  const lines: string[] = []
  for (const event of made.events) {
    foldEvent(state, event)
    details.follow(event)
    const line = event.type === 'note' ? newsLine(state, event, lang, details) : null
    if (line !== null) lines.push(plainText([line]))
  }
  return lines
}

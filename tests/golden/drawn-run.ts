// How a run is drawn in a pipe and by `--format`, for the frozen pictures.

import { type Event, emptyState, foldEvent } from '../../src/protocol/index.ts'
import { SHIPPED_VIEWS } from '../../src/strategies/shipped-views.ts'
import { createDetails } from '../../src/views/details.ts'
import { formatRun } from '../../src/views/formats.ts'
import { plainText } from '../../src/views/line.ts'
import { progressLines } from '../../src/views/progress.ts'
import { langOf } from '../../src/views/words.ts'

/** `form` is `txt` for the tree as `show` draws it in a pipe, `messages` for the messages of a tree of thoughts, or a `--format`. */
export function drawnRun(journal: readonly Event[], form: string): string {
  if (form === 'txt') return treeText(journal)
  if (form === 'messages') return messagesText(journal)
  const drawn = formatRun(journal, SHIPPED_VIEWS, { format: form, lang: ({ goal }) => langOf(goal) })
  return drawn.text.trimEnd()
}

function treeText(journal: readonly Event[]): string {
  const state = emptyState()
  const details = createDetails(SHIPPED_VIEWS)
  for (const event of journal) {
    foldEvent(state, event)
    details.follow(event)
  }
  const nowMs = Date.parse(state.changedAt)
  return plainText(
    progressLines(state, { lang: langOf(state.goal), width: 99, maxLines: 200, nowMs, details }),
  )
}

function messagesText(journal: readonly Event[]): string {
  const view = SHIPPED_VIEWS.get('tot')
  const notes = journal.filter((event) => event.type === 'note')
  return plainText(
    notes.flatMap((event) => [view?.message?.(event, 500) ?? []].filter((line) => line.length > 0)),
  )
}

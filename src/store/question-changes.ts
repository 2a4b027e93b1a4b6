/** How the events of a run open and close its questions. Every store keeps them by these changes, in the commit of the events. */
import type { Draft } from '../kernel/store.ts'
import { type Answerer, answererOf } from '../protocol/index.ts'

export type QuestionChange =
  | { readonly what: 'opened'; readonly path: string; readonly name: string; readonly for: Answerer }
  | { readonly what: 'closed'; readonly path: string; readonly name: string }
  | { readonly what: 'all-closed' }

/** Null if the event changes none. */
export function questionChange(draft: Draft): QuestionChange | null {
  if (draft.type === 'run-end') return { what: 'all-closed' }
  if (draft.type === 'signal-answered') return { what: 'closed', path: draft.path, name: draft.name }
  if (draft.type !== 'signal-asked' || draft.question === undefined) return null
  return { what: 'opened', path: draft.path, name: draft.name, for: answererOf(draft.question) }
}

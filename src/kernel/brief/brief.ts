/**
 * The brief: the one place that decides what a request carries. A strategy says *what* belongs in a request, in sections with
 * an order of need; the kernel fits them into the model's budget and makes the messages.
 *
 *   system      rules of this kind of request                          the same for the whole run
 *   user        the sections, what stays the same first                grows at its end only
 *   …           the conversation, where the block has one              only grows
 *   user, last  the question: progress, budget, what is asked now      never part of what follows
 *
 * B1 What is needed `whole` is whole, or the request is refused before it is sent.
 * B2 Nothing is cut while the request fits its budget.
 * B3 What is needed least is shortened first, the oldest first: to head and tail, then to a line, then to a count. Nothing
 *    disappears without a trace.
 * B4 Whatever was shortened has a reference, and `read_result` is offered to read it.
 * B5 An item stands with what it is the result of, its text in a fence.
 */
import type { ModelRequest } from '../../protocol/index.ts'
import type { Conversation } from './conversation.ts'
import type { Section } from './section.ts'

interface BriefRequest extends Omit<ModelRequest, 'messages'> {
  /** The rules of this kind of request: the same for the whole run. */
  readonly system: string | readonly string[]
  /** What is asked now, with all that changes from one request to the next. */
  readonly question: string | readonly string[]
}

/** A request on its own, or the next one of a conversation, which has its sections already. */
export type Brief = BriefRequest &
  (
    | { readonly sections: readonly Section[]; readonly conversation?: undefined }
    | { readonly conversation: Conversation; readonly sections?: undefined }
  )

export function isBrief(given: Brief | ModelRequest): given is Brief {
  return 'question' in given
}

/** What a run waits for, of people. */
import type { Event, PendingQuestion, RunState } from 'thinkon/protocol'
import { openQuestions } from 'thinkon/views'

/** The questions that a person answers. */
export function waitingIn(state: RunState): PendingQuestion[] {
  return [...openQuestions(state)].filter(({ call }) => call === undefined)
}

/** The events up to the question: later ones are no part of it, also if it is looked at again. */
export function eventsUntil(events: readonly Event[], { id }: PendingQuestion): readonly Event[] {
  return events.slice(0, events.findLastIndex(({ seq }) => seq === id) + 1)
}

/** What the text offers in its last line, `(continue | adjust: … | end)`: free text is an answer, too. */
export function offeredIn(text: string): { readonly about: string; readonly offers: readonly string[] } {
  const at = text.lastIndexOf('\n')
  const last = text.slice(at + 1).trim()
  const choices = last.slice(1, -1).split(' | ')
  if (!last.startsWith('(') || !last.endsWith(')') || choices.length === 1) return { about: text, offers: [] }
  const offers = choices.filter((offer) => offer.length < 30 && !/[{\d]/.test(offer))
  return { about: text.slice(0, at), offers }
}

/** The beginning of an answer that is to be completed: `adjust: ` for `adjust: …`; null for one that is whole. */
export function beginningOf(offer: string): string | null {
  const found = /^(.+?[:：]\s*)…$/.exec(offer)
  return found === null ? null : (found[1] as string)
}

/** What a run waits for, of people. */
import type { Event, OpenQuestion, RunState } from 'thinkon/protocol'
import { openQuestions } from 'thinkon/views'

export interface Waiting {
  readonly path: string
  readonly open: OpenQuestion
  /** The same for everybody, as long as the question is open. */
  readonly key: string
}

/** Without results that programs owe. */
export function waitingIn(state: RunState): Waiting[] {
  return [...openQuestions(state)]
    .filter(([, { question }]) => question?.call === undefined)
    .map(([path, open]) => ({ path, open, key: `${path} ${open.n}` }))
}

/** What the run knew when it asked: what came later is no part of the question, also where it is looked at again. */
export function eventsUntil(events: readonly Event[], { path, open }: Waiting): readonly Event[] {
  const at = events.findLastIndex(
    (event) => event.type === 'signal-asked' && event.path === path && event.n === open.n,
  )
  return events.slice(0, at + 1)
}

/** What the text offers in its last line, `(continue | adjust: … | end)`: free text is an answer, too. */
export function offeredIn(text: string): { readonly about: string; readonly offers: readonly string[] } {
  const at = text.lastIndexOf('\n')
  const found = /^\((.+ \| .+)\)$/s.exec(text.slice(at + 1).trim())
  if (found === null) return { about: text, offers: [] }
  const offers = (found[1] as string)
    .split(' | ')
    .filter((offer) => offer.length < 30 && !/[{\d]/.test(offer))
  return { about: text.slice(0, at), offers }
}

/** The beginning of an answer that is to be completed: `adjust: ` for `adjust: …`; null for one that is whole. */
export function beginningOf(offer: string): string | null {
  const found = /^(.+?[:：]\s*)…$/.exec(offer)
  return found === null ? null : (found[1] as string)
}

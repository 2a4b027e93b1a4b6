// What tests ask of a journal.

import type { Event, EventOf, EventType, Outcome } from '../../../src/protocol/index.ts'

export function all<T extends EventType>(events: readonly Event[], type: T): EventOf<T>[] {
  return events.filter((event): event is EventOf<T> => event.type === type)
}

export function find<T extends EventType>(events: readonly Event[], type: T): EventOf<T> {
  const event = all(events, type)[0]
  if (event === undefined) throw new Error(`the journal has no ${type}`)
  return event
}

export function count(events: readonly Event[], type: EventType): number {
  return all(events, type).length
}

export function statusOf(events: readonly Event[], path: string): string | undefined {
  return all(events, 'block-end').find((event) => event.path === path)?.outcome.status
}

export function pick({ status, result, reason, usage }: Outcome) {
  return { status, result, reason, usage }
}

/** The outcome as if no kill had cost anything: without what steps had reserved that were under way in one. */
export function withoutLost(outcome: Outcome, journal: readonly Event[]): Outcome {
  const { lostTokens: _, ...usage } = outcome.usage
  for (const { usage: lost } of all(journal, 'run-resume').flatMap((event) => event.lost ?? [])) {
    usage.calls -= lost.calls
    usage.inputTokens -= lost.inputTokens
    usage.outputTokens -= lost.outputTokens
  }
  return { ...outcome, usage }
}

/** What a journal says apart from times, resumes and the order in which parallel blocks wrote. */
export function shapeOf(journal: readonly Event[]): string[] {
  return journal
    .filter(({ type }) => type !== 'run-resume' && type !== 'part-start')
    .map((event) => `${event.path} ${event.type} ${'n' in event ? event.n : ''}`)
    .sort()
}

/** Steps that were performed again though their end was recorded within the first `n` events. */
export function twice(journal: readonly Event[], performed: readonly string[], n: number): string[] {
  const past = stepsOf(journal.slice(0, n))
  return past.filter((step) => performed.filter((other) => other === step).length > 1)
}

/** Steps that have ended, as `counted` and `countedTools` name them. */
export function stepsOf(journal: readonly Event[]): string[] {
  const starts = new Map<string, string>()
  for (const event of journal) {
    if (event.type === 'model-start')
      starts.set(`${event.path}/${event.n}`, `${event.path}/${event.n} ${event.request.kind}`)
    if (event.type === 'tool-start') starts.set(`${event.path}/${event.n}`, `${event.path} ${event.name}`)
  }
  return journal
    .filter((event) => event.type === 'model-end' || event.type === 'tool-end')
    .map((event) => starts.get(`${event.path}/${event.n}`) as string)
}

/** Whether a write had begun and not ended. */
export function interrupts(past: readonly Event[]): boolean {
  const over = new Set(all(past, 'tool-end').map((event) => `${event.path}/${event.n}`))
  const writes = all(past, 'tool-start').filter((event) => event.access === 'write')
  return writes.some((event) => !over.has(`${event.path}/${event.n}`))
}

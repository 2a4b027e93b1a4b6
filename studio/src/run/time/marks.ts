/** What happened where in a run: plans, scores, failures, answers, as marks along its journal. */
import type { Event } from 'thinkon/protocol'

export type MarkTone = 'active' | 'good' | 'bad' | 'ask'

export interface Mark {
  readonly tone: MarkTone
  /** From 0 to `PLACES`. */
  readonly x: number
}

/** More could not be told apart: what happens at one place is one mark of each tone. */
export const PLACES = 500

export function marksOf(events: readonly Event[], count: number): Mark[] {
  const marks = new Map<string, Mark>()
  for (const event of events) {
    const tone = toneOf(event)
    const x = Math.round((event.seq / count) * PLACES)
    if (tone !== null) marks.set(`${tone} ${x}`, { tone, x })
  }
  return [...marks.values()]
}

function toneOf(event: Event): MarkTone | null {
  switch (event.type) {
    case 'todo-set':
      return 'active'
    case 'signal-asked':
      return event.timeoutMs === 0 ? null : 'ask'
    case 'signal-answered':
      return event.number === 0 ? null : 'ask'
    case 'model-end':
    case 'tool-end':
      return event.result.ok ? null : 'bad'
    case 'block-end':
      return event.outcome.status === 'failed' ? 'bad' : null
    case 'note':
      return /score|vote|evaluat|verif/.test(event.name) ? 'good' : null
    default:
      return null
  }
}

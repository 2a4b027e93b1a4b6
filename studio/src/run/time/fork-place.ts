/** Where a fork can be made. */
import type { Event } from 'thinkon/protocol'
import { ROOT_PATH } from 'thinkon/protocol'

/** The event itself, or the last model call if the run had ended by then; undefined if there is none. */
export function forkPlace(events: readonly Event[], seq: number): Event | undefined {
  const event = events[seq - 1]
  if (event === undefined || !endsRun(event)) return event
  return events.slice(0, seq).findLast(({ type }) => type === 'model-start')
}

function endsRun({ type, path }: Event): boolean {
  return type === 'run-end' || (type === 'block-end' && path === ROOT_PATH)
}

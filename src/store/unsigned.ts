import type { Event } from '../protocol/index.ts'

/** The event as it leaves a store, or comes into one: whoever started and signed the run did so where it was started, and nowhere else. */
export function unsigned(event: Event): Event {
  if (event.type !== 'run-start') return event
  const { signature, startedBy, ...config } = event.config
  return signature === undefined && startedBy === undefined ? event : { ...event, config }
}

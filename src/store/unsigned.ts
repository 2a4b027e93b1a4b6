import type { Event } from '../protocol/index.ts'

/** The event as it leaves a store, or comes into one: whoever signed the run signed it where it was started, and nowhere else. */
export function unsigned(event: Event): Event {
  if (event.type !== 'run-start' || event.config.signature === undefined) return event
  const { signature: _, ...config } = event.config
  return { ...event, config }
}

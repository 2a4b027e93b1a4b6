import type { Listener } from '../../kernel/durable.ts'
import { type Ephemeral, type Event, errorText } from '../../protocol/index.ts'

/** Those whose failure was reported. */
const failed = new WeakSet<Listener>()

/** Tells a listener. One that throws, or whose promise rejects, is reported once and told on; nothing else happens. */
export function tell(listener: Listener, event: Event | Ephemeral): void {
  try {
    const answer: unknown = listener(event)
    if (answer instanceof Promise) answer.catch((error) => report(listener, event, error))
  } catch (error) {
    report(listener, event, error)
  }
}

function report(listener: Listener, { run, type }: Event | Ephemeral, error: unknown): void {
  if (failed.has(listener)) return
  failed.add(listener)
  const name = listener.name === '' ? 'a listener' : `the listener ${listener.name}`
  process.emitWarning(
    `${name} of run ${run} failed at ${type}: ${errorText(error)}. The run continues; later failures are not reported.`,
    {
      type: 'ThinkonWarning',
      code: 'LISTENER_FAILED',
      ...(error instanceof Error && error.stack !== undefined && { detail: error.stack }),
    },
  )
}

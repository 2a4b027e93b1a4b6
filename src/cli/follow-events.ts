/** The events of a run as they are recorded, by whichever process, until the run ends or `stopped` returns true. */
import type { Engine } from '../engine.ts'
import type { Event } from '../protocol/index.ts'

const POLL_MS = 200

export async function* followEvents(
  engine: Engine,
  run: string,
  from = 1,
  stopped: () => boolean = () => false,
): AsyncGenerator<Event> {
  for (let next = from; !stopped(); ) {
    for (const event of await engine.events(run, next)) {
      yield event
      if (event.type === 'run-end' || stopped()) return
      next = event.seq + 1
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/** The events of a run as they are recorded, by whichever process, until the run ends or `stopped` returns true. */
import type { Engine } from '../engine.ts'
import type { Event } from '../protocol/index.ts'

const POLL_MS = 200

export async function* followEvents(
  engine: Engine,
  run: string,
  from = 1,
  stopped: () => boolean = () => false,
): AsyncGenerator<readonly Event[]> {
  for (let next = from; !stopped(); ) {
    const batch = [...(await engine.events(run, next))]
    if (batch.length > 0) yield batch
    const last = batch.at(-1)
    if (last?.type === 'run-end') return
    if (last !== undefined) next = last.seq + 1
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

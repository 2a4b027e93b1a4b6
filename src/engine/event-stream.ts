import type { LocalRun } from '../hosts/local/run.ts'
import type { Store } from '../kernel/store.ts'
import type { Event, ModelRetry } from '../protocol/index.ts'

/** A run's events from the first on, and failed attempts as they happen; ends when the run ends or stops here. A slow reader loses nothing. */
export async function* eventStream(
  store: Store,
  id: string,
  run: LocalRun | undefined,
): AsyncGenerator<Event | ModelRetry> {
  const queue: (Event | ModelRetry)[] = []
  let wake: (() => void) | null = null
  let over = run === undefined
  const stop = run?.listen((event) => {
    if (event.type === 'text-delta' || event.type === 'folder-written') return
    queue.push(event)
    wake?.()
  })
  const end = () => {
    over = true
    wake?.()
  }
  run?.outcome.then(end, end)
  try {
    let seq = 0
    for (const event of store.read(id)) {
      seq = event.seq
      yield event
    }
    for (;;) {
      const event = queue.shift()
      if (event !== undefined) {
        if (!('seq' in event) || event.seq > seq) yield event
      } else if (over) return
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    stop?.()
  }
}

import type { Listener } from '../../kernel/durable.ts'
import type { AssignableStore } from '../../kernel/run-assignment.ts'
import { readAtOnce } from '../../kernel/store.ts'
import type { WorkerObserver } from '../../kernel/worker-observer.ts'

/** Passes text as it is written, and failed attempts, to the processes that follow the run; calls the observer. */
export function broadcast(store: AssignableStore, observer?: WorkerObserver): Listener {
  /** The starts of the steps under way: receivers wait for the event. */
  const starts = new Map<string, number>()
  return (event) => {
    if (!('seq' in event)) {
      if (event.type === 'model-retry') observer?.retried(event)
      if ('n' in event) store.say?.({ seq: starts.get(`${event.path} ${event.n}`) ?? 0, what: event })
    } else if (event.type === 'model-start') starts.set(`${event.path} ${event.n}`, event.seq)
    else if (event.type === 'run-end') observer?.runEnded(event.run, () => readAtOnce(store, event.run))
    else if (event.type === 'model-end') starts.delete(`${event.path} ${event.n}`)
  }
}

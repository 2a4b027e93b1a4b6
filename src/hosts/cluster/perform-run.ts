/**
 * Executes a run in this process for as long as it has something to do: all that an engine which assigns runs to processes has to call.
 *
 * 1. It may be called in any number of processes at once, any number of times: the store has one owner for each run, the others wait for it.
 * 2. It never rejects because another process owns the run. It takes the run over if that process dies.
 * 3. It waits for notifications of the store and looks once a second at most.
 */
import type { Listener, RunHandle } from '../../kernel/durable.ts'
import type { AssignableStore, Standing } from '../../kernel/run-assignment.ts'
import { isBusy } from '../../kernel/when-free.ts'
import type { WorkerObserver } from '../../kernel/worker-observer.ts'
import { type Outcome, ThinkonError } from '../../protocol/index.ts'
import type { LocalHost } from '../local/host.ts'
import { LeftRun } from '../local/leaving.ts'
import { broadcast } from './broadcast.ts'

/**
 * `rests`: it is due again at a signal or a time. `handed-over`: it is due, for another process.
 * `waits-for-model`: its model can't be reached; a resume makes it due.
 */
export type PerformedRun =
  | { readonly how: 'ended'; readonly outcome: Outcome }
  | { readonly how: 'rests' | 'handed-over' | 'waits-for-model' }

export interface PerformRunOptions {
  /** Hands the run over when it aborts: calls under way are waited for. */
  readonly signal?: AbortSignal
  /** For at most this time; then they are aborted. Default: 60,000. */
  readonly drainMs?: number
}

export type PerformRun = (id: string, options?: PerformRunOptions) => Promise<PerformedRun>

const LOOK_MS = 1_000
const DRAIN_MS = 60_000

export function runPerformer(store: AssignableStore, host: LocalHost, observer?: WorkerObserver): PerformRun {
  return async (id, options = {}) => {
    for (;;) {
      const performed =
        (await attempt(host, id, broadcast(store, observer), options)) ??
        (await ownedElsewhere(store, host, id, options))
      if (performed !== null) return performed
    }
  }
}

/** Executes the run; null if another process owns it. */
async function attempt(
  host: LocalHost,
  id: string,
  listener: Listener,
  { signal, drainMs = DRAIN_MS }: PerformRunOptions,
): Promise<PerformedRun | null> {
  let run: RunHandle
  try {
    run = await host.resume(id, listener, { follow: false })
  } catch (thrown) {
    if (hasCode(thrown, 'RUN_LOCKED') || hasCode(thrown, 'OWNERSHIP_LOST')) return null
    throw thrown
  }
  const drain = () => void host.drain(id, AbortSignal.timeout(drainMs))
  if (signal?.aborted) drain()
  else signal?.addEventListener('abort', drain, { once: true })
  try {
    return { how: 'ended', outcome: await run.outcome }
  } catch (thrown) {
    if (thrown instanceof LeftRun) return { how: thrown.how }
    if (hasCode(thrown, 'MODEL_OUTAGE')) return { how: 'waits-for-model' }
    if (hasCode(thrown, 'OWNERSHIP_LOST')) return null
    throw thrown
  } finally {
    signal?.removeEventListener('abort', drain)
  }
}

/** Waits until the owner ends the run, rests it, hands it over or dies; null if this process may take it. */
async function ownedElsewhere(
  store: AssignableStore,
  host: LocalHost,
  id: string,
  { signal }: PerformRunOptions,
): Promise<PerformedRun | null> {
  let wake = () => {}
  const changed = () => wake()
  const stopWatching = store.watch(id, changed)
  signal?.addEventListener('abort', changed, { once: true })
  try {
    for (;;) {
      if (signal?.aborted) return { how: 'handed-over' }
      const change = new Promise<void>((resolve) => {
        wake = resolve
      })
      const standing = await standingOf(store, id)
      if (standing === 'ended') return { how: 'ended', outcome: await (await host.resume(id)).outcome }
      if (standing === 'due') return null
      if (standing !== 'owned') return { how: standing }
      await changeOrTime(change)
    }
  } finally {
    stopWatching()
    signal?.removeEventListener('abort', changed)
  }
}

/** While the store can't be reached, nothing has changed. */
async function standingOf(store: AssignableStore, id: string): Promise<Standing> {
  try {
    return await store.standing(id)
  } catch (thrown) {
    if (isBusy(thrown)) return 'owned'
    throw thrown
  }
}

async function changeOrTime(change: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, LOOK_MS)
  await Promise.race([change, promise])
  clearTimeout(timer)
}

function hasCode(thrown: unknown, code: string): boolean {
  return ThinkonError.isInstance(thrown) && thrown.code === code
}

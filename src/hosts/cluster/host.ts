/**
 * The host of a process whose runs are executed by workers: it writes what is asked for to the store, and follows runs there.
 *
 * A run is due from its start on, and as soon as a signal or a resume asks for it; see kernel/run-assignment.ts.
 */
import { type Clock, systemClock } from '../../kernel/clock.ts'
import type { EngineHost, JoinOptions, Kernel, Listener, RunHandle } from '../../kernel/durable.ts'
import type { AssignableStore } from '../../kernel/run-assignment.ts'
import { whenFree } from '../../kernel/when-free.ts'
import { emptyState, type Outcome, ROOT_PATH, ThinkonError } from '../../protocol/index.ts'
import { FollowedRun } from '../local/followed-run.ts'
import { localHost } from '../local/host.ts'
import { loadJournal } from '../local/load.ts'
import { runResume, runStart } from '../shared/events.ts'
import { isRunning, raisedLimits } from '../shared/raise-limits.ts'

export function clusterHost(store: AssignableStore, kernel: Kernel, clock: Clock = systemClock): EngineHost {
  const followed = new Map<string, FollowedRun>()
  // The workers have the models and the tools.
  const local = localHost(store, { ...kernel, missing: () => [] }, clock)

  /** Follows the run from its last event on, or returns how it ended. */
  async function follow(id: string, listener: Listener | undefined, isNew = false): Promise<RunHandle> {
    const known = followed.get(id)
    if (known !== undefined) {
      if (listener) known.telling.listen(listener)
      return known
    }
    const journal = await loadJournal(store, id)
    const { outcome, state } = journal
    if (outcome !== null) return { id, outcome: Promise.resolve(outcome as Outcome), roles: state.roles }
    const seen = isNew ? { ...journal, state: emptyState(), seq: 0 } : journal
    const run: FollowedRun = new FollowedRun(store, seen, listener, async () => run)
    followed.set(id, run)
    const stopWatching = store.watch(id, () => void failIfStuck(run))
    const remove = () => {
      stopWatching()
      followed.delete(id)
    }
    run.outcome.then(remove, remove)
    return run
  }

  /** A problem that every worker has with the run. */
  async function failIfStuck(run: FollowedRun): Promise<void> {
    const problem = await store.problem(run.id).catch(() => null)
    if (problem !== null && STUCK.has(problem.code)) run.fail(ThinkonError.fromJSON(problem))
  }

  /** Records limits that were raised, as the owner for an instant. */
  async function raise(id: string, { budget }: JoinOptions): Promise<void> {
    const { state } = await loadJournal(store, id)
    const limits = raisedLimits(state, budget)
    if (limits === undefined) return
    const epoch = await acquired(store, id)
    const { lost } = await loadJournal(store, id)
    const resumed = { ...runResume(epoch, lost, limits), path: ROOT_PATH, atMs: clock.nowMs() }
    await store.append(id, epoch, [resumed], true)
    await store.handOver(id, epoch, 0)
  }

  return {
    check: local.check,
    running: (id) => followed.get(id),
    async start(spec, listener) {
      await kernel.preload([spec.strategy])
      const body = runStart(spec, kernel.identify(spec.strategy))
      const first = { ...body, path: ROOT_PATH, atMs: clock.nowMs() }
      const { id, goal, strategy } = spec
      const isNew = await whenFree(() => store.offer({ id, goal, strategy }, first, 0))
      if (!isNew) return this.resume(id, listener)
      return follow(id, listener, true)
    },
    async resume(id, listener, options = {}) {
      const { outcome } = await loadJournal(store, id)
      if (outcome !== null) return follow(id, listener)
      if (options.strict) await local.check(id, options)
      const run = await follow(id, listener)
      if (options.budget !== undefined) await raise(id, options)
      await whenFree(() => store.wake(id))
      return run
    },
    async signal(id, path, name, value) {
      await whenFree(() => store.send(id, path, name, value))
    },
    answer: async (id, question, value) => (await whenFree(() => store.answer(id, question, value))) !== null,
    async cancel(id, reason) {
      await this.signal(id, ROOT_PATH, 'cancel', reason)
    },
    async close() {
      for (const run of followed.values()) run.fail(closed(run.id))
      await local.close()
    },
  }
}

/** Errors of the journal or of the strategy's code. */
const STUCK: ReadonlySet<string> = new Set(['NON_DETERMINISM', 'VERSION_MISMATCH', 'STORE_CORRUPT'])

async function acquired(store: AssignableStore, id: string): Promise<number> {
  try {
    return await whenFree(() => store.acquire(id))
  } catch (thrown) {
    throw ThinkonError.isInstance(thrown) && thrown.code === 'RUN_LOCKED' ? isRunning(id) : thrown
  }
}

function closed(id: string): ThinkonError {
  return new ThinkonError('INTERRUPTED', `the engine was closed: workers continue run ${id}`)
}

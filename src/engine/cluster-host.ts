/**
 * The runs of a cluster as an engine sees them: what its host tells is passed on to all who listen here, in the order in which it came.
 * Whoever attaches to a run takes nothing away from those who work on it; `close` leaves it as it is.
 */
import { localHost } from '../hosts/local/host.ts'
import { loadJournal } from '../hosts/local/load.ts'
import { adoptionOf } from '../hosts/restate/adopt.ts'
import { FollowedRun } from '../hosts/restate/followed-run.ts'
import { tellUnserved } from '../hosts/restate/unserved.ts'
import type { EngineHost, Host, Kernel, Listener, ResumeOptions, RunHandle } from '../kernel/durable.ts'
import type { SharedStore } from '../kernel/store.ts'
import type { Outcome } from '../protocol/index.ts'

export function clusterHost(host: Host, store: SharedStore, kernel: Kernel): EngineHost {
  const runs = new Map<string, FollowedRun>()
  // The workers have the models and the tools.
  const local = localHost(store, { ...kernel, missing: () => [] })

  /** A fork or an import that nobody has worked on is the cluster's from now on. Of one that has ended, how it ended. */
  async function takeIn(run: string, options: ResumeOptions): Promise<RunHandle | null> {
    let ended: RunHandle | null = null
    await store.adopt(run, async () => {
      const journal = await loadJournal(store, run)
      const { outcome, state } = journal
      if (outcome !== null) ended = { id: run, outcome: Promise.resolve(outcome), roles: state.roles }
      else await local.check(run, options)
      return outcome === null ? adoptionOf(journal) : null
    })
    return ended
  }

  /** Follows the run from the event after the last one that was there before `begin`. */
  async function attach(
    run: string,
    listener: Listener | undefined,
    begin: () => Promise<RunHandle>,
  ): Promise<RunHandle> {
    const seq = (await store.has(run)) ? (await store.row(run)).seq : 0
    const { outcome, roles } = await begin()
    const followed = runs.get(run) ?? follow(run, seq, outcome)
    if (listener) followed.telling.listen(listener)
    return { id: run, outcome: followed.outcome, roles }
  }

  function follow(run: string, seq: number, outcome: Promise<Outcome>): FollowedRun {
    const followed = new FollowedRun(store, run, seq, outcome)
    runs.set(run, followed)
    const stopTelling = tellUnserved(store, run)
    const remove = () => {
      stopTelling()
      runs.delete(run)
    }
    followed.outcome.then(remove, remove)
    return followed
  }

  return {
    check: local.check,
    running: (run) => runs.get(run),
    start: (spec, listener) => attach(spec.id, listener, () => host.start(spec)),
    async resume(run, listener, options = {}) {
      if (options.strict) await local.check(run, options)
      return attach(run, listener, async () => {
        const ended = await takeIn(run, options)
        return ended ?? host.resume(run, undefined, options)
      })
    },
    signal: (run, path, name, value) => host.signal(run, path, name, value),
    answer: (run, question, value) => host.answer(run, question, value),
    cancel: (run, reason) => host.cancel(run, reason),
    async close() {
      await host.close()
      await Promise.all([...runs.values()].map((run) => run.followed))
    },
  }
}

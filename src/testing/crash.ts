/** Dying on purpose: a store that ends its process, or only its own life, when the n-th event is committed. */
import type { Store } from '../kernel/store.ts'

export interface CrashOptions {
  /**
   * `throw` (the default) stays in this process: the commit counts, the caller is told of a crash, and nothing more can be
   * written through this store. `kill` ends the process with SIGKILL.
   */
  how?: 'throw' | 'kill'
}

export interface MortalStore extends Store {
  readonly crashed: boolean
  /** How many events were committed through it. */
  readonly committed: number
  /** Dies now. What it owned is free for others, as it is when a process has died. */
  crash(): void
}

export class SimulatedCrash extends Error {
  constructor(committed: number) {
    super(`a simulated crash, after ${committed} events`)
    this.name = 'SimulatedCrash'
  }
}

/**
 * Dies right after the commit that the n-th event is in; the default never comes by itself. Events of one commit are there
 * together or not at all, here as in a real crash.
 */
export function crashAt(store: Store, n = Number.POSITIVE_INFINITY, options: CrashOptions = {}): MortalStore {
  const owned = new Map<string, number>()
  let committed = 0
  let crashed = false

  function assertAlive(): void {
    if (crashed) throw new SimulatedCrash(committed)
  }

  function crash(): void {
    if (crashed) return
    crashed = true
    if (options.how === 'kill') process.kill(process.pid, 'SIGKILL')
    for (const [run, epoch] of owned) store.release(run, epoch)
  }

  function own(run: string, epoch: number): number {
    owned.set(run, epoch)
    return epoch
  }

  return {
    instant: store.instant,
    get crashed() {
      return crashed
    },
    get committed() {
      return committed
    },
    crash,
    create(run, first) {
      assertAlive()
      const epoch = own(run.id, store.create(run, first))
      committed++
      if (committed >= n) {
        crash()
        throw new SimulatedCrash(committed)
      }
      return epoch
    },
    acquire(run) {
      assertAlive()
      return own(run, store.acquire(run))
    },
    release(run, epoch) {
      if (crashed) return
      owned.delete(run)
      store.release(run, epoch)
    },
    append(run, epoch, drafts, flush) {
      assertAlive()
      const first = store.append(run, epoch, drafts, flush)
      committed += drafts.length
      if (committed >= n) {
        crash()
        throw new SimulatedCrash(committed)
      }
      return first
    },
    has: (run) => store.has(run),
    read: (run, from, to) => store.read(run, from, to),
    list: () => store.list(),
    fork(run, at, id, edit) {
      assertAlive()
      store.fork(run, at, id, edit)
    },
    send(run, path, name, value) {
      assertAlive()
      return store.send(run, path, name, value)
    },
    pending: (run) => store.pending(run),
    version: () => store.version(),
    close: () => store.close(),
  }
}

/** Crashes on purpose: a store that kills its process, or only itself, when the n-th event is committed. */
import type { Store } from '../kernel/store.ts'
import { checkArguments } from '../protocol/check-arguments.ts'
import { CRASH_AT } from './entrances.ts'

export interface CrashOptions {
  /**
   * `throw` (the default) stays in this process: the commit counts, the caller gets a SimulatedCrash, and nothing more can be
   * written through this store. `kill` ends the process with SIGKILL.
   */
  how?: 'throw' | 'kill'
}

export interface MortalStore extends Store {
  readonly crashed: boolean
  /** The number of events committed through it. */
  readonly committed: number
  /** Crashes now. The runs it owned are free for others, as after the death of a process. */
  crash(): void
}

export class SimulatedCrash extends Error {
  constructor(committed: number) {
    super(`a simulated crash, after ${committed} events`)
    this.name = 'SimulatedCrash'
  }
}

/**
 * Crashes right after the commit that contains the n-th event; by default only when `crash` is called. The events of a commit are
 * written together or not at all, as in a real crash.
 */
export function crashAt(store: Store, n = Number.POSITIVE_INFINITY, options: CrashOptions = {}): MortalStore {
  checkArguments('crashAt', CRASH_AT, [store, n, options])
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
    pick: (run, seqs, from) => store.pick(run, seqs, from),
    outline: (run) => store.outline(run),
    keepOutline(run, outline) {
      assertAlive()
      store.keepOutline(run, outline)
    },
    row: (run) => store.row(run),
    list: (query) => store.list(query),
    count: (query) => store.count(query),
    fork(run, at, id, edit) {
      assertAlive()
      store.fork(run, at, id, edit)
    },
    send(run, path, name, value) {
      assertAlive()
      return store.send(run, path, name, value)
    },
    expire(run, path, name) {
      assertAlive()
      return store.expire(run, path, name)
    },
    answer(run, question, value) {
      assertAlive()
      return store.answer(run, question, value)
    },
    questions: (query) => store.questions(query),
    pending: (run) => store.pending(run),
    delete(run) {
      assertAlive()
      store.delete(run)
    },
    sweep: () => store.sweep(),
    compact: () => store.compact(),
    backup: (file) => store.backup(file),
    import: (run) => store.import(run),
    origin: (run) => store.origin(run),
    version: () => store.version(),
    close: () => store.close(),
  }
}

/**
 * Runs that the processes of a cluster share: `peek` and `transact` (see SharedStore) on mirrors of them.
 *
 * 1. Actions run on the mirror of their run, with no lock held. What they write is committed in one statement, which writes nothing unless the
 *    run is still at the mirror's version: then the mirror is brought up to date and they are executed again.
 * 2. What an action answers is only given out when it is known that nothing was committed that it should have seen: its commit
 *    succeeded, or the mirror was brought up to date after it was asked for.
 * 3. Within a process the actions of a run queue up, and those that wait are executed one after the other and committed together. One that throws
 *    leaves nothing behind, and the others do not notice.
 * 4. After a few conflicts the run is locked first, so that everybody gets a turn.
 * 5. A mirror is dropped when anything fails, and when mirrors take too much memory: it is only ever a copy.
 */
import type { NewRun, SharedReader, SharedTransaction } from '../../kernel/store.ts'
import { unknownRun } from '../../kernel/store.ts'
import { isBusy } from '../../kernel/when-free.ts'
import { ThinkonError } from '../../protocol/index.ts'
import { isBroken } from './errors.ts'
import { Changes, Mirror, transactionOn } from './mirror.ts'

/** What is asked of the database about one run. */
export interface RunTable {
  /** Brings the mirror up to date; false if it was. */
  refresh(mirror: Mirror): Promise<boolean>
  /** Loads what is missing in the mirror; false if it is not there, as the mirror is too old. */
  load(mirror: Mirror): Promise<boolean>
  /** Commits, and has the mirror absorb it; false if the mirror is not up to date. */
  commit(mirror: Mirror, changes: Changes, flush: boolean): Promise<boolean>
  /** Nobody else commits to the run meanwhile. */
  locked<T>(run: string, action: (table: RunTable) => Promise<T>): Promise<T>
}

interface Waiting {
  readonly create: NewRun | null
  readonly action: (transaction: SharedTransaction) => unknown
  /** False of one that only looks. */
  readonly writes: boolean
  readonly flush: boolean
  readonly settle: (outcome: Outcome) => void
}

interface Executed {
  readonly outcomes: readonly Outcome[]
  readonly changes: Changes
}

type Outcome = { readonly value: unknown } | { readonly error: unknown }

export interface SharedRuns {
  peek<T>(run: string, action: (reader: SharedReader) => T): Promise<T>
  transact<T>(
    run: string | NewRun,
    action: (transaction: SharedTransaction) => T,
    flush?: boolean,
  ): Promise<T>
}

const CONFLICTS_BEFORE_LOCK = 8
/** Of all mirrors of a process, in characters. */
const MAX_MIRROR_CHARS = 64 * 1024 * 1024

/** `committed` is called after each commit. */
export function sharedRuns(
  table: RunTable,
  committed: (run: string) => void = () => {},
  maxChars = MAX_MIRROR_CHARS,
): SharedRuns {
  /** Those that wait for the commit that is under way, by run. */
  const queues = new Map<string, Waiting[]>()
  const mirrors = new Mirrors(maxChars)

  function enqueue<T>(run: string, waiting: Omit<Waiting, 'settle'>): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: Outcome) =>
        'error' in outcome ? reject(outcome.error) : resolve(outcome.value as T)
      const queue = queues.get(run)
      if (queue !== undefined) queue.push({ ...waiting, settle })
      else {
        queues.set(run, [{ ...waiting, settle }])
        queueMicrotask(() => void work(run))
      }
    })
  }

  async function work(run: string): Promise<void> {
    const queue = queues.get(run) as Waiting[]
    while (queue.length > 0) {
      const group = queue.splice(0)
      const outcomes = await outcomesOf(run, group)
      for (const [i, { settle }] of group.entries()) settle(outcomes[i] as Outcome)
    }
    queues.delete(run)
  }

  async function outcomesOf(run: string, group: readonly Waiting[]): Promise<readonly Outcome[]> {
    const mirror = mirrors.take(run) ?? new Mirror(run)
    try {
      const { outcomes, changes } = await settle(table, mirror, group)
      if (mirror.no > 0) mirrors.put(mirror)
      if (!changes.isEmpty) committed(run)
      return outcomes
    } catch (error) {
      if (group.length === 1 || isBroken(error) || isBusy(error)) return group.map(() => ({ error }))
      // Nothing was written, perhaps because of one of them.
      const outcomes: Outcome[] = []
      for (const one of group) outcomes.push(...(await outcomesOf(run, [one])))
      return outcomes
    }
  }

  return {
    peek: (run, action) => enqueue(run, { create: null, action, writes: false, flush: false }),
    transact(run, action, flush = true) {
      const create = typeof run === 'string' ? null : run
      return enqueue(typeof run === 'string' ? run : run.id, { create, action, writes: true, flush })
    },
  }
}

/** Executes the group until what it has seen is what is there, and what it has written is committed. */
async function settle(table: RunTable, mirror: Mirror, group: readonly Waiting[]): Promise<Executed> {
  const flush = group.some((one) => one.flush)
  let isCurrent = !isWorthTrying(mirror, group)
  if (isCurrent) await table.refresh(mirror)
  for (let conflicts = 0; conflicts < CONFLICTS_BEFORE_LOCK; ) {
    const executed = execute(mirror, group)
    const { changes } = executed
    if (mirror.isMissing) {
      if (await table.load(mirror)) continue
    } else {
      const holds = changes.isEmpty ? isCurrent : await table.commit(mirror, changes, flush)
      if (holds) return executed
      conflicts++
    }
    await refresh(table, mirror)
    isCurrent = true
  }
  return table.locked(mirror.run, (locked) => settle(locked, mirror, group))
}

/** What is missing in a mirror that is up to date is nowhere. */
async function refresh(table: RunTable, mirror: Mirror): Promise<void> {
  const wasOld = await table.refresh(mirror)
  if (wasOld || !mirror.isMissing) return
  const { run } = mirror
  const message = `an event of run ${run} is missing: restore the store from a backup`
  throw new ThinkonError('STORE_CORRUPT', message, { data: { run } })
}

/** Whether the mirror is probably up to date as it is. A run that is to be created is probably not there. */
function isWorthTrying(mirror: Mirror, group: readonly Waiting[]): boolean {
  return mirror.no === 0 ? group[0]?.create != null : group.some(({ writes }) => writes)
}

/** One after the other, each on top of what those before it have written. */
function execute(mirror: Mirror, group: readonly Waiting[]): Executed {
  mirror.missing.events.clear()
  mirror.missing.notes.clear()
  const changes = new Changes(mirror)
  const outcomes = group.map(({ create, action }): Outcome => {
    const layer = new Changes(changes)
    if (mirror.no === 0 && changes.created === null) {
      if (create === null) return { error: unknownRun(mirror.run) }
      layer.created = create
    }
    try {
      const value = action(transactionOn(mirror.run, layer))
      changes.absorb(layer)
      return { value }
    } catch (error) {
      return { error }
    }
  })
  return { outcomes, changes }
}

/** The mirrors that no action is running on; what was used last comes last. */
class Mirrors {
  private readonly mirrors = new Map<string, Mirror>()
  private readonly maxChars: number
  private chars = 0

  constructor(maxChars: number) {
    this.maxChars = maxChars
  }

  take(run: string): Mirror | undefined {
    const mirror = this.mirrors.get(run)
    if (mirror === undefined) return undefined
    this.mirrors.delete(run)
    this.chars -= mirror.size
    return mirror
  }

  put(mirror: Mirror): void {
    mirror.trim()
    this.mirrors.set(mirror.run, mirror)
    this.chars += mirror.size
    for (const run of this.mirrors.keys()) {
      if (this.chars <= this.maxChars) return
      this.take(run)
    }
  }
}

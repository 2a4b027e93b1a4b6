/** The local host: runs in this process, at rest in a store that other processes may look at and send signals through. */
import { activityOf, type Clock, systemClock } from '../../kernel/clock.ts'
import type {
  EngineHost,
  JoinOptions,
  Kernel,
  Listener,
  ResumeOptions,
  RunHandle,
  RunSpec,
} from '../../kernel/durable.ts'
import {
  type AnyStore,
  draftOf,
  type Events,
  gathered,
  type OwnerListener,
  ownershipLost,
  readAtOnce,
} from '../../kernel/store.ts'
import { isBusy, whenFree } from '../../kernel/when-free.ts'
import {
  type Limits,
  type Outcome,
  type ResumeChange,
  ROOT_PATH,
  ThinkonError,
} from '../../protocol/index.ts'
import { endsBlock } from '../shared/endings.ts'
import { rootSpec, runResume, runStart } from '../shared/events.ts'
import { isRunning, raisedLimits } from '../shared/raise-limits.ts'
import { strategyName } from '../shared/records.ts'
import { requireParts } from '../shared/require-parts.ts'
import { hasChanged, modelChanges } from '../shared/resume-changes.ts'
import { LocalBlock } from './block.ts'
import { FollowedRun } from './followed-run.ts'
import type { LeavingOptions } from './leaving.ts'
import { type Journal, loadJournal } from './load.ts'
import type { OutlineReader } from './outline.ts'
import { release } from './release.ts'
import { LocalRun, type StartRoot } from './run.ts'

/** How often the inbox is asked for what other processes sent. */
const POLL_MS = 40

export interface LocalHost extends EngineHost {
  /** The run leaves this process as soon as no call is under way, and at once when the signal aborts. Resolves when it has left or ended. */
  drain(run: string, late: AbortSignal): Promise<void>
}

/** `leaving`: runs may leave the process before they end. */
export function localHost(
  store: AnyStore,
  kernel: Kernel,
  clock: Clock = systemClock,
  leaving?: LeavingOptions,
): LocalHost {
  const runs = new Map<string, LocalRun>()
  /** Runs of other processes. */
  const followed = new Map<string, FollowedRun>()
  /** Runs that are about to be resumed here: one at a time. */
  const entering = new Map<string, Promise<void>>()
  let poll: NodeJS.Timeout | null = null
  let unlisten: (() => void) | null = null
  let unwatch: (() => void) | null = null

  function enter(run: LocalRun, listener: Listener | undefined): RunHandle {
    runs.set(run.id, run)
    unwatch ??= activityOf(clock).watch?.() ?? null
    if (listener) run.telling.listen(listener)
    if ('listen' in store) unlisten ??= store.listen?.(ownerListener) ?? null
    else if (!store.instant) poll ??= setInterval(inboxLook(), POLL_MS)
    const remove = () => {
      runs.delete(run.id)
      if (runs.size === 0) rest()
    }
    run.outcome.then(remove, remove)
    return run
  }

  function rest(): void {
    unwatch?.()
    unwatch = null
    unlisten?.()
    unlisten = null
    if (poll !== null) clearInterval(poll)
    poll = null
  }

  const ownerListener: OwnerListener = {
    signalled: (id) => void runs.get(id)?.receive(),
    lost: (id) => runs.get(id)?.fail(ownershipLost(id)),
  }

  /** Looks into the inbox if the store has changed since the last look; one look at a time. */
  function inboxLook(): () => Promise<void> {
    let version: number | null = null
    let isLooking = false
    return async () => {
      if (isLooking) return
      isLooking = true
      version = await lookIntoInbox(version)
      isLooking = false
    }
  }

  /** Looks if the store has changed since `version`; returns its version now. */
  async function lookIntoInbox(version: number | null): Promise<number | null> {
    try {
      const now = await store.version()
      if (now !== version) for (const run of runs.values()) void run.receive()
      return now
    } catch (error) {
      if (!isBusy(error)) for (const run of [...runs.values()]) run.fail(error)
      return null
    }
  }

  const resume = (id: string, listener?: Listener, options: JoinOptions = {}) =>
    alone(id, () => attach(id, listener, options) ?? enterAgain(id, listener, options))

  /** One call at a time for each run. */
  async function alone(id: string, action: () => RunHandle | Promise<RunHandle>): Promise<RunHandle> {
    while (entering.has(id)) await entering.get(id)
    const entered = (async () => action())()
    const noted = () => void entering.delete(id)
    entering.set(id, entered.then(noted, noted))
    return entered
  }

  /** The run, if it is under way or followed here. */
  function attach(id: string, listener: Listener | undefined, options: JoinOptions): RunHandle | undefined {
    const attached = runs.get(id) ?? (mayFollow(options) ? followed.get(id) : undefined)
    if (attached === undefined) return undefined
    if (options.budget !== undefined) throw isRunning(id)
    if (listener) attached.telling.listen(listener)
    return attached
  }

  function follow(journal: Journal, listener: Listener | undefined): RunHandle {
    const { run: id } = journal.start
    const takeOver = () => alone(id, () => runs.get(id) ?? enterAgain(id, undefined, {}))
    const known = followed.get(id)
    if (known !== undefined) return known
    const run = new FollowedRun(store, journal, listener, takeOver)
    followed.set(id, run)
    const remove = () => void followed.delete(id)
    run.outcome.then(remove, remove)
    return run
  }

  async function enterAgain(
    id: string,
    listener: Listener | undefined,
    options: JoinOptions,
  ): Promise<RunHandle> {
    const found = await loadJournal(store, id)
    if (found.outcome !== null) return endedRun(found)
    await prepare(found, options)
    const epoch = await acquired(id, options)
    if (epoch === null) return follow(found, listener)
    try {
      const journal = await sinceThen(found, options)
      if (journal.outcome !== null) {
        await release(store, id, epoch)
        return endedRun(journal)
      }
      const limits = raisedLimits(journal.state, options.budget)
      // One that no process has owned: workers take it from its first event on.
      const isNew = journal.seq === 1 && epoch === 1
      const run = new LocalRun(
        ...([specOf(journal, limits), store, epoch, kernel, clock, isNew ? null : journal] as const),
        leaving,
      )
      enter(run, listener)
      if (isNew) {
        run.begin(draftOf(journal.start), rootOf(run, null))
        await run.receive()
        return run
      }
      const resumed = runResume(epoch, journal.lost, limits)
      run.resume(resumed, changesOf(journal), rootOf(run, journal))
      return run
    } catch (error) {
      runs.get(id)?.fail(error)
      await release(store, id, epoch)
      throw error
    }
  }

  /** The epoch of the run, which this process owns now. Null if another process works on it, and it may be followed. */
  async function acquired(id: string, options: JoinOptions): Promise<number | null> {
    try {
      return await whenFree(() => store.acquire(id))
    } catch (thrown) {
      if (mayFollow(options) && ThinkonError.isInstance(thrown) && thrown.code === 'RUN_LOCKED') return null
      throw thrown
    }
  }

  /** The journal as it is now: the last owner may have continued until it was taken over. */
  async function sinceThen(found: Journal, options: ResumeOptions): Promise<Journal> {
    const { run } = found.start
    if ((await store.row(run)).seq === found.seq) return found
    const journal = await loadJournal(store, run)
    if (journal.outcome === null) await prepare(journal, options)
    return journal
  }

  /** Before anything is written: loads the strategies of the open blocks; throws unless all that the run needs is here. */
  async function prepare(
    journal: Journal,
    { strict, budget }: ResumeOptions,
    events?: Events,
  ): Promise<void> {
    const { start, blocks, state } = journal
    raisedLimits(state, budget)
    const open = [...blocks.values()].map((block) => block.start)
    const { run: id, config } = start
    await kernel.preload(new Set(open.map(({ strategy }) => strategyName(strategy))), { id, config })
    requireParts(start.run, open, kernel, (await isToEnd(start.run)) ? [] : kernel.missing(start))
    if (strict) await requireUnchanged(journal, events)
  }

  /** Executes the run from its records, calling nothing; throws if an open block does something else now. */
  async function requireUnchanged(journal: Journal, events: Events | undefined): Promise<void> {
    const { replayRun } = await import('./replay.ts')
    const read = events === undefined ? await readAtOnce(store, journal.start.run) : await gathered(events)
    const { differences } = await replayRun(read, kernel)
    const open = differences.filter(({ path }) => journal.blocks.has(path))
    const changes = changesOf(journal)
    const others = open.map(({ path, what }) => `block ${path}: ${what}`)
    if (changes.length + others.length > 0) throw hasChanged(journal.start.run, changes, others)
  }

  function changesOf({ state, blocks }: Journal): ResumeChange[] {
    return modelChanges(state.config, kernel.models, [...blocks.keys()])
  }

  /** Whether the run is only resumed to be ended: no step is performed then. */
  async function isToEnd(id: string): Promise<boolean> {
    return (await store.pending(id)).some(({ path, name }) => path === ROOT_PATH && endsBlock(name))
  }

  return {
    running: (id) => runs.get(id) ?? followed.get(id),
    async check(id, options, events) {
      const journal = await loadJournal(events === undefined ? store : given(events), id)
      if (journal.outcome === null) await prepare(journal, options, events)
    },
    async start(spec, listener) {
      await kernel.preload([spec.strategy])
      // Whoever else starts this run must find it: nothing comes in between, unless the store's answers come later.
      const isThere = store.has(spec.id)
      if (typeof isThere === 'boolean' ? isThere : await isThere) return resume(spec.id, listener)
      const body = runStart(spec, kernel.identify(spec.strategy))
      const first = { ...body, path: ROOT_PATH, atMs: clock.nowMs() }
      const { id, goal, strategy } = spec
      let epoch: number
      try {
        const created = whenFree(() => store.create({ id, goal, strategy }, first))
        epoch = typeof created === 'number' ? created : await created
      } catch (thrown) {
        // Another process was faster.
        if (await store.has(id)) return resume(id, listener)
        throw thrown
      }
      const run = new LocalRun(spec, store, epoch, kernel, clock, null, leaving)
      enter(run, listener)
      try {
        run.begin(first, rootOf(run, null))
      } catch (error) {
        run.fail(error)
        throw error
      }
      void run.receive()
      return run
    },
    resume,
    async signal(id, path, name, value) {
      const sent = whenFree(() => store.send(id, path, name, value))
      const signal = sent instanceof Promise ? await sent : sent
      const run = runs.get(id)
      // If other processes have sent signals before it, all are read from the store.
      if (run !== undefined && !run.signals.takeIn(signal)) await run.receive()
    },
    async answer(id, question, value) {
      const sent = await whenFree(() => store.answer(id, question, value))
      if (sent !== null) await runs.get(id)?.receive()
      return sent !== null
    },
    async cancel(id, reason) {
      await this.signal(id, ROOT_PATH, 'cancel', reason)
    },
    async drain(id, late) {
      const run = runs.get(id)
      run?.drain(late)
      await run?.outcome.catch(() => {})
    },
    async close() {
      for (const run of followed.values()) run.fail(closed(run.id))
      const detached = [...runs.values()].map((run) => run.detach())
      rest()
      await Promise.all(detached)
    },
  }
}

function mayFollow({ strict, budget, follow = true }: JoinOptions): boolean {
  return follow && !strict && budget === undefined
}

function closed(id: string): ThinkonError {
  return new ThinkonError('INTERRUPTED', `the engine was closed: run ${id} goes on in another process`)
}

function endedRun({ start, outcome, state }: Journal): RunHandle {
  return { id: start.run, outcome: Promise.resolve(outcome as Outcome), roles: state.roles }
}

/** These events, as a store gives them. */
function given(events: Events): OutlineReader {
  return { outline: () => null, pick: () => events }
}

function specOf({ start, state }: Journal, raised: Limits | undefined): RunSpec {
  const { run, goal, strategy, options, seed, config } = start
  const limits = raised ?? state.limits ?? start.limits
  return { id: run, goal, strategy: strategyName(strategy), options, limits, seed, config }
}

function rootOf(run: LocalRun, journal: Journal | null): StartRoot {
  const spec = rootSpec(run.spec)
  return (ledger, onEnd) => new LocalBlock(run, spec, 0, 0, ledger, journal?.blocks ?? null).begin(onEnd)
}

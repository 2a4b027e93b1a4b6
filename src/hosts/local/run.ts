/**
 * One run in this process: its journal's writer, its inbox, its clock.
 *
 * 1. Events are gathered and committed once per turn of the event loop (at once where the store is in memory). A block sees
 *    the end of an operation after that commit, never before.
 * 2. When a commit fails the run stops here: effects are aborted, nothing more is written, the journal stays as it is.
 * 3. After a resume, blocks are first executed from their records (`catchingUp`); then signals that came while the run was
 *    down take effect; only then effects are performed.
 * 4. When a model is out and no block can go on without it, the run stops: `run-wait` is its last event.
 */
import { Ledger } from '../../kernel/budget.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Kernel, Listener, RunHandle, RunSpec } from '../../kernel/durable.ts'
import type { Draft, Store } from '../../kernel/store.ts'
import {
  type Ephemeral,
  type Event,
  type EventBody,
  type OutageStep,
  type Outcome,
  ROOT_PATH,
  type RoleUsage,
  type Signal,
  ThinkonError,
} from '../../protocol/index.ts'
import { outageError } from '../shared/outage.ts'
import { RunTime } from '../shared/run-time.ts'
import { tell } from '../shared/tell.ts'
import { Inbox } from './inbox.ts'
import type { Journal } from './load.ts'
import { Outline } from './outline.ts'

/** In memory, give timers and sockets a turn after so many commits. */
const COMMITS_PER_TURN = 128

/** A block that is under way, as its run sees it. */
export interface RunningBlock {
  /** Takes a signal from the inbox that ends the block. True when there was one. */
  interrupt(): boolean
  checkDeadline(activeMs: number): void
  /** It can't go on before a person answers, a child ends, or a model is there again. */
  readonly idle: boolean
  /** Its steps whose model is out. */
  outages(): OutageStep[]
  /** The run stops in this process: effects are aborted, nothing is recorded. */
  abandon(error: unknown): void
}

/** Begins the root block; `onEnd` is to be called when its end is appended. */
export type StartRoot = (ledger: Ledger, onEnd: (end: { outcome: Outcome }) => void) => void

export class LocalRun implements RunHandle {
  readonly id: string
  readonly spec: RunSpec
  readonly outcome: Promise<Outcome>
  readonly kernel: Kernel
  readonly clock: Clock
  readonly blocks = new Map<string, RunningBlock>()
  readonly roles: RoleUsage
  readonly inbox = new Inbox()
  openSteps: number
  openQuestions: number
  catchingUp = false

  private readonly store: Store
  private readonly epoch: number
  private readonly ledger: Ledger
  /** Null where nobody would read it: nothing outlives the process. */
  private readonly outline: Outline | null
  private readonly listeners = new Set<Listener>()
  private readonly delayed: (() => void)[] = []
  private drafts: Draft[] = []
  private ends: (() => void)[] = []
  private mustFlush = false
  private scheduled = false
  private committing = false
  private commits = 0
  private activeMs: number
  private readonly time: RunTime
  private deadlineMs = Number.POSITIVE_INFINITY
  private stopDeadline: (() => void) | null = null
  private stopped = false
  /** A model was out since this process works on the run. */
  private out = false
  private resolve!: (outcome: Outcome) => void
  private reject!: (error: unknown) => void

  constructor(
    spec: RunSpec,
    store: Store,
    epoch: number,
    kernel: Kernel,
    clock: Clock,
    journal: Journal | null,
  ) {
    this.id = spec.id
    this.spec = spec
    this.store = store
    this.epoch = epoch
    this.kernel = kernel
    this.clock = clock
    const lastMs = journal === null ? 0 : Date.parse(journal.state.changedAt)
    this.time = new RunTime(clock, Math.max(lastMs, clock.nowMs()))
    this.activeMs = journal?.state.activeMs ?? 0
    this.roles = journal?.state.roles ?? {}
    this.openSteps = journal?.state.openSteps ?? 0
    this.openQuestions = journal?.state.openQuestions ?? 0
    this.outline = store.instant ? null : (journal?.outline ?? new Outline())
    this.ledger = new Ledger(null, spec.limits, 0, 0, journal?.blocks.get(ROOT_PATH)?.used)
    this.outcome = new Promise((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
    // Whoever asks for the outcome gets the error; a run nobody waits for must not end the process.
    this.outcome.catch(() => {})
  }

  listen(listener: Listener): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** A new run; `first` is in the journal already. */
  begin(first: Draft, startRoot: StartRoot): void {
    this.time.atMs = Math.max(this.time.atMs, first.atMs)
    // The fold counts from the first event on.
    this.activeMs = this.time.atMs - first.atMs
    this.outline?.follow(ROOT_PATH, first.type, 0)
    if (this.listeners.size > 0) this.publish([first], 1)
    this.startRoot(startRoot)
  }

  /** Continues from the records of its journal, whose strategies are loaded. */
  resume(startRoot: StartRoot): void {
    this.catchingUp = true
    this.append(ROOT_PATH, { type: 'run-resume', epoch: this.epoch })
    this.startRoot(startRoot)
    // Executing from records takes microtasks only: at the next turn every block stands where its records end.
    setImmediate(() => {
      this.catchingUp = false
      this.receive()
      for (const perform of this.delayed.splice(0)) perform()
    })
  }

  private startRoot(startRoot: StartRoot): void {
    startRoot(this.ledger, ({ outcome }) => {
      this.append(ROOT_PATH, { type: 'run-end', status: outcome.status })
      this.afterCommit(() => this.finish(outcome))
    })
  }

  // --- the journal's writer

  /** `tick` was called just before, or is called here. Returns the event's time. */
  append(path: string, body: EventBody, ticked = false): number {
    if (!ticked) this.tick()
    const draft = body as Draft
    draft.path = path
    draft.atMs = this.time.atMs
    if (this.time.inactiveMs > 0) {
      draft.inactiveMs = this.time.inactiveMs
      this.time.inactiveMs = 0
    }
    this.drafts.push(draft)
    this.outline?.follow(path, body.type, this.activeMs)
    if (body.type === 'model-end' || body.type === 'tool-end') this.mustFlush = true
    if (!this.scheduled) this.schedule()
    return draft.atMs
  }

  /** Calls back when everything appended so far is committed. */
  afterCommit(callback: () => void): void {
    this.ends.push(callback)
    if (this.store.instant && !this.committing && this.commits % COMMITS_PER_TURN !== 0) this.commit()
  }

  /** Resolves when everything appended so far is on disk. */
  flushed(): Promise<void> {
    this.mustFlush = true
    return new Promise((resolve) => this.afterCommit(resolve))
  }

  /** What `action` appends is committed together, also where commits are not gathered. */
  together(action: () => void): void {
    if (this.committing) {
      action()
      return
    }
    this.committing = true
    try {
      action()
    } finally {
      this.committing = false
    }
    if (this.store.instant) this.commit()
  }

  private schedule(): void {
    this.scheduled = true
    setImmediate(() => {
      this.scheduled = false
      this.commit()
    })
  }

  private commit(): void {
    if (this.stopped || this.committing) return
    this.committing = true
    while (this.drafts.length > 0 || this.ends.length > 0) {
      const { ends } = this
      this.ends = []
      this.commits++
      if (!this.write()) return
      for (const end of ends) end()
      if (!this.store.instant) break
    }
    this.committing = false
    if (this.drafts.length > 0 && !this.scheduled) this.schedule()
    this.stopIfOut()
  }

  /** Writes what was gathered, in one commit. False when that failed, and the run has stopped. */
  private write(): boolean {
    const { drafts, mustFlush } = this
    this.drafts = []
    this.mustFlush = false
    if (drafts.length === 0) return true
    try {
      const seq = this.store.append(this.id, this.epoch, drafts, mustFlush)
      if (this.listeners.size > 0) this.publish(drafts, seq)
      // A listener may have sent a signal that took effect at once: the outline is then ahead of the journal.
      if (this.outline?.isDue && this.drafts.length === 0)
        this.outline.keep(this.store, this.id, {
          changedMs: (drafts.at(-1) as Draft).atMs,
          roles: this.roles,
        })
      return true
    } catch (error) {
      this.fail(error)
      return false
    }
  }

  private publish(drafts: readonly Draft[], firstSeq: number): void {
    for (let i = 0; i < drafts.length; i++) {
      const { atMs, path, ...body } = drafts[i] as Draft
      const stamp = { seq: firstSeq + i, ts: new Date(atMs).toISOString(), run: this.id, path }
      this.tell({ ...stamp, ...body } as Event)
    }
  }

  /** Tells listeners what is not recorded. */
  tellNow(event: Ephemeral): void {
    if (this.listeners.size > 0 && !this.stopped) this.tell(event)
  }

  private tell(event: Event | Ephemeral): void {
    for (const listener of this.listeners) tell(listener, event)
  }

  private finish(outcome: Outcome): void {
    this.stop()
    this.free()
    this.resolve(outcome)
  }

  /** The run can't continue in this process. Its journal is as of the last commit. */
  fail(error: unknown): void {
    if (this.stopped) return
    this.stop()
    this.reject(error)
    for (const block of this.blocks.values()) block.abandon(error)
    this.free()
  }

  /** Leaves the run as it is, to be resumed later. */
  detach(): void {
    if (this.stopped) return
    this.commit()
    this.fail(
      new ThinkonError(
        'INTERRUPTED',
        `run ${this.id} was stopped; resume it with: thinkon resume ${this.id}`,
      ),
    )
  }

  /** Lets others resume the run. */
  private free(): void {
    release(this.store, this.id, this.epoch)
  }

  private stop(): void {
    this.stopped = true
    this.stopDeadline?.()
  }

  get over(): boolean {
    return this.stopped
  }

  // --- effects

  /** Performs now, or when the blocks have caught up with their records. */
  perform(effect: () => void): void {
    if (this.catchingUp) this.delayed.push(effect)
    else effect()
  }

  // --- outages

  /** A step waits for its model. */
  modelOut(): void {
    this.out = true
    this.stopIfOut()
  }

  /** Stops the run if a model is out and no block can go on without it. Called whenever a block may have come to a halt. */
  stopIfOut(): void {
    if (!this.out || this.stopped || this.committing || this.catchingUp) return
    const steps: OutageStep[] = []
    for (const block of this.blocks.values()) {
      if (!block.idle) return
      steps.push(...block.outages())
    }
    if (steps.length === 0) return
    this.append(ROOT_PATH, { type: 'run-wait', steps })
    this.out = false
    this.commit()
    this.fail(outageError(this.id, steps))
  }

  // --- time

  /**
   * The run's active time, up to now: what was active of the time since the last event counts unless only questions were
   * open. The fold of the journal counts the same way.
   */
  tick(): number {
    const passedMs = this.time.advance()
    if (this.openSteps > 0 || this.openQuestions === 0) this.activeMs += passedMs
    return this.activeMs
  }

  /** Makes sure that steps are stopped when their time is up. */
  watchDeadline(deadlineMs: number): void {
    if (deadlineMs >= this.deadlineMs) return
    this.deadlineMs = deadlineMs
    this.stopDeadline?.()
    this.stopDeadline = this.clock.after(deadlineMs - this.tick(), () => {
      this.stopDeadline = null
      this.deadlineMs = Number.POSITIVE_INFINITY
      for (const block of [...this.blocks.values()]) block.checkDeadline(this.tick())
    })
  }

  // --- signals

  /** Takes in what came to the store's inbox and was not seen before. */
  receive(): void {
    if (this.catchingUp || this.stopped) return
    try {
      for (const signal of this.store.pending(this.id)) this.deliver(signal)
    } catch (error) {
      this.fail(error)
    }
  }

  private deliver(signal: Signal): void {
    if (this.catchingUp || this.stopped || !this.inbox.add(signal)) return
    const wait = this.inbox.waitFor(signal)
    if (wait !== undefined) wait.answer()
    else this.blocks.get(signal.path)?.interrupt()
  }
}

/** The store may be the very thing that failed; the lock goes with the process. */
export function release(store: Store, run: string, epoch: number): void {
  try {
    store.release(run, epoch)
  } catch {
    // Nobody can do anything about it, and how the run ended does not depend on it.
  }
}

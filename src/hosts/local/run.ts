/**
 * One run in this process: its journal's writer, its inbox, its clock.
 *
 * 1. Events are gathered into commits (see Commits). A block sees the end of a step or a wait after its commit, never before. The end of
 *    a child follows from those: it is passed on at once, and committed before or with whatever the parent does next.
 * 2. When a commit fails the run stops here: effects are aborted, nothing more is written, the journal stays as it is.
 * 3. After a resume, blocks are first executed from their records (`catchingUp`); then signals that came while the run was
 *    down take effect; only then effects are performed.
 * 4. When no block can go on, and a model is out, the run stops: `run-wait` is its last event.
 */
import { Ledger } from '../../kernel/budget.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Kernel, RunHandle, RunSpec } from '../../kernel/durable.ts'
import type { Draft } from '../../kernel/store.ts'
import {
  type Ephemeral,
  type Event,
  type EventBody,
  type OutageStep,
  type Outcome,
  type ResumeChange,
  ROOT_PATH,
  type RoleUsage,
  type RunResume,
  ThinkonError,
} from '../../protocol/index.ts'
import { Admission } from '../shared/admission.ts'
import type { Said } from '../shared/events.ts'
import { outageError } from '../shared/outage.ts'
import { checkSameOperation, operationName } from '../shared/records.ts'
import { PromptChanges } from '../shared/resume-changes.ts'
import { RunTime } from '../shared/run-time.ts'
import { Commits, type Committed, type RunStore } from './commits.ts'
import { Deadline } from './deadline.ts'
import type { Inbox } from './inbox.ts'
import { Leaving, type LeavingOptions, type LeftRun } from './leaving.ts'
import { Outline } from './outline.ts'
import type { RunOrigin } from './recorded.ts'
import { release } from './release.ts'
import type { RunningBlock } from './running-block.ts'
import { Signals } from './signals.ts'
import { Standstill } from './standstill.ts'
import { Starts } from './starts.ts'
import { Telling } from './telling.ts'

const NOTHING_SAID: Said = new Map()

/** Begins the root block; `onEnd` is to be called when its end is appended. */
export type StartRoot = (ledger: Ledger, onEnd: (end: { outcome: Outcome }) => void) => void

export class LocalRun implements RunHandle {
  readonly id: string
  readonly spec: RunSpec
  readonly outcome: Promise<Outcome>
  readonly kernel: Kernel
  readonly clock: Clock
  /** Under way. A path is looked up for a person's signal only. */
  readonly blocks = new Set<RunningBlock>()
  readonly roles: RoleUsage
  readonly admission = new Admission(
    () => this.tick(),
    () => queueMicrotask(() => this.atRest()),
  )
  readonly starts = new Starts()
  /** What a person said to blocks before they began. */
  readonly said: Said
  /** While blocks are executed from their records. */
  private promptChanges: PromptChanges | null = null
  /** Stops steps when their time is up. */
  readonly deadline: Deadline
  readonly telling: Telling
  readonly signals: Signals
  openSteps: number
  openQuestions: number
  catchingUp = false
  /** It is executed from its records only: nothing is performed, and its store compares what is appended. */
  isReplay = false

  private readonly store: RunStore
  private readonly epoch: number
  private readonly commits: Commits
  /** Null if the run stays in this process until it ends. */
  private readonly leaving: Leaving | null
  private readonly ledger: Ledger
  /** Null where nobody would read it: nothing outlives the process, or the host reads whole journals. */
  private readonly outline: Outline | null
  private readonly delayed: (() => void)[] = []
  private activeMs: number
  private readonly time: RunTime
  private stopped = false
  /** The release of the run, if it takes time. */
  private freed: Promise<void> | null = null
  private readonly standstill = new Standstill(this)
  private resolve!: (outcome: Outcome) => void
  private reject!: (error: unknown) => void

  constructor(
    spec: RunSpec,
    store: RunStore,
    epoch: number,
    kernel: Kernel,
    clock: Clock,
    journal: RunOrigin | null,
    leaving?: LeavingOptions,
  ) {
    this.id = spec.id
    this.spec = spec
    this.store = store
    this.epoch = epoch
    this.commits = new Commits(this, store, epoch)
    this.leaving = leaving === undefined ? null : new Leaving(this, this.commits, epoch, leaving)
    this.kernel = kernel
    this.clock = clock
    const lastMs = journal === null ? 0 : Date.parse(journal.state.changedAt)
    this.time = new RunTime(clock, Math.max(lastMs, clock.nowMs()))
    this.activeMs = journal?.state.activeMs ?? 0
    this.telling = new Telling(spec.id, journal?.state.seq ?? 0)
    this.deadline = new Deadline(this)
    this.signals = new Signals(this, store)
    this.roles = journal?.state.roles ?? {}
    this.openSteps = journal?.state.openSteps ?? 0
    this.openQuestions = journal?.state.openQuestions ?? 0
    if (journal !== null) Object.assign(this.admission.learned, journal.learned)
    this.outline = store.instant || 'later' in store ? null : (journal?.outline ?? new Outline())
    this.said = journal?.said ?? NOTHING_SAID
    this.ledger = new Ledger(null, spec.limits, 0, 0, journal?.blocks.get(ROOT_PATH)?.used)
    this.outcome = new Promise((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
    // Whoever asks for the outcome gets the error; a run nobody waits for must not end the process.
    this.outcome.catch(() => {})
  }

  /** A new run; `first` is in the journal already. */
  begin(first: Draft, startRoot: StartRoot): void {
    this.time.atMs = Math.max(this.time.atMs, first.atMs)
    // The fold counts from the first event on.
    this.activeMs = this.time.atMs - first.atMs
    this.outline?.follow(ROOT_PATH, first.type, 0)
    this.telling.events([first], 1)
    this.startRoot(startRoot)
  }

  /** Continues from the records of its journal, whose strategies are loaded. */
  resume(resumed: RunResume, changes: readonly ResumeChange[], startRoot: StartRoot): void {
    this.catchingUp = true
    this.promptChanges = new PromptChanges()
    this.commits.pause()
    this.append(ROOT_PATH, resumed)
    this.startRoot(startRoot)
    // Executing from records takes microtasks only: at the next turn every block stands where its records end.
    setImmediate(() => {
      const all = [...changes, ...(this.promptChanges?.list ?? [])]
      if (all.length > 0) resumed.changes = all
      this.promptChanges = null
      this.commits.resume()
      void this.signals.withPending((signals) => {
        this.catchingUp = false
        this.signals.deliver(signals)
        for (const perform of this.delayed.splice(0)) perform()
        this.atRest()
      })
    })
  }

  /** Executes all blocks from their records. Events that were recorded are appended again, and others in their order. */
  replay(startRoot: StartRoot): void {
    this.catchingUp = true
    this.isReplay = true
    startRoot(this.ledger, () => {})
  }

  /** A block makes what it has a record of. Throws NON_DETERMINISM if it is another operation. */
  repeated(path: string, was: Event, made: EventBody & { n?: number }): void {
    if (this.isReplay) {
      this.append(path, made)
      return
    }
    checkSameOperation(was, path, made.n ?? 0, made.type, operationName(made))
    this.promptChanges?.compare(path, was, made)
  }

  private startRoot(startRoot: StartRoot): void {
    startRoot(this.ledger, ({ outcome }) => {
      this.append(ROOT_PATH, { type: 'run-end', status: outcome.status })
      this.afterCommit({ committed: () => this.finish(outcome) })
    })
  }

  // --- the journal's writer

  /** `tick` was called just before, or is called here. Returns the event's time. */
  append(path: string, body: EventBody, ticked = false): number {
    if (!ticked) this.tick()
    const draft = body as Draft
    draft.path = path
    draft.atMs = this.time.atMs
    this.appendPlaced(draft, false)
    return draft.atMs
  }

  /** The same for an event that has its place and its time, which is `atMs`. `flush`: it must be on disk when it is committed. */
  appendPlaced(draft: Draft, flush: boolean): void {
    if (this.time.inactiveMs > 0) {
      draft.inactiveMs = this.time.inactiveMs
      this.time.inactiveMs = 0
    }
    this.outline?.follow(draft.path, draft.type, this.activeMs)
    this.telling.appended++
    this.commits.append(draft, flush)
  }

  /** Calls back when everything appended so far is committed. */
  afterCommit(waiting: Committed): void {
    this.commits.after(waiting)
  }

  /** Calls back now, or after the first commit of a run that is being resumed. */
  whenCaughtUp(waiting: Committed): void {
    if (this.catchingUp) this.commits.after(waiting)
    else waiting.committed()
  }

  /** Resolves when everything appended so far is on disk. */
  flushed(): Promise<void> {
    return this.commits.flushed()
  }

  /** What `action` appends is committed together, also where commits are not gathered. What it gives back is given away after it. */
  together(action: () => void): void {
    this.commits.together(() => this.admission.together(action))
  }

  committed(drafts: readonly Draft[], firstSeq: number): void {
    this.telling.committed(drafts, firstSeq)
    // With other events appended meanwhile the outline is ahead of the journal.
    if ('later' in this.store || this.outline === null || !this.commits.isEmpty) return
    const { atMs } = drafts.at(-1) as Draft
    this.outline.keepIfDue(this.store, this.id, () => ({
      changedMs: atMs,
      roles: this.roles,
      learned: this.admission.learned,
    }))
  }

  /** Tells listeners what is not recorded, in its order among the events. */
  tellNow(event: Ephemeral): void {
    if (!this.stopped) this.telling.unrecorded(event)
  }

  private finish(outcome: Outcome): void {
    this.stop()
    const freed = this.free()
    if (freed === null) this.resolve(outcome)
    else void freed.then(() => this.resolve(outcome))
  }

  /** The run can't continue in this process. Its journal is as of the last commit. */
  fail(error: unknown): void {
    if (this.stopped) return
    this.stop()
    const freed = this.free()
    if (freed === null) this.reject(error)
    else void freed.then(() => this.reject(error))
    for (const block of this.blocks) block.abandon(error)
  }

  /** Leaves the run as it is, to be resumed later. Null if that is done, else a promise that it is. */
  detach(): Promise<void> | null {
    if (this.stopped) return this.freed
    const finished = this.commits.finish()
    const leave = () => {
      const text = `run ${this.id} was stopped; resume it with: thinkon resume ${this.id}`
      this.fail(new ThinkonError('INTERRUPTED', text))
      return this.freed
    }
    return finished === null ? leave() : finished.then(leave).then(() => {})
  }

  // --- leaving

  /** It is one of those that workers execute. */
  get mayLeave(): boolean {
    return this.leaving !== null
  }

  /** It begins no more steps, and leaves when no call is under way. */
  get isDraining(): boolean {
    return this.leaving?.isDraining ?? false
  }

  /** Leaves for another process: when no call is under way, or when the signal aborts. */
  drain(late: AbortSignal): void {
    this.leaving?.drain(late)
  }

  stopAs(left: LeftRun): void {
    if (this.stopped) return
    this.stop()
    for (const block of this.blocks) block.abandon(left)
  }

  settleAs(left: LeftRun): void {
    this.reject(left)
  }

  /** Lets others resume the run. */
  private free(): Promise<void> | null {
    this.freed = release(this.store, this.id, this.epoch)
    return this.freed
  }

  private stop(): void {
    this.stopped = true
    this.commits.stop()
    this.deadline.stop()
    this.leaving?.stop()
  }

  get over(): boolean {
    return this.stopped
  }

  // --- effects

  /** Performs now, or when the blocks have caught up with their records; never in a replay. */
  perform(effect: () => void): void {
    if (!this.catchingUp) effect()
    else if (!this.isReplay) this.delayed.push(effect)
  }

  // --- when no block can go on

  /** A step waits for its model. */
  modelOut(): void {
    this.standstill.modelOut()
    this.atRest()
  }

  /** Called whenever a block may have come to a halt. */
  atRest(): void {
    this.leaving?.consider()
    if (!this.isDraining) this.standstill.check()
  }

  get isBusy(): boolean {
    return this.stopped || this.commits.isBusy || this.catchingUp
  }

  stopToWait(steps: readonly OutageStep[]): void {
    this.append(ROOT_PATH, { type: 'run-wait', steps })
    this.afterCommit({ committed: () => this.fail(outageError(this.id, steps)) })
    this.commits.commit()
  }

  // --- time

  /** The time of the events that are appended now, as of the last `tick`. */
  get atMs(): number {
    return this.time.atMs
  }

  /**
   * The run's active time, up to now: what was active of the time since the last event counts unless only questions were
   * open. The fold of the journal counts the same way.
   */
  tick(): number {
    const passedMs = this.time.advance()
    if (this.openSteps > 0 || this.openQuestions === 0) this.activeMs += passedMs
    return this.activeMs
  }

  /** Waiting for a locked store is not active time. */
  setStoreLocked(isLocked: boolean): void {
    this.tick()
    this.time.isPaused = isLocked
  }

  // --- signals

  get inbox(): Inbox {
    return this.signals.inbox
  }

  /** Takes in new signals from the store's inbox: at once, unless the store's answer comes later. */
  receive(): void | Promise<void> {
    return this.signals.receive()
  }
}

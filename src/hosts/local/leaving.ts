/**
 * How a run leaves its process before it has ended, so that any process can resume it.
 *
 * 1. A run that only waits for signals or a time rests: it is a row with the time at which it must wake (kernel/run-assignment.ts).
 * 2. A run that is drained begins no step. It is handed over when no call is under way, or when its time is up: then calls are aborted.
 * 3. While it is decided whether the run has left, nothing is committed. If it has, what was not committed happens again elsewhere.
 */
import type { Clock } from '../../kernel/clock.ts'
import type { Kernel } from '../../kernel/durable.ts'
import type { AssignableStore } from '../../kernel/run-assignment.ts'
import { whenFree } from '../../kernel/when-free.ts'
import type { OutageStep } from '../../protocol/index.ts'
import type { Commits } from './commits.ts'
import type { Inbox } from './inbox.ts'

export interface LeavingOptions {
  readonly store: AssignableStore
  /** A run that has waited so long rests, unless it must wake as soon. */
  readonly restAfterMs: number
}

/** Rejects the outcome of a run that goes on in another process, or later. */
export class LeftRun extends Error {
  readonly how: 'rests' | 'handed-over'

  constructor(run: string, how: LeftRun['how']) {
    super(`run ${run} ${how === 'rests' ? 'rests until a signal or its time comes' : 'was handed over'}`)
    this.how = how
  }
}

export interface LeavableRun {
  readonly id: string
  readonly clock: Clock
  readonly kernel: Kernel
  readonly inbox: Inbox
  readonly blocks: Iterable<{
    readonly spec: { readonly strategy: string }
    readonly idle: boolean
    outages(): OutageStep[]
  }>
  readonly admission: { readonly isEmpty: boolean }
  readonly openSteps: number
  readonly catchingUp: boolean
  readonly over: boolean
  receive(): void | Promise<void>
  fail(error: unknown): void
  /** Stops without recording anything: its calls are aborted. The run is no longer owned, or soon. */
  stopAs(left: LeftRun): void
  /** Settles its outcome. */
  settleAs(left: LeftRun): void
}

export class Leaving {
  /** The run begins no more steps. */
  isDraining = false
  private readonly run: LeavableRun
  private readonly commits: Commits
  private readonly epoch: number
  private readonly store: AssignableStore
  private readonly restAfterMs: number
  private stopTimer: (() => void) | null = null
  /** It is being decided whether it has left. */
  private isLeaving = false

  constructor(run: LeavableRun, commits: Commits, epoch: number, { store, restAfterMs }: LeavingOptions) {
    this.run = run
    this.commits = commits
    this.epoch = epoch
    this.store = store
    this.restAfterMs = restAfterMs
  }

  /** Called whenever a block may have come to a halt. */
  consider(): void {
    if (this.isLeaving || this.run.over) return
    if (this.isDraining && this.isQuiet) void this.leave()
    else if (this.stopTimer === null && this.mayRest) this.restLater()
  }

  /** Leaves as soon as no call is under way, and at once when the signal aborts. */
  drain(late: AbortSignal): void {
    this.isDraining = true
    const force = () => void this.handOver()
    if (late.aborted) force()
    else late.addEventListener('abort', force, { once: true })
    this.consider()
  }

  stop(): void {
    this.stopTimer?.()
  }

  private restLater(): void {
    this.stopTimer = this.run.clock.after(this.restAfterMs, () => {
      this.stopTimer = null
      if (!this.isLeaving && this.mayRest) void this.rest()
    })
  }

  /** Nothing is under way, and everything is committed. */
  private get isQuiet(): boolean {
    const { run, commits } = this
    if (run.over || run.catchingUp || commits.isBusy || !commits.isEmpty) return false
    if (run.openSteps === 0) return true
    const outages = [...run.blocks].reduce((sum, block) => sum + block.outages().length, 0)
    return run.openSteps === outages
  }

  private get onlyWaits(): boolean {
    const { run } = this
    if (run.openSteps > 0 || !run.inbox.isAwaited || !run.admission.isEmpty || !this.isQuiet) return false
    for (const block of run.blocks) if (!block.idle) return false
    return true
  }

  private get mayRest(): boolean {
    const { wakeMs } = this.run.inbox
    return this.onlyWaits && (wakeMs === null || wakeMs - this.run.clock.nowMs() > this.restAfterMs)
  }

  private leave(): Promise<void> {
    return this.onlyWaits ? this.rest() : this.handOver()
  }

  private async rest(): Promise<void> {
    const { run, store, commits, epoch } = this
    const needs = new Set([...run.blocks].map(({ spec }) => run.kernel.identify(spec.strategy)))
    this.isLeaving = true
    commits.pause()
    try {
      const rests = await whenFree(() => store.rest(run.id, epoch, run.inbox.wakeMs, [...needs]))
      if (run.over) return
      if (rests) return this.settle('rests')
      // A signal has come.
      this.isLeaving = false
      commits.resume()
      await run.receive()
      this.consider()
    } catch (error) {
      run.fail(error)
    }
  }

  private async handOver(): Promise<void> {
    const { run, store, commits, epoch } = this
    if (this.isLeaving || run.over) return
    this.isLeaving = true
    const left = new LeftRun(run.id, 'handed-over')
    try {
      await commits.finish()
      if (run.over) return
      run.stopAs(left)
      await whenFree(() => store.handOver(run.id, epoch, 0))
    } finally {
      run.settleAs(left)
    }
  }

  private settle(how: LeftRun['how']): void {
    const left = new LeftRun(this.run.id, how)
    this.run.stopAs(left)
    this.run.settleAs(left)
  }
}

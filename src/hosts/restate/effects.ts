/**
 * Performs steps in a worker. The handler gives the engine no commands at all, so that each attempt may look up, join or
 * perform. What trials showed:
 *
 * 1. After a killed server the connection breaks, but the effect goes on here: the call that is sent again joins it.
 * 2. A failure is a recorded value, never the engine's to retry; the engine's retries bring work back after a dead worker.
 * 3. A step is claimed before it is taken up: the engine may give it to another worker while one is at it (a balancer that was reloaded, a
 *    connection that broke). Who does not get the claim looks for the end, and asks again. A claim is given back when its worker is no longer
 *    at the step, also if no end could be recorded.
 * 4. A step that was taken up and has no end died with its worker, if that is dead or hangs, or was given up by it: one that only reads is
 *    performed again, any other ends as interrupted (K2).
 * 5. An effect that ignores its signal is abandoned: its step has been ended by the block, the first end wins.
 * 6. A step whose model is out is not ended. When no other step is open and the journal has been quiet for a while, the run
 *    waits: that is recorded, and its tree killed, since a call can't be given back to the engine. Whenever that happens it
 *    does no harm: a resumed run goes on under another key from what is recorded. The steps that are out are noted in the store: they
 *    may be with several workers.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type * as restate from '@restatedev/restate-sdk'
import { limitError } from '../../kernel/budget.ts'
import type { ClaimedStep, Claims } from '../../kernel/claims.ts'
import type { Effect, Kernel } from '../../kernel/durable.ts'
import type { SharedReader, SharedStore } from '../../kernel/store.ts'
import type { WorkerObserver } from '../../kernel/worker-observer.ts'
import {
  type Ephemeral,
  type Event,
  type EventOf,
  errorData,
  isOutage,
  type OutageStep,
  type Result,
  ThinkonError,
  type Usage,
} from '../../protocol/index.ts'
import { forever, stepUsage } from '../shared/endings.ts'
import { outageStep } from '../shared/outage.ts'
import { Changes } from './changes.ts'
import type { Hold } from './desk.ts'
import { effectIn, type RunFrame, runFrameIn, timeLeftIn, type Waiting, waitingIn } from './journal.ts'
import { kill } from './kill.ts'
import { madeIn } from './operations.ts'
import { patiently } from './patiently.ts'
import { isEndingAround, SignalJournal } from './signals.ts'
import { StepIo, type StepParts } from './step-io.ts'
import { turnOfLoop } from './turn-of-loop.ts'
import { holdIn, QUIET_MS } from './turns.ts'
import type { StepKey } from './wire.ts'

type EffectContext = restate.Context & restate.internal.ContextInternal

interface Performance {
  readonly ended: Promise<void>
  readonly stop: AbortController
}

const MAX_TIMER_MS = 2 ** 31 - 1

/** Where another worker is at the step, its end is looked for after so long, and later and later. */
const FIRST_CLAIM_MS = 50
const MAX_CLAIM_MS = 500

/** What is known of an open step when it is looked at. */
interface Look {
  readonly isOpen: boolean
  readonly waiting: Waiting | null
  readonly seq: number
  /** Null while it waits for its turn. */
  readonly ready: ReadyStep | null
}

/** A step whose turn has come; it may also have been refused, or ended by its block. */
interface ReadyStep {
  readonly effect: Effect
  /** Of its start. */
  readonly seq: number
  /** Those that were paid before, by their numbers. */
  readonly parts: ReadonlyMap<number, EventOf<'part-end'>>
  readonly frame: RunFrame
}

export interface EffectsParts {
  readonly store: SharedStore
  readonly claims: Claims
  readonly kernel: Kernel
  /** Address of the server's admin API. */
  readonly admin: string
  readonly observer?: WorkerObserver
}

export class Effects {
  private readonly store: SharedStore
  private readonly kernel: Kernel
  private readonly admin: string
  private readonly underWay = new Map<string, Performance>()
  private readonly claims: Claims
  private readonly observer: EffectsParts['observer']
  private closing = false

  constructor({ store, kernel, admin, claims, observer }: EffectsParts) {
    this.claims = claims
    this.observer = observer
    this.store = store
    this.kernel = kernel
    this.admin = admin
  }

  /** Returns when the step has a recorded end, or its block has given it up. */
  async perform(context: EffectContext, { run, path, n }: StepKey): Promise<void> {
    const journal = new SignalJournal(this.store, run)
    const step = await journal.peek((reader) => ({
      ...lookAt(reader, run, path, n),
      isEnding: isEndingAround(reader, path),
      leftMs: timeLeftIn(reader, path),
    }))
    if (!step.isOpen) return
    await this.refuseIfWaiting(run, step.waiting)
    const cancelled = context.cancellation().map(() => 'cancelled' as const)
    if (step.isEnding) {
      // Its block is about to end: nothing is begun any more, and the block will say so.
      await cancelled
      return
    }
    const id = `${run}/${path}/${n}`
    const performance = this.underWay.get(id) ?? this.begin(id, journal, path, n, step)
    // A native race is right here: there is only one promise of the engine in it.
    const how = await Promise.race([performance.ended, cancelled])
    if (how === 'cancelled') performance.stop.abort(new ThinkonError('CANCELLED', 'cancelled'))
  }

  /** How many steps are being performed here, also those whose request has been cut off. */
  get active(): number {
    return this.underWay.size
  }

  /** The worker ends: what is under way is aborted, and is not recorded as failed. */
  abandon(): void {
    this.closing = true
    for (const { stop } of this.underWay.values())
      stop.abort(new ThinkonError('INTERRUPTED', 'the worker ends'))
  }

  private begin(
    id: string,
    journal: SignalJournal,
    path: string,
    n: number,
    step: Look & { leftMs: number },
  ): Performance {
    const stop = new AbortController()
    const work = this.work(journal, path, n, stop.signal, step.ready)
    const ended = Promise.race([work, this.timeUp(journal, path, n, stop, step.leftMs)]).finally(() => {
      this.underWay.delete(id)
      stop.abort()
    })
    // Whoever waits is told of a store that failed; when nobody does, the engine asks again.
    ended.catch(() => {})
    work.catch(() => {})
    const performance = { ended, stop }
    this.underWay.set(id, performance)
    return performance
  }

  private async work(
    journal: SignalJournal,
    path: string,
    n: number,
    signal: AbortSignal,
    found: ReadyStep | null,
  ): Promise<void> {
    const { run } = journal
    const step = found ?? (await this.inTurn(journal, signal, (reader) => lookAt(reader, run, path, n).ready))
    const claimed = { run, path, n }
    const claim = await this.claim(journal, claimed, signal)
    if (claim === null) return
    try {
      const writes = step.effect.kind === 'tool' && step.effect.access === 'write'
      const hold = await journal.takeUp(claimed, this.claims.worker, claim, writes)
      if (hold !== null) await this.act(journal, path, n, step, hold, signal)
    } finally {
      if (!this.closing) this.claims.release(claimed)
    }
  }

  /** How the step was claimed; null if it has ended meanwhile. */
  private async claim(
    journal: SignalJournal,
    step: ClaimedStep,
    signal: AbortSignal,
  ): Promise<'taken' | 'taken-over' | null> {
    for (let waitMs = FIRST_CLAIM_MS; ; waitMs = Math.min(2 * waitMs, MAX_CLAIM_MS)) {
      const claim = await this.claims.take(step)
      if (claim !== 'busy') return claim
      await pause(waitMs, undefined, { signal, ref: false })
      const { isOpen, waiting } = await journal.peek((reader) => lookAt(reader, step.run, step.path, step.n))
      if (!isOpen) return null
      await this.refuseIfWaiting(step.run, waiting)
    }
  }

  private async act(
    journal: SignalJournal,
    path: string,
    n: number,
    { effect, seq, parts, frame }: ReadyStep,
    taken: Hold,
    signal: AbortSignal,
  ): Promise<void> {
    const hold: StepParts['hold'] = async (part, reserve = effect.reserve) => {
      await journal.holdAgain(path, n, reserve, part)
      return this.held(journal, path, n, signal)
    }
    const say = (what: Ephemeral) => {
      if (what.type === 'model-retry') this.observer?.retried(what)
      if (!signal.aborted) this.store.say({ seq, what })
    }
    const io = new StepIo(journal, path, n, { signal, hold, parts, ...frame, say })
    let result: Result
    let usage: Usage | undefined
    try {
      if (io.paidParts === 0 && taken.waits) await io.hold(1)
      if (effect.kind === 'tool') await turnOfLoop()
      const done = await this.kernel.perform(effect, io)
      result = { ok: true, value: done.value }
      usage = stepUsage(done, io.paidParts)
    } catch (thrown) {
      if (this.closing || io.failed) throw thrown
      if (effect.kind === 'model' && isOutage(thrown))
        return this.waitForModel(journal, outageStep(path, n, thrown.toJSON()), signal)
      result = { ok: false, error: errorData(thrown, effect.kind === 'model' ? 'MODEL_ERROR' : 'TOOL_ERROR') }
    }
    await patiently(() => journal.endStep(path, n, result, usage))
  }

  /** Resolves when the step holds what it has asked for, or with why that is refused. */
  private async held(
    journal: SignalJournal,
    path: string,
    n: number,
    signal: AbortSignal,
  ): Promise<ThinkonError | null> {
    const { refused } = await this.inTurn(journal, signal, (reader) => {
      const hold = holdIn(reader, path, n)
      return hold.waits ? null : hold
    })
    return refused ? ThinkonError.fromJSON(refused) : null
  }

  /** Waits until `look` finds something, which is then there for good: a step's turn in the budget has come. */
  private async inTurn<T>(
    journal: SignalJournal,
    signal: AbortSignal,
    look: (reader: SharedReader) => T | null,
  ): Promise<T> {
    const changes = new Changes(this.store, journal.run)
    try {
      let last = -1
      for (let quietSince = 0; ; ) {
        const { found, waiting, seq } = await journal.peek((reader) => ({
          found: look(reader),
          waiting: waitingIn(reader),
          seq: reader.seq,
        }))
        if (found !== null) return found
        await this.refuseIfWaiting(journal.run, waiting)
        const nowMs = Date.now()
        if (seq === last && nowMs - quietSince >= QUIET_MS) await journal.unblock(seq)
        if (seq !== last || nowMs - quietSince >= QUIET_MS) quietSince = nowMs
        last = seq
        await changes.next(Math.max(0, quietSince + QUIET_MS - Date.now()), signal)
      }
    } finally {
      changes.close()
    }
  }

  /** Returns when the block has ended the step, and throws when the run has stopped to wait: the engine is to forget the call. */
  private async waitForModel(journal: SignalJournal, step: OutageStep, signal: AbortSignal): Promise<void> {
    try {
      let seq = await journal.noteOut(step)
      for (;;) {
        await pause(QUIET_MS, undefined, { signal, ref: false })
        seq = await journal.waitIfQuiet(seq)
        await this.refuseIfWaiting(journal.run, await journal.peek(waitingIn))
      }
    } catch (thrown) {
      if (!signal.aborted || this.closing) throw thrown
    }
  }

  /** No step of a run that waits is performed; its tree is killed, in case that was not done. */
  private async refuseIfWaiting(run: string, waiting: Waiting | null): Promise<void> {
    if (waiting === null) return
    if (waiting.root !== null) await kill(this.admin, waiting.root)
    throw new Error(`run ${run} waits for its model`)
  }

  /** Ends the step when the active time of its block is used up. Never settles if the step ends before. */
  private async timeUp(
    journal: SignalJournal,
    path: string,
    n: number,
    stop: AbortController,
    leftMs: number,
  ): Promise<void> {
    for (let left = leftMs; left > 0; left = await journal.timeLeftMs(path)) {
      const options = { signal: stop.signal, ref: false }
      await pause(Math.min(left, MAX_TIMER_MS), undefined, options).catch(() => forever<void>())
    }
    const error = limitError(path, { limit: 'timeMs' })
    await journal.endStep(path, n, { ok: false, error: error.toJSON() })
    queueMicrotask(() => stop.abort(error))
  }
}

function lookAt(reader: SharedReader, run: string, path: string, n: number): Look {
  const { seq } = reader
  const waiting = waitingIn(reader)
  const isOpen = madeIn(reader, run, path, n) !== null && reader.find(path, n, 'end') === null
  const effect = effectIn(reader, path, n)
  if (effect === null) return { isOpen, waiting, seq, ready: null }
  const parts = new Map<number, EventOf<'part-end'>>()
  for (let part = 1; ; part++) {
    const paid = reader.find(path, n, `part-${part}`)
    if (paid === null) break
    parts.set(part, paid as EventOf<'part-end'>)
  }
  const start = reader.find(path, n, 'start') as Event
  const ready = { effect, seq: start.seq, parts, frame: runFrameIn(reader) }
  return { isOpen, waiting, seq, ready }
}

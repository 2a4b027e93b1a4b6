/**
 * Performs steps in a worker. The handler gives the engine no commands at all, so that each attempt may look up, join or
 * perform. What trials showed:
 *
 * 1. After a killed server the connection breaks, but the effect goes on here: the call that is sent again joins it.
 * 2. A failure is a recorded value, never the engine's to retry; the engine's retries bring work back after a dead worker.
 * 3. A step that was taken up and is not under way here died with its worker (see turns.ts): one that only reads is performed
 *    again, any other ends as interrupted (K2). With several workers this would need a lease; today there is one.
 * 4. An effect that ignores its signal is abandoned: its step has been ended by the block, the first end wins.
 * 5. A step whose model is out is not ended. When no other step is open and the journal has been quiet for a while, the run
 *    waits: that is recorded, and its tree killed, since a call can't be given back to the engine. Whenever that happens it
 *    does no harm: a resumed run goes on under another key from what is recorded. The steps that are out are known to this
 *    worker alone; with several workers they would have to be noted in the store.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type * as restate from '@restatedev/restate-sdk'
import { limitError } from '../../kernel/budget.ts'
import type { Effect, EffectIo, Kernel } from '../../kernel/durable.ts'
import type { SharedStore } from '../../kernel/store.ts'
import {
  type EventOf,
  errorData,
  isOutage,
  type OutageStep,
  type Reserve,
  type Result,
  ThinkonError,
  type Usage,
} from '../../protocol/index.ts'
import { stepUsage } from '../shared/endings.ts'
import { outageStep } from '../shared/outage.ts'
import { kill } from './kill.ts'
import { SignalJournal } from './signals.ts'
import { QUIET_MS } from './turns.ts'
import type { StepKey } from './wire.ts'

type EffectContext = restate.Context & restate.internal.ContextInternal

interface Performance {
  readonly ended: Promise<void>
  readonly stop: AbortController
}

const MAX_TIMER_MS = 2 ** 31 - 1

/** A step that waits for its turn looks so often whether it has come. */
const LOOK_MS = 25

export interface EffectsParts {
  readonly store: SharedStore
  readonly kernel: Kernel
  /** Address of the server's admin API. */
  readonly admin: string
}

export class Effects {
  private readonly store: SharedStore
  private readonly kernel: Kernel
  private readonly admin: string
  /** By run and step: those whose model is out. */
  private readonly out = new Map<string, Map<string, OutageStep>>()
  private readonly underWay = new Map<string, Performance>()
  /** A step that was taken up by another one died with it. */
  private readonly worker = randomUUID()
  private closing = false

  constructor({ store, kernel, admin }: EffectsParts) {
    this.store = store
    this.kernel = kernel
    this.admin = admin
  }

  /** Returns when the step has a recorded end, or its block has given it up. */
  async perform(context: EffectContext, { run, path, n }: StepKey): Promise<void> {
    const journal = new SignalJournal(this.store, run)
    if (journal.made(path, n) === null || journal.find(path, n, 'end') !== null) return
    await this.refuseWhileWaiting(journal)
    const cancelled = context.cancellation().map(() => 'cancelled' as const)
    if (journal.isEnding(path)) {
      // Its block is about to end: nothing is begun any more, and the block will say so.
      await cancelled
      return
    }
    const id = `${run}/${path}/${n}`
    const performance = this.underWay.get(id) ?? this.begin(id, journal, path, n)
    // A native race is right here: there is only one promise of the engine in it.
    const how = await Promise.race([performance.ended, cancelled])
    if (how === 'cancelled') performance.stop.abort(new ThinkonError('CANCELLED', 'cancelled'))
  }

  /** The worker ends: what is under way is aborted, and is not recorded as failed. */
  abandon(): void {
    this.closing = true
    for (const { stop } of this.underWay.values())
      stop.abort(new ThinkonError('INTERRUPTED', 'the worker ends'))
  }

  private begin(id: string, journal: SignalJournal, path: string, n: number): Performance {
    const stop = new AbortController()
    const work = this.work(journal, path, n, stop.signal)
    const ended = Promise.race([work, this.timeUp(journal, path, n, stop)]).finally(() => {
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

  private async work(journal: SignalJournal, path: string, n: number, signal: AbortSignal): Promise<void> {
    const effect = await this.inTurn(journal, signal, () => journal.effectOf(path, n))
    if (journal.takeUp(path, n, this.worker)) await this.act(journal, path, n, effect, signal)
  }

  private async act(
    journal: SignalJournal,
    path: string,
    n: number,
    effect: Effect,
    signal: AbortSignal,
  ): Promise<void> {
    const hold: StepIo['hold'] = (part, reserve = effect.reserve) => {
      journal.holdAgain(path, n, reserve, part)
      return this.held(journal, path, n, signal)
    }
    const io = new StepIo(journal, path, n, signal, hold)
    let result: Result
    let usage: Usage | undefined
    try {
      if (io.paidParts === 0 && journal.holdOf(path, n).waits) await hold(1)
      const done = await this.kernel.perform(effect, io)
      result = { ok: true, value: done.value }
      usage = stepUsage(done, io.paidParts)
    } catch (thrown) {
      if (this.closing) throw thrown
      if (effect.kind === 'model' && isOutage(thrown))
        return this.waitForModel(journal, outageStep(path, n, thrown.toJSON()), signal)
      result = { ok: false, error: errorData(thrown, effect.kind === 'model' ? 'MODEL_ERROR' : 'TOOL_ERROR') }
    }
    journal.endStep(path, n, result, usage)
  }

  /** Resolves when the step holds what it has asked for, and rejects when that is refused. */
  private async held(journal: SignalJournal, path: string, n: number, signal: AbortSignal): Promise<void> {
    const { refused } = await this.inTurn(journal, signal, () => {
      const hold = journal.holdOf(path, n)
      return hold.waits ? null : hold
    })
    if (refused) throw ThinkonError.fromJSON(refused)
  }

  /** Waits until `look` finds something, which is then there for good: a step's turn in the budget has come. */
  private async inTurn<T>(journal: SignalJournal, signal: AbortSignal, look: () => T | null): Promise<T> {
    let { seq } = journal
    for (let quietMs = 0; ; ) {
      const found = look()
      if (found !== null) return found
      await pause(LOOK_MS, undefined, { signal, ref: false })
      await this.refuseWhileWaiting(journal)
      const before = seq
      seq = journal.seq
      quietMs = seq === before ? quietMs + LOOK_MS : 0
      if (quietMs < QUIET_MS) continue
      journal.unblock(seq)
      quietMs = 0
    }
  }

  /** Returns when the block has ended the step, and throws when the run has stopped to wait: the engine is to forget the call. */
  private async waitForModel(journal: SignalJournal, step: OutageStep, signal: AbortSignal): Promise<void> {
    const { run } = journal
    const key = `${step.path} ${step.n}`
    const out = this.out.get(run) ?? new Map<string, OutageStep>()
    this.out.set(run, out)
    out.set(key, step)
    try {
      for (let seq = journal.seq; ; seq = journal.seq) {
        await pause(QUIET_MS, undefined, { signal, ref: false })
        journal.waitIfQuiet(seq, [...out.values()])
        await this.refuseWhileWaiting(journal)
      }
    } catch (thrown) {
      if (!signal.aborted || this.closing) throw thrown
    } finally {
      out.delete(key)
      if (out.size === 0) this.out.delete(run)
    }
  }

  /** No step of a run that waits is performed; its tree is killed, in case that was not done. */
  private async refuseWhileWaiting(journal: SignalJournal): Promise<void> {
    const waiting = journal.waiting
    if (waiting === null) return
    if (waiting.root !== null) await kill(this.admin, waiting.root)
    throw new Error(`run ${journal.run} waits for its model`)
  }

  /** Ends the step when the active time of its block is used up. */
  private timeUp(journal: SignalJournal, path: string, n: number, stop: AbortController): Promise<void> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout
      const watch = () => {
        const leftMs = journal.timeLeftMs(path)
        if (leftMs > 0) timer = setTimeout(guarded, Math.min(leftMs, MAX_TIMER_MS)).unref()
        else {
          const error = limitError(path, { limit: 'timeMs' })
          journal.endStep(path, n, { ok: false, error: error.toJSON() })
          stop.abort(error)
          resolve()
        }
      }
      const guarded = () => {
        try {
          watch()
        } catch (error) {
          reject(error)
        }
      }
      guarded()
      stop.signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
    })
  }
}

/** What an effect gets while it is performed. Text as it comes in has no way to other processes here. */
class StepIo implements EffectIo {
  readonly path: string
  readonly n: number
  readonly signal: AbortSignal
  paidParts: number
  private readonly journal: SignalJournal
  /** Asks to hold `reserve`, or as much as the step, for a part or for the step itself. */
  readonly hold: (part?: number, reserve?: Reserve) => Promise<void>
  private nextPart = 1

  constructor(journal: SignalJournal, path: string, n: number, signal: AbortSignal, hold: StepIo['hold']) {
    this.journal = journal
    this.hold = hold
    this.path = path
    this.n = n
    this.signal = signal
    this.paidParts = 0
    while (journal.find(path, n, `part-${this.paidParts + 1}`) !== null) this.paidParts++
  }

  get run(): string {
    return this.journal.run
  }

  get config(): EffectIo['config'] {
    return this.journal.config
  }

  onDelta(): void {}

  paid(): unknown {
    return this.recorded(this.nextPart)?.value
  }

  private recorded(part: number): EventOf<'part-end'> | null {
    return this.journal.find(this.path, this.n, `part-${part}`) as EventOf<'part-end'> | null
  }

  async part<T>(run: Parameters<EffectIo['part']>[0], reserve?: Reserve): Promise<T> {
    const part = this.nextPart++
    const recorded = this.recorded(part)
    if (recorded !== null) return recorded.value as T
    if (part > 1) await this.hold(part, reserve)
    const { value, usage } = await run().catch((error) => {
      // What failed was not paid: another model may be asked for the same part.
      this.nextPart--
      throw error
    })
    this.journal.payPart(this.path, this.n, part, value, { calls: 1, ...usage })
    this.paidParts++
    return value as T
  }
}

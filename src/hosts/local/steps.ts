/**
 * The steps of a block: held against the budget, recorded, performed, settled. A step that was begun but not ended when
 * the process died is performed again if it only reads, and ends as interrupted if not (K2). A step whose model is out stays
 * open.
 */
import { limitError, NOTHING } from '../../kernel/budget.ts'
import type { Effect } from '../../kernel/durable.ts'
import {
  accumulate,
  accumulateRole,
  type ErrorData,
  errorData,
  isOutage,
  type LimitName,
  NO_USAGE,
  type OutageStep,
  type Reserve,
  type Result,
  ThinkonError,
  type Usage,
} from '../../protocol/index.ts'
import { ONE_CALL, stepUsage } from '../shared/endings.ts'
import { stepEnd, stepStart } from '../shared/events.ts'
import { outageStep } from '../shared/outage.ts'
import { INTERRUPTED, type OpRecord } from '../shared/records.ts'
import { type OpBlock, Operation } from './op.ts'
import { StepIo } from './step-io.ts'

export class StepOp extends Operation {
  readonly kind = 'step'
  /** Why it waits: its model is out. */
  outage: OutageStep | null = null
  private readonly effect: Effect
  /** Held against the budget while it runs. */
  private reserve: Reserve = NOTHING
  /** Parts that were paid and recorded. */
  private paidParts = 0
  private controller: AbortController | null = null

  constructor(block: OpBlock, n: number, effect: Effect) {
    super(block, n)
    this.effect = effect
  }

  begin(): void {
    const { block, effect } = this
    const { run, ledger } = block
    if (isClosing(effect)) ledger.release(block.takeKept())
    const limit = ledger.hold(effect.reserve, run.tick())
    block.append(stepStart(this.n, effect, limit === null ? effect.reserve : NOTHING), true)
    run.openSteps++
    if (limit !== null) {
      this.refuse(limit)
      return
    }
    this.reserve = effect.reserve
    run.watchDeadline(ledger.deadlineMs)
    if (isWrite(effect)) {
      // That it was begun must be on disk before anything changes in the world.
      void run.flushed().then(() => run.perform(() => this.perform(null)))
    } else if (run.catchingUp) run.perform(() => this.perform(null))
    else this.perform(null)
  }

  /** It was begun before the process died, and has no end yet. */
  resume(record: OpRecord): void {
    const { block, effect } = this
    const { run, ledger } = block
    if (isClosing(effect)) block.takeKept()
    const { start, parts } = record
    this.reserve = parts.length === 0 && 'reserve' in start ? start.reserve : NOTHING
    // A fork can cut between a refusal's start and its end: it held nothing, so it is weighed again.
    const refused = parts.length === 0 && this.reserve.calls < effect.reserve.calls
    const limit = refused ? ledger.hold(effect.reserve, run.tick()) : null
    if (refused && limit === null) this.reserve = effect.reserve
    run.watchDeadline(ledger.deadlineMs)
    run.perform(() => {
      if (limit !== null) this.refuse(limit)
      else if (isWrite(effect)) this.end(INTERRUPTED, ONE_CALL)
      else this.perform(record)
    })
  }

  get idle(): boolean {
    return this.outage !== null && !this.closed
  }

  /** Ends it with the error, whatever the effect does; the effect is told by its signal. */
  stop(error: ErrorData): void {
    this.end({ ok: false, error }, this.unpaid)
    this.controller?.abort(ThinkonError.fromJSON(error))
  }

  abandon(error: unknown): void {
    this.closed = true
    this.controller?.abort(error)
  }

  // --- for the effect

  /** Made on first use: an effect that never looks costs nothing. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController()
    if (this.closed && !this.controller.signal.aborted) this.controller.abort()
    return this.controller.signal
  }

  /** The first part is paid from what the step holds; each further one holds as much again (K3). */
  holdAgain(): void {
    if (this.closed) return
    const { path, ledger, run } = this.block
    const { reserve } = this.effect
    const limit = ledger.hold(reserve, run.tick())
    if (limit !== null) throw limitError(path, limit)
    this.reserve = reserve
  }

  /** A part is paid, whatever becomes of the step. Resolves when it is recorded. */
  payPart(part: number, value: unknown, usage: Usage): Promise<void> {
    if (this.closed) return Promise.resolve()
    const { block } = this
    this.paidParts++
    this.spend(usage)
    this.reserve = NOTHING
    block.append({ type: 'part-end', n: this.n, part, value, usage })
    return new Promise((resolve) => block.run.afterCommit(resolve))
  }

  // --- performing and ending

  private perform(record: OpRecord | null): void {
    if (this.closed) return
    const parts = record?.parts ?? NO_PARTS
    this.paidParts = parts.length
    this.block.run.kernel.perform(this.effect, new StepIo(this, parts)).then(
      ({ value, usage }) => this.end({ ok: true, value }, stepUsage(usage, this.paidParts)),
      (thrown) => {
        if (this.effect.kind === 'model' && isOutage(thrown)) return this.waitForModel(thrown)
        const error = errorData(thrown, this.effect.kind === 'model' ? 'MODEL_ERROR' : 'TOOL_ERROR')
        this.end({ ok: false, error }, this.unpaid)
      },
    )
  }

  /** Nothing is recorded of it: what it holds stays held, and a resumed run performs it again. */
  private waitForModel(outage: ThinkonError): void {
    const { path, run } = this.block
    if (this.closed || run.over) return
    this.outage = outageStep(path, this.n, outage.toJSON())
    const attempts = Number(outage.data.attempts ?? 1)
    run.tellNow({ type: 'model-retry', run: run.id, ...this.outage, attempt: attempts, of: attempts })
    run.modelOut()
  }

  private refuse(limit: LimitName): void {
    this.end({ ok: false, error: limitError(this.block.path, limit).toJSON() }, NO_USAGE)
  }

  /** The first end wins; what comes later is dropped. */
  private end(result: Result, usage: Usage): void {
    const { block, effect, n } = this
    const { run, ledger } = block
    if (this.closed || run.over) return
    this.closed = true
    this.spend(usage)
    const left = ledger.left(run.tick())
    const atMs = block.append(stepEnd(effect.kind, n, result, usage, left), true)
    run.openSteps--
    run.afterCommit(() => block.opEnded(this, { result, atMs, left }))
  }

  private spend(usage: Usage): void {
    const { block, effect } = this
    block.ledger.settle(this.reserve, usage)
    accumulate(block.usage, usage)
    accumulateRole(block.run.roles, effect.kind === 'model' ? effect.request.role : 'tool', usage)
  }

  /** What a step without a result has cost beyond its paid parts: the call that it held, if it held one. */
  private get unpaid(): Usage {
    return this.reserve.calls > 0 ? ONE_CALL : NO_USAGE
  }
}

const NO_PARTS: OpRecord['parts'] = []

export function isClosing(effect: Effect): boolean {
  return effect.kind === 'model' && effect.closing
}

function isWrite(effect: Effect): boolean {
  return effect.kind === 'tool' && effect.access === 'write'
}

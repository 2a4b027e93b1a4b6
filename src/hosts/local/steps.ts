/**
 * The steps of a block: admitted by the budget, recorded, performed, settled. A step that was begun but not ended when
 * the process died is performed again if it only reads, and ends as interrupted if not (K2). A step whose model is out stays
 * open.
 */
import { type Lack, type Ledger, limitError, NOTHING } from '../../kernel/budget.ts'
import type { Effect, Performed } from '../../kernel/durable.ts'
import {
  accumulate,
  accumulateRole,
  type ErrorData,
  errorData,
  isOutage,
  NO_USAGE,
  type OutageStep,
  type Reserve,
  type Result,
  ThinkonError,
  type Usage,
} from '../../protocol/index.ts'
import { type Applicant, beyond } from '../shared/admission.ts'
import { ONE_CALL, stepUsage } from '../shared/endings.ts'
import { stepEnd, stepStart } from '../shared/events.ts'
import { outageStep } from '../shared/outage.ts'
import { INTERRUPTED, type OpRecord } from '../shared/records.ts'
import { type OpBlock, Operation } from './op.ts'
import { StepIo } from './step-io.ts'

export class StepOp extends Operation implements Applicant {
  readonly kind = 'step'
  /** Why it waits: its model is out. */
  outage: OutageStep | null = null
  private readonly effect: Effect
  /** What an earlier process recorded of it. */
  private record: OpRecord | null = null
  /** It waits for its turn in the budget: itself, or one of its parts. */
  private application: Applicant | null = null
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
    const { run, ledger } = this.block
    run.deadline.watch(ledger.deadlineMs)
    this.application = this
    // A run that leaves begins it elsewhere.
    if (!run.isDraining) run.admission.step(this)
  }

  /** It was begun before the process died, and has no end yet. */
  resume(record: OpRecord): void {
    const { block, effect } = this
    if (isClosing(effect)) block.takeKept()
    this.record = record
    const { parts, held = NOTHING } = record
    // What it held was lost with the process; or it was refused, and a fork has cut between its start and its end.
    if (parts.length === 0 && held.calls < effect.reserve.calls) {
      this.begin()
      return
    }
    this.reserve = held
    block.run.deadline.watch(block.ledger.deadlineMs)
    block.run.perform(() => {
      if (isWrite(effect)) this.end(INTERRUPTED, ONE_CALL)
      else this.perform()
    })
  }

  // --- its turn in the budget

  get ledger(): Ledger {
    return this.block.ledger
  }

  needs(): Reserve {
    const { reserve } = this.effect
    return isClosing(this.effect) ? beyond(reserve, this.block.kept) : reserve
  }

  admit(): void {
    const { block, effect } = this
    const { run, ledger } = block
    if (run.isDraining) return
    this.application = null
    const closing = isClosing(effect)
    if (closing) ledger.release(block.takeKept())
    ledger.take(effect.reserve)
    this.reserve = effect.reserve
    if (effect.kind === 'model') run.admission.learn(effect.reserve, closing)
    if (this.record === null) this.start(effect.reserve)
    else block.append({ type: 'part-start', n: this.n, part: 1, reserve: effect.reserve }, true)
    if (isWrite(effect)) {
      // That it was begun must be on disk before anything changes in the world.
      void this.performFlushed()
    } else if (run.catchingUp) run.perform(() => this.perform())
    else this.perform()
  }

  refuse(lack: Lack): void {
    if (this.block.run.isDraining) return
    this.block.run.perform(() => this.stop(limitError(this.block.path, lack).toJSON()))
  }

  /** The run's time was just looked at. */
  private start(reserve: Reserve): void {
    const { path, run } = this.block
    run.appendPlaced(stepStart(this.n, this.effect, reserve, path, run.atMs), false)
    run.openSteps++
  }

  get idle(): boolean {
    return (this.outage !== null || this.application !== null) && !this.closed
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

  /** The first part is paid from what the step holds; each further one is admitted on its own (K3). */
  holdAgain(part: number, reserve: Reserve = this.effect.reserve): Promise<void> {
    if (this.closed) return Promise.resolve()
    const { block, n } = this
    const { path, ledger, run } = block
    // Of a part that failed.
    ledger.settle(this.reserve, NO_USAGE)
    this.reserve = NOTHING
    return new Promise((resolve, reject) => {
      this.application = {
        ledger,
        needs: () => reserve,
        admit: () => {
          this.application = null
          ledger.take(reserve)
          this.reserve = reserve
          block.append({ type: 'part-start', n, part, reserve }, true)
          resolve()
        },
        refuse: (lack) => {
          this.application = null
          reject(limitError(path, lack))
        },
      }
      run.admission.step(this.application)
    })
  }

  /** A part is paid, whatever becomes of the step. Resolves when it is recorded. */
  payPart(part: number, value: unknown, usage: Usage): Promise<void> {
    if (this.closed) return Promise.resolve()
    const { block } = this
    this.paidParts++
    this.spend(usage)
    this.reserve = NOTHING
    block.append({ type: 'part-end', n: this.n, part, value, usage })
    block.run.admission.next()
    return new Promise((committed) => block.run.afterCommit({ committed }))
  }

  // --- performing and ending

  private async performFlushed(): Promise<void> {
    const { run } = this.block
    await run.flushed()
    run.perform(() => this.perform())
  }

  private perform(): void {
    if (this.closed) return
    const parts = this.record?.parts ?? NO_PARTS
    this.paidParts = parts.length
    void this.performed(new StepIo(this, parts))
  }

  /** Never rejects: an error of the effect ends the step, an error of the recording ends the run in this process. */
  private async performed(io: StepIo): Promise<void> {
    const { run } = this.block
    const ended = await run.kernel.perform(this.effect, io).then(
      (performed) => () => this.done(performed),
      (thrown: unknown) => () => this.failed(thrown),
    )
    try {
      ended()
    } catch (error) {
      run.fail(error)
    }
  }

  private done(performed: Performed): void {
    const { value, usageProblem } = performed
    this.end({ ok: true, value }, stepUsage(performed, this.paidParts), usageProblem)
  }

  private failed(thrown: unknown): void {
    const isModel = this.effect.kind === 'model'
    if (isModel && isOutage(thrown)) this.waitForModel(thrown)
    else
      this.end({ ok: false, error: errorData(thrown, isModel ? 'MODEL_ERROR' : 'TOOL_ERROR') }, this.unpaid)
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

  /** The first end wins; what comes later is dropped. */
  private end(result: Result, usage: Usage, usageProblem?: string): void {
    const { block, effect, n } = this
    const { run, ledger } = block
    if (this.closed || run.over) return
    if (this.application !== null) this.leaveQueue(this.application)
    this.closed = true
    this.spend(usage)
    const left = ledger.left(run.tick())
    const { atMs } = run
    const end = stepEnd(effect.kind, n, result, usage, left, block.path, atMs)
    if (usageProblem !== undefined) end.usageProblem = usageProblem
    run.appendPlaced(end, true)
    run.openSteps--
    this.endAppended(result, atMs, left, usageProblem)
    run.afterCommit(this)
    run.admission.next()
  }

  /** It ends before its turn: its record is a start that holds nothing. */
  private leaveQueue(application: Applicant): void {
    this.application = null
    const { run } = this.block
    run.admission.withdraw(application)
    if (application !== this || this.record !== null) return
    run.tick()
    this.start(NOTHING)
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

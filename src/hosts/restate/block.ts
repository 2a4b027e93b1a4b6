/**
 * A block on Restate: the durable port over a workflow's context. The store is the truth; the engine's journal carries
 * only numbers and schedules. Restate executes the block again from the start whenever it goes on, so that the commands
 * it is given must be the same each time. What trials showed:
 *
 * 1. What a block sees comes from the store and was written there before, the first one winning. A plain store call gives
 *    the same when the block is executed again: no `ctx.run` is needed. A block that is executed again loads all its records first,
 *    and asks the store again only for what is new.
 * 2. Operations gather until the block awaits: then all of them are recorded in one transaction, and the engine is given their
 *    commands, in the order in which they were made. First the record, then the command.
 * 3. Whether the engine is given a command (call, promise, timer, cancel) depends on start records, notes and the engine's
 *    own notifications, never on whether an end is in the store by now. A step that has ended is called all the same, and so is
 *    one that waits for its turn in the budget: it waits where it is called (see turns.ts).
 * 4. One await of the engine at a time, of RestatePromise.all or .race over mapped promises; Promise.all, or two pending awaits, make
 *    the engine retry for ever. Losers stay awaitable: a new combinator over the same promises. The store may be awaited in between.
 * 5. Effects are in another service: here they would hold up races and hide a cancel until they end.
 * 6. A durable promise resolves once: signals are numbered, and a wait listens to one number after the other.
 * 7. Cancellation is explicit: every await is a race against it, so that nothing is thrown at odd places.
 * 8. A look that finds nothing costs no transaction: it is noted with what is recorded next. Until then nobody has seen what came of it.
 * 9. What goes wrong with the store is not the strategy's, which might catch it: it is abandoned, and the engine executes the block again.
 *    The same holds when another execution of the block has gone further than this one.
 */
import * as restate from '@restatedev/restate-sdk'
import {
  type BlockAnswer,
  type BlockSpec,
  type ChildEnd,
  type Durable,
  type Effect,
  type Emission,
  type Ended,
  type Kernel,
  NO_SIGNALS,
  type Op,
  type Solving,
  type Take,
  type TakeAll,
} from '../../kernel/durable.ts'
import type { SharedTransaction } from '../../kernel/store.ts'
import type {
  ErrorData,
  EventBody,
  EventOf,
  Question,
  Result,
  RunConfig,
  Signal,
} from '../../protocol/index.ts'
import { awaitsTwice, endingError, forever } from '../shared/endings.ts'
import { endedOf, type OpEnd, takenSignal } from '../shared/records.ts'
import {
  type BlockContext,
  earliest,
  endOfChild,
  giveCommand,
  isAnswered,
  listen,
  type Promised,
  type Report,
  type RestateOp,
} from './commands.ts'
import type { Desk } from './desk.ts'
import type { Execution } from './execution.ts'
import { endBlockIn, endStepIn } from './journal.ts'
import { checkOperation, type Operation } from './operations.ts'
import { endWaitIn, requestStopIn, takeIn } from './signals.ts'

const { RestatePromise } = restate

/** Made, and not given to the engine yet. */
interface Gathered {
  readonly operation: Operation
  readonly op: RestateOp | null
}

export class RestateBlock implements Durable {
  /** Settles when the block was ended from outside, or can't go on here; its strategy's coroutine is then abandoned. */
  readonly endedFromOutside: Promise<EventOf<'block-end'>>
  solving: Solving | null = null
  private readonly context: BlockContext
  private readonly execution: Execution
  private readonly kernel: Kernel
  private readonly config: RunConfig
  private readonly path: string
  private readonly open = new Set<RestateOp>()
  private gathered: Gathered[] = []
  private next = 1
  private looks = 0
  private awaits = false
  private over = false
  private reportEnd: (end: EventOf<'block-end'>) => void = () => {}
  private reportFailure: (thrown: unknown) => void = () => {}

  constructor(context: BlockContext, execution: Execution, kernel: Kernel, config: RunConfig) {
    this.context = context
    this.config = config
    this.execution = execution
    this.kernel = kernel
    this.path = execution.place.path
    this.endedFromOutside = new Promise((resolve, reject) => {
      this.reportEnd = resolve
      this.reportFailure = reject
    })
    this.endedFromOutside.catch(() => {})
  }

  // --- operations

  step<T>(effect: Effect): Op<T> {
    return this.make({ type: 'step', n: this.next++, effect }) as Op<T>
  }

  call(child: BlockSpec): Op<ChildEnd> {
    return this.make({ type: 'call', n: this.next++, child }) as Op<ChildEnd>
  }

  wait<T>(name: string, question?: Question, timeoutMs?: number): Op<T | undefined> {
    return this.make({ type: 'wait', n: this.next++, name, question, timeoutMs }) as Op<T>
  }

  emit(emission: Emission): void {
    this.gather({ type: 'emit', n: this.next++, emission }, null)
  }

  peek(): EventBody | null {
    return this.execution.at(this.next)?.start ?? null
  }

  look(): readonly Signal[] | Promise<readonly Signal[]> {
    if (this.over) return NO_SIGNALS
    const look = ++this.looks
    // Looks of another host that found nothing are not counted, but what came after them is recorded.
    if (look <= this.execution.looked || this.execution.at(this.next) !== null) return this.taken(look)
    return this.execution.finds ? this.alone(() => this.lookNow(look)) : NO_SIGNALS
  }

  // --- awaiting them

  one<T>(op: Op, take: Take<T>): Promise<T> {
    return this.all([op], ([end]) => take(end as Ended))
  }

  all(ops: readonly Op[]): Promise<readonly Ended[]>
  all<T>(ops: readonly Op[], take: TakeAll<T>): Promise<T>
  async all(ops: readonly Op[], take?: TakeAll<unknown>): Promise<unknown> {
    const list = ops as readonly RestateOp[]
    const isOver = this.gathered.every(({ op }) => op === null) && list.every(({ end }) => end !== null)
    if (!isOver || this.over) await this.alone(() => this.untilEnded(list))
    const ends = list.map((op) => endedOf(op.end as OpEnd))
    return take === undefined ? ends : take(ends)
  }

  first(ops: readonly Op[]): Promise<number> {
    const n = this.next++
    return this.alone(() => this.untilFirst(n, ops as readonly RestateOp[]))
  }

  cancel(given: Op, reason: string): Promise<void> {
    const op = given as RestateOp
    return this.alone(async () => {
      await this.record()
      if (op.end === null) await this.stop([op], endingError({ status: 'cancelled', reason }))
      await this.untilEnded([op])
    })
  }

  /** The strategy has ended: nothing may be left running below. */
  async finish(answer: BlockAnswer): Promise<EventOf<'block-end'>> {
    return this.alone(async () => {
      if (this.open.size > 0) {
        const open = [...this.open]
        await this.record()
        await this.stop(open, endingError({ status: 'cancelled', reason: 'its block has ended' }))
        await this.untilEnded(open)
      }
      return this.end(answer, {})
    })
  }

  private async untilEnded(ops: readonly RestateOp[]): Promise<void> {
    await this.record()
    for (;;) {
      const open = [...new Set(ops)].filter((op) => op.end === null)
      if (open.length === 0) return
      const all = () => RestatePromise.all(open.map((op) => op.report as Promised<Report>))
      const reports = await this.until(all)
      await this.settle(open.map((op, i) => ({ op, report: reports[i] as Report })))
    }
  }

  private async untilFirst(n: number, ops: readonly RestateOp[]): Promise<number> {
    await this.record()
    let winner = earliest(ops)
    while (winner === null) {
      const race = () =>
        RestatePromise.race(
          ops.map((op) =>
            (op.report as Promised<Report>).map((report) => ({ op, report: report as Report })),
          ),
        )
      await this.settle([await this.until(race)])
      winner = earliest(ops)
    }
    this.gather({ type: 'win', n, winner: winner.n }, null)
    await this.record()
    const won = this.execution.at(n)?.start as EventOf<'first-won'>
    const index = ops.findIndex((op) => op.n === won.winner)
    // Another one only when the engine has forgotten what the store has not.
    await this.untilEnded([ops[index] as RestateOp])
    return index
  }

  /** One at a time. When the block is ended from outside meanwhile, or can't go on, it never comes back. */
  private async alone<T>(act: () => Promise<T>): Promise<T> {
    if (this.over) return forever()
    if (this.awaits) throw awaitsTwice()
    this.awaits = true
    try {
      return await act()
    } catch (thrown) {
      this.fail(thrown)
      return forever()
    } finally {
      this.awaits = false
    }
  }

  /** The one place that awaits the engine. */
  private async until<T>(promise: () => Promised<T>): Promise<T> {
    const hit = await RestatePromise.race([
      promise().map((value) => ({ value: value as T })),
      this.context.cancellation().map(() => null),
    ])
    if (hit !== null) return hit.value
    await this.endFromOutside()
    return forever()
  }

  /** Stops everything below, at once (K7), and ends with what there is (K4). */
  private async endFromOutside(): Promise<void> {
    this.over = true
    // Made while another one was awaited, and neither recorded nor begun.
    for (const { op } of this.gathered.splice(0)) if (op !== null) this.open.delete(op)
    const ending = await this.execution.journal.ending(this.path)
    const { status, reason, redo } = ending
    const error = endingError(ending)
    await this.stop([...this.open], error)
    const children = [...this.open]
    const reports = await RestatePromise.all(children.map((op) => op.report as Promised<Report>))
    await this.settle(children.map((op, i) => ({ op, report: reports[i] as Report })))
    const halted = this.solving?.halt((op) => endOfChild(op as RestateOp))
    const answer = { status, result: halted?.result ?? '', reason, code: error.code }
    this.reportEnd(await this.end(answer, { outside: true, archived: halted?.archived, redo }))
  }

  private async end(answer: BlockAnswer, ending: object): Promise<EventOf<'block-end'>> {
    const timeline = this.solving?.timeline()
    const operations = this.gathered.splice(0).map(({ operation }) => operation)
    return this.write((tx, desk) => {
      this.execution.makeIn(tx, desk, operations, false, this.kernel)
      return endBlockIn(tx, desk, this.path, answer, { ...ending, timeline })
    })
  }

  /** Steps and waits end here and now, whatever the effect does; children end themselves, and are awaited. */
  private async stop(ops: readonly RestateOp[], error: ErrorData): Promise<void> {
    const { path, execution } = this
    const result: Result = { ok: false, error }
    const open = ops.filter(({ n }) => execution.at(n)?.end === null)
    const stopIn = (tx: SharedTransaction, desk: Desk) => {
      for (const { n, operation } of open) {
        if (operation.type === 'step') endStepIn(tx, desk, path, n, result)
        else if (operation.type === 'wait') endWaitIn(tx, desk, path, n, result)
        else requestStopIn(tx, operation.child.path, error.message)
      }
      return execution.recordsIn(tx, open)
    }
    if (open.length > 0) execution.took(await this.write(stopIn))
    for (const op of ops) {
      const end = execution.at(op.n)?.end ?? null
      if (op.operation.type !== 'call' && end !== null) this.seen(op, end)
    }
    const calls = ops.flatMap((op) => (op.call === null ? [] : [op.call]))
    if (calls.length === 0) return
    const ids = await RestatePromise.all(
      calls.map((call) => call.invocationId as Promised<restate.InvocationId>),
    )
    for (const id of ids) this.context.cancel(id)
  }

  // --- recording them: the record first, then the engine's command

  private make(operation: RestateOp['operation']): RestateOp {
    const { n } = operation
    const op: RestateOp = { n, operation, end: null, call: null, report: null, listens: 0, timer: null }
    if (!this.over) this.open.add(op)
    this.gather(operation, op)
    return op
  }

  private gather(operation: Operation, op: RestateOp | null): void {
    if (this.over) return
    const recorded = this.execution.at(operation.n)
    try {
      if (recorded !== null) checkOperation(recorded.start, this.path, operation)
      this.gathered.push({ operation, op })
    } catch (thrown) {
      this.fail(thrown)
    }
  }

  private async record(): Promise<void> {
    // What the strategy makes in the same turn belongs to it.
    await null
    if (this.over) return forever()
    const gathered = this.gathered.splice(0)
    const { execution, context } = this
    const made = gathered.map(({ operation }) => operation)
    const processing = context.isProcessing()
    if (execution.needsRecording(made, processing)) {
      const recorded = await this.write((tx, desk) =>
        execution.makeIn(tx, desk, made, processing, this.kernel),
      )
      execution.took(recorded)
    }
    for (const { op } of gathered) {
      if (op === null) continue
      const recorded = execution.at(op.n)
      if (isAnswered(op, recorded)) this.seen(op, recorded?.end as OpEnd)
      else giveCommand(context, execution.place, op, recorded, this.config)
    }
  }

  /** A transaction of this execution. With it goes what the block has looked at in vain. */
  private write<T>(action: (tx: SharedTransaction, desk: Desk) => T): Promise<T> {
    return this.execution.write(this.looks, action)
  }

  // --- what the engine reports

  private async settle(reported: readonly { op: RestateOp; report: Report }[]): Promise<void> {
    const open = reported.filter(({ op }) => op.end === null)
    const called = open.filter(({ op }) => op.operation.type !== 'wait').map(({ op }) => op)
    await this.execution.readEnds(called)
    for (const { op, report } of open) {
      if (op.operation.type === 'wait') await this.settleWait(op, report)
      else this.seen(op, this.execution.at(op.n)?.end ?? (await this.lost(op, report.failure)))
    }
  }

  private async settleWait(op: RestateOp, { timeout }: Report): Promise<void> {
    const { question } = op.operation as Operation & { type: 'wait' }
    const recorded = this.execution.at(op.n)
    const asked = recorded?.start as EventOf<'signal-asked'>
    const end = (recorded?.end ?? null) as EventOf<'signal-answered'> | null
    const answered = (tx: SharedTransaction, desk: Desk) => {
      const taken = takeIn(tx, desk, asked, op.listens)
      if (taken !== null || !timeout) return taken
      return endWaitIn(tx, desk, this.path, op.n, { ok: true, value: question?.fallback })
    }
    const isRecorded = end !== null && (timeout || end.number === op.listens)
    const taken = isRecorded ? end : end === null ? await this.write(answered) : null
    if (taken !== null) this.seen(op, taken)
    else listen(this.context, op, op.listens + 1) // another wait took that one
  }

  /** The engine gave the operation up (an operator killed it) and nothing is recorded. */
  private lost({ n, operation }: RestateOp, failure = 'it left no record'): Promise<OpEnd> {
    const message = `ended by Restate: ${failure}`
    return this.write((tx, desk) => {
      if (operation.type === 'call') {
        const answer = { status: 'failed', result: '', reason: message, code: 'INTERNAL' } as const
        return endBlockIn(tx, desk, operation.child.path, answer, {})
      }
      return endStepIn(tx, desk, this.path, n, { ok: false, error: { code: 'INTERNAL', message } })
    })
  }

  private seen(op: RestateOp, end: OpEnd): void {
    op.end = end
    this.open.delete(op)
  }

  // --- looking

  private async lookNow(look: number): Promise<readonly Signal[]> {
    await this.record()
    const { next } = this
    this.execution.took(await this.write((tx, desk) => this.execution.takeFound(tx, desk, look, next)))
    return this.taken(look)
  }

  /** The signals that the look found: they are the block's next operations. */
  private taken(look: number): readonly Signal[] {
    const signals: Signal[] = []
    for (;;) {
      const start = this.execution.at(this.next)?.start
      if (start?.type !== 'signal-taken' || start.look !== look) break
      signals.push(takenSignal(start as EventOf<'signal-taken'>))
      this.next++
    }
    return signals.length === 0 ? NO_SIGNALS : signals
  }

  private fail(thrown: unknown): void {
    this.over = true
    this.reportFailure(thrown)
  }
}

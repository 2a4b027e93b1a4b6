/**
 * A block on Restate: the durable port over a workflow's context. The store is the truth; the engine's journal carries
 * only numbers and schedules. Restate executes the block again from the start whenever it goes on, so that the commands
 * it is given must be the same each time. What trials showed:
 *
 * 1. What a block sees comes from the store and was written there before, the first one winning. A plain store call gives
 *    the same when the block is executed again: no `ctx.run` is needed, and it costs no round trip.
 * 2. Whether the engine is given a command (call, promise, timer, cancel) depends on start records, notes and the engine's
 *    own notifications, never on whether an end is in the store by now. A step that has ended is called all the same, and so is
 *    one that waits for its turn in the budget: it waits where it is called (see turns.ts).
 * 3. One await at a time, of RestatePromise.all or .race over mapped promises; Promise.all, or two pending awaits, make
 *    the engine retry for ever. Losers stay awaitable: a new combinator over the same promises.
 * 4. Effects are in another service: here they would hold up races and hide a cancel until they end.
 * 5. A durable promise resolves once: signals are numbered, and a wait listens to one number after the other.
 * 6. Cancellation is explicit: every await is a race against it, so that nothing is thrown at odd places.
 */
import * as restate from '@restatedev/restate-sdk'
import type {
  BlockSpec,
  ChildEnd,
  Durable,
  Effect,
  Emission,
  Ended,
  Kernel,
  Op,
  Solving,
} from '../../kernel/durable.ts'
import type { ErrorData, EventBody, EventOf, Question, Result, Signal } from '../../protocol/index.ts'
import { awaitsTwice, endingError, forever } from '../shared/endings.ts'
import { childEndOf, endedOf, type OpEnd } from '../shared/records.ts'
import type { SignalJournal } from './signals.ts'
import { BLOCK, type BlockApi, type BlockPlace, bellOf, EFFECTS, type EffectsApi, keyOf } from './wire.ts'

const { RestatePromise } = restate
type Promised<T> = restate.RestatePromise<T>
export type BlockContext = restate.WorkflowContext & restate.internal.ContextInternal

/** How the engine reports an operation. Values are in the store, not here. */
interface Report {
  failure?: string
  timeout?: true
}

interface RestateOp extends Op {
  readonly kind: 'step' | 'call' | 'wait'
  /** As the block may see it. */
  end: OpEnd | null
  /** Of a step or a child. */
  call: restate.InvocationPromise<unknown> | null
  report: Promised<Report> | null
  child: BlockSpec | null
  name: string
  /** Of a wait: the signal's number, and what is answered when the time is up. */
  listens: number
  timer: Promised<Report> | null
  fallback: unknown
}

export class RestateBlock implements Durable {
  /** Settles when the block was ended from outside; its strategy's coroutine is then abandoned. */
  readonly endedFromOutside: Promise<EventOf<'block-end'>>
  solving: Solving | null = null
  private readonly context: BlockContext
  private readonly journal: SignalJournal
  private readonly kernel: Kernel
  private readonly place: BlockPlace
  private readonly path: string
  private readonly open = new Set<RestateOp>()
  private next = 1
  private looks = 0
  private awaits = false
  private over = false
  private reportEnd: (end: EventOf<'block-end'>) => void = () => {}

  constructor(context: BlockContext, journal: SignalJournal, kernel: Kernel, place: BlockPlace) {
    this.context = context
    this.journal = journal
    this.kernel = kernel
    this.place = place
    this.path = place.path
    this.endedFromOutside = new Promise((resolve) => {
      this.reportEnd = resolve
    })
  }

  // --- operations: the record first, then the engine's command

  step<T>(effect: Effect): Op<T> {
    const op = this.make('step')
    if (this.over) return op as Op<T>
    const { run } = this.journal
    this.journal.beginStep(this.path, op.n, effect)
    const effects = this.context.serviceClient<EffectsApi>({ name: EFFECTS })
    op.call = effects.perform({ run, path: this.path, n: op.n })
    op.report = whenCalled(op.call)
    return op as Op<T>
  }

  call(child: BlockSpec): Op<ChildEnd> {
    const op = this.make('call')
    if (this.over) return op as Op<ChildEnd>
    this.journal.call(this.path, op.n, child, this.kernel)
    op.child = child
    const key = keyOf({ ...this.place, path: child.path })
    op.call = this.context.workflowClient<BlockApi>({ name: BLOCK }, key).run()
    op.report = whenCalled(op.call)
    return op as Op<ChildEnd>
  }

  wait<T>(name: string, question?: Question, timeoutMs?: number): Op<T | undefined> {
    const op = this.make('wait')
    if (this.over) return op as Op<T>
    op.name = name
    op.fallback = question?.fallback
    let listens = this.journal.ask(this.path, op.n, name, question, timeoutMs)
    const forgotten = listens !== null && this.context.isProcessing()
    if (forgotten && this.journal.answeredBefore(this.path, op.n)) listens = null
    if (listens === null) this.seen(op, this.recordedEnd(op) as OpEnd)
    else {
      if (timeoutMs !== undefined) op.timer = this.context.sleep(timeoutMs).map(() => ({ timeout: true }))
      this.listen(op, listens)
    }
    return op as Op<T>
  }

  emit(emission: Emission): void {
    const n = this.next++
    if (!this.over) this.journal.emit(this.path, n, emission)
  }

  peek(): EventBody | null {
    return this.journal.made(this.path, this.next)
  }

  look(): readonly Signal[] {
    if (this.over) return []
    const signals = this.journal.look(this.path, ++this.looks, this.next)
    this.next += signals.length
    return signals
  }

  // --- awaiting them

  async all(ops: readonly Op[]): Promise<readonly Ended[]> {
    const list = ops as readonly RestateOp[]
    for (;;) {
      const open = [...new Set(list)].filter((op) => op.end === null)
      if (open.length === 0 && !this.over) return list.map((op) => endedOf(op.end as OpEnd))
      const reports = await this.until(() =>
        RestatePromise.all(open.map((op) => op.report as Promised<Report>)),
      )
      for (const [i, op] of open.entries()) this.settle(op, reports[i] as Report)
    }
  }

  async first(ops: readonly Op[]): Promise<number> {
    const n = this.next++
    const list = ops as readonly RestateOp[]
    let winner = earliest(list)
    while (winner === null) {
      const race = () =>
        RestatePromise.race(
          list.map((op) =>
            (op.report as Promised<Report>).map((report) => ({ op, report: report as Report })),
          ),
        )
      const { op, report } = await this.until(race)
      this.settle(op, report)
      winner = earliest(list)
    }
    const won = this.journal.won(this.path, n, winner.n)
    const index = list.findIndex((op) => op.n === won.winner)
    // Another one only when the engine has forgotten what the store has not.
    await this.all([list[index] as Op])
    return index
  }

  async cancel(op: Op, reason: string): Promise<void> {
    if ((op as RestateOp).end === null && !this.over) {
      await this.stop([op as RestateOp], endingError({ status: 'cancelled', reason }))
    }
    await this.all([op])
  }

  /** The strategy has ended: nothing may be left running below. */
  async close(): Promise<void> {
    const open = [...this.open]
    if (open.length === 0) return
    await this.stop(open, endingError({ status: 'cancelled', reason: 'its block has ended' }))
    await this.all(open)
  }

  /** The one place that awaits. When the block is ended from outside meanwhile it never comes back. */
  private async until<T>(promise: () => Promised<T>): Promise<T> {
    if (this.over) return forever()
    if (this.awaits) throw awaitsTwice()
    this.awaits = true
    const hit = await RestatePromise.race([
      promise().map((value) => ({ value: value as T })),
      this.context.cancellation().map(() => null),
    ])
    this.awaits = false
    if (hit !== null) return hit.value
    await this.endFromOutside()
    return forever()
  }

  /** Stops everything below, at once (K7), and ends with what there is (K4). */
  private async endFromOutside(): Promise<void> {
    this.over = true
    const ending = this.journal.ending(this.path)
    const { status, reason, redo } = ending
    const error = endingError(ending)
    await this.stop([...this.open], error)
    const children = [...this.open]
    const reports = await RestatePromise.all(children.map((op) => op.report as Promised<Report>))
    for (const [i, op] of children.entries()) this.settle(op, reports[i] as Report)
    const halted = this.solving?.halt((op) => endOfChild(op as RestateOp))
    this.reportEnd(
      this.journal.endBlock(
        this.path,
        { status, result: halted?.result ?? '', reason, code: error.code },
        { outside: true, archived: halted?.archived, redo, timeline: this.solving?.timeline() },
      ),
    )
  }

  /** Steps and waits end here and now, whatever the effect does; children end themselves, and are awaited. */
  private async stop(ops: readonly RestateOp[], error: ErrorData): Promise<void> {
    const { journal, path } = this
    const result: Result = { ok: false, error }
    for (const op of ops) {
      if (op.kind === 'step') this.seen(op, journal.endStep(path, op.n, result))
      else if (op.kind === 'wait') this.seen(op, journal.endWait(path, op.n, result))
      else journal.requestStop((op.child as BlockSpec).path, error.message)
    }
    const calls = ops.flatMap((op) => (op.call === null ? [] : [op.call]))
    if (calls.length === 0) return
    const ids = await RestatePromise.all(
      calls.map((call) => call.invocationId as Promised<restate.InvocationId>),
    )
    for (const id of ids) this.context.cancel(id)
  }

  // --- what the engine reports

  private settle(op: RestateOp, report: Report): void {
    if (op.end !== null) return
    if (op.kind === 'wait') {
      const taken = this.journal.take(this.path, op.n, op.name, op.listens)
      if (taken !== null) this.seen(op, taken)
      else if (report.timeout) {
        this.seen(op, this.journal.endWait(this.path, op.n, { ok: true, value: op.fallback }))
      } else this.listen(op, op.listens + 1) // another wait took that one
      return
    }
    this.seen(op, this.recordedEnd(op) ?? this.lost(op, report.failure ?? 'it left no record'))
  }

  /** The engine gave the operation up (an operator killed it) and nothing is recorded. */
  private lost(op: RestateOp, failure: string): OpEnd {
    const message = `ended by Restate: ${failure}`
    if (op.child !== null) {
      const answer = { status: 'failed', result: '', reason: message, code: 'INTERNAL' } as const
      return this.journal.endBlock(op.child.path, answer)
    }
    return this.journal.endStep(this.path, op.n, { ok: false, error: { code: 'INTERNAL', message } })
  }

  private recordedEnd(op: RestateOp): OpEnd | null {
    return this.journal.find(this.path, op.n, 'end') as OpEnd | null
  }

  private seen(op: RestateOp, end: OpEnd): void {
    op.end = end
    this.open.delete(op)
  }

  private listen(op: RestateOp, number: number): void {
    op.listens = number
    const rung = this.context.promise(bellOf(op.name, number)).get()
    const report: Promised<Report> = rung.map(() => ({}))
    op.report = op.timer === null ? report : RestatePromise.race([report, op.timer])
  }

  private make(kind: RestateOp['kind']): RestateOp {
    const op: RestateOp = {
      n: this.next++,
      kind,
      end: null,
      call: null,
      report: null,
      child: null,
      name: '',
      listens: 0,
      timer: null,
      fallback: undefined,
    }
    if (!this.over) this.open.add(op)
    return op
  }
}

/** Never a rejection: how it failed is in the store, or reported as a value. */
function whenCalled(call: restate.InvocationPromise<unknown>): Promised<Report> {
  return call.map((_value, failure) => (failure === undefined ? {} : { failure: failure.message }))
}

function endOfChild({ end }: RestateOp): ChildEnd | null {
  return end?.type === 'block-end' ? childEndOf(end) : null
}

function earliest(ops: readonly RestateOp[]): RestateOp | null {
  let found: RestateOp | null = null
  for (const op of ops) {
    if (op.end !== null && (found?.end == null || op.end.seq < found.end.seq)) found = op
  }
  return found
}

/**
 * A block in this process: the durable port over the run's journal. See kernel/durable.ts for what it promises.
 *
 * An operation whose number has a record is answered from it, or resumed; any other is begun.
 */
import { type Ledger, limitError } from '../../kernel/budget.ts'
import {
  type BlockAnswer,
  type BlockSpec,
  type ChildEnd,
  type Durable,
  type Effect,
  type Emission,
  type Ended,
  NO_SIGNALS,
  type Op,
  type Solved,
  type Solving,
  type Take,
  type TakeAll,
} from '../../kernel/durable.ts'
import type { Draft } from '../../kernel/store.ts'
import {
  type Event,
  type EventBody,
  NO_USAGE,
  type OutageStep,
  type Question,
  type Reserve,
  type Signal,
  type Usage,
} from '../../protocol/index.ts'
import { type Ending, endingError, endingOf, forever, latestRedo } from '../shared/endings.ts'
import {
  type BlockEnding,
  blockEnd,
  outcomeOf,
  signalAsked,
  signalTaken,
  stepStart,
  withSaid,
} from '../shared/events.ts'
import { checkSameOperation, childEndOf } from '../shared/records.ts'
import { Beginning, type BeginningBlock, type Begun, ledgerOf } from './beginning.ts'
import { type BlockEnded, type CallableBlock, CallOp } from './calls.ts'
import { Looks } from './looks.ts'
import type { OpBlock, Operation } from './op.ts'
import type { Recorded } from './recorded.ts'
import { Repetition } from './repetition.ts'
import type { LocalRun } from './run.ts'
import type { RunningBlock } from './running-block.ts'
import { isClosing, StepOp } from './steps.ts'
import { Underway } from './underway.ts'
import { WaitOp } from './waits.ts'

export class LocalBlock implements Durable, Solved, OpBlock, RunningBlock, CallableBlock, BeginningBlock {
  readonly path: string
  readonly level: number
  readonly run: LocalRun
  readonly ledger: Ledger
  private readonly ops = new Underway()
  /** Spent in this block and below it. */
  readonly usage: Usage
  readonly spec: BlockSpec
  /** The number of the call in the parent. */
  private readonly n: number
  private readonly recorded: Recorded | null
  private readonly records: Repetition
  private readonly beginning: Beginning
  private next = 1
  private solving: Solving | null = null
  private onEnd: BlockEnded | null = null
  private readonly looks: Looks
  private ended = false

  constructor(
    run: LocalRun,
    spec: BlockSpec,
    n: number,
    level: number,
    ledger: Ledger,
    recorded: Recorded | null,
  ) {
    this.run = run
    this.spec = spec
    this.path = spec.path
    this.level = level
    this.n = n
    this.ledger = ledger
    this.looks = new Looks(run, spec.path)
    this.recorded = recorded
    const open = recorded?.get(spec.path)
    this.records = new Repetition(run, spec.path, open?.records ?? null)
    this.usage = open === undefined ? { ...NO_USAGE } : open.usage
    this.beginning = new Beginning(this, n, open)
  }

  /** Starts solving, in its turn; `onEnd` is called when the end is appended, before it is committed. */
  begin(onEnd: BlockEnded): void {
    this.onEnd = onEnd
    if (!this.run.isReplay) this.run.blocks.add(this)
    this.beginning.begin()
  }

  solve({ startedAtMs, left, maxLevel }: Begun): void {
    if (this.interrupt()) return
    const { run, kept } = this
    const { id, seed, config } = run.spec
    const frame = { run: id, startedAtMs, left, kept, maxLevel, seed, config }
    this.solving = run.kernel.solve(withSaid(this.spec, run.said), this, frame, this)
  }

  answered(answer: BlockAnswer): void {
    this.end(answer)
  }

  failed(thrown: unknown): void {
    this.run.fail(thrown)
  }

  /** Whatever a block tries after it has ended is ignored: its coroutine is abandoned. */
  get over(): boolean {
    return this.ended || this.run.over
  }

  // --- the durable port

  step<T>(effect: Effect): Op<T> {
    if (this.over) return new StepOp(this, 0, effect)
    const n = this.next++
    const record = this.records.repeat(n, (was) =>
      stepStart(n, effect, 'reserve' in was ? was.reserve : effect.reserve),
    )
    const op = new StepOp(this, n, effect)
    if (record?.end && isClosing(effect)) this.takeKept()
    if (this.records.restores(op, record)) return op
    this.ops.add(op)
    if (record === null) op.begin()
    else op.resume(record)
    return op
  }

  call(child: BlockSpec): Op<ChildEnd> {
    if (this.over) return new CallOp(this, 0)
    const n = this.next++
    const { run } = this
    this.looks.called(child.path)
    const record = this.records.get(n)
    // In a replay the child's start is compared, by the store.
    if (record !== null && !run.isReplay)
      checkSameOperation(record.start, this.path, n, 'block-start', child.path)
    const op = new CallOp(this, n)
    const isRestored = this.records.restores(op, record)
    if (isRestored && !run.isReplay) return op
    const ledger = ledgerOf(child, this, this.recorded?.get(child.path))
    const block = new LocalBlock(run, child, n, this.level + 1, ledger, this.recorded)
    if (run.isReplay) block.begin(() => {})
    else {
      this.ops.add(op)
      op.begin(block)
    }
    return op
  }

  wait<T>(name: string, question?: Question, timeoutMs?: number): Op<T | undefined> {
    if (this.over) return new WaitOp(this, 0, name, question)
    const n = this.next++
    const record = this.records.repeat(n, () => signalAsked(n, name, question, timeoutMs))
    const op = new WaitOp(this, n, name, question)
    if (this.records.restores(op, record)) return op
    this.ops.add(op)
    op.begin(timeoutMs, record)
    return op
  }

  emit(emission: Emission): void {
    if (this.over) return
    const n = this.next++
    if (this.records.repeat(n, () => ({ ...emission, n }) as EventBody) !== null) return
    const { run, path } = this
    run.tick()
    run.appendPlaced({ ...emission, n, path, atMs: run.atMs } as Draft, false)
  }

  peek(): Event | null {
    return this.records.get(this.next)?.start ?? null
  }

  look(): readonly Signal[] {
    if (this.over) return NO_SIGNALS
    this.looks.count++
    const taken: Signal[] = []
    for (let signal = this.takeSignal(); signal !== null; signal = this.takeSignal()) taken.push(signal)
    return taken.length === 0 ? NO_SIGNALS : taken
  }

  all(ops: readonly Op[]): Promise<readonly Ended[]>
  all<T>(ops: readonly Op[], take: TakeAll<T>): Promise<T>
  all(ops: readonly Op[], take: TakeAll<unknown> = asTheyAre): Promise<unknown> {
    if (this.over) return forever()
    const taken = this.ops.awaiting.all(ops as readonly Operation[], take)
    this.run.atRest()
    return taken
  }

  one<T>(op: Op, take: Take<T>): Promise<T> {
    if (this.over) return forever()
    const taken = this.ops.awaiting.one(op as Operation, take)
    this.run.atRest()
    return taken
  }

  async first(ops: readonly Op[]): Promise<number> {
    if (this.over) return forever()
    const n = this.next++
    const first = this.ops.awaiting.first(ops as readonly Operation[])
    this.run.atRest()
    const winner = await first
    if (this.over) return forever()
    // Looked up only now: a replay has read it soon after the winner's end.
    const record = this.records.repeat(n, (was) => ({
      type: 'first-won',
      n,
      winner: was.type === 'first-won' ? was.winner : winner.n,
    }))
    if (record !== null) {
      const { start } = record
      const index = ops.findIndex((op) => start.type === 'first-won' && op.n === start.winner)
      return index === -1 ? forever() : index
    }
    // How it would have gone on is not known.
    if (this.run.isReplay) return forever()
    this.append({ type: 'first-won', n, winner: winner.n })
    await new Promise<void>((committed) => this.run.afterCommit({ committed }))
    return ops.indexOf(winner)
  }

  async cancel(op: Op, reason: string): Promise<void> {
    if (this.over) return forever()
    const local = op as Operation
    if (local.ended !== null) return
    // When all blocks have caught up with their records: before, what is under way below is not known.
    const error = endingError({ status: 'cancelled', reason })
    this.run.perform(() => this.run.together(() => local.stop(error)))
    await this.one(op, () => {})
  }

  // --- signals

  private takeSignal(): Signal | null {
    const { looks, next: n } = this
    const record = this.records.signalAt(n)
    const signal = record === null ? looks.take() : looks.recorded(record.start)
    if (signal === null) return null
    this.next++
    const made = { ...signalTaken(signal), n, look: looks.count }
    if (this.records.repeat(n, () => made) === null) this.append(made)
    return signal
  }

  // --- ends

  opEnded(op: Operation, end: Ended): void {
    this.ops.ended(op, end)
  }

  /** Ends the block as its strategy says, or from outside. The first end wins. */
  end(answer: BlockAnswer, outside?: BlockEnding): void {
    if (this.ended || this.run.over) return
    this.ended = true
    this.run.blocks.delete(this)
    this.ledger.release(this.takeKept())
    const outcome = outcomeOf(answer, this.usage)
    const left = this.ledger.left(this.run.tick())
    const timeline = this.solving?.timeline()
    const { atMs } = this.run
    const body = blockEnd(this.n, outcome, left, { ...outside, timeline }, this.path, atMs)
    this.run.appendPlaced(body, false)
    this.onEnd?.(childEndOf(body), atMs, left)
    this.run.admission.next()
  }

  /** Takes a cancel, skip or redo that is in the inbox for this block. True when it ended the block. */
  interrupt(): boolean {
    if (this.ended || this.run.catchingUp) return false
    const taken = this.run.inbox.takeEnding(this.path)
    if (taken.length === 0) return false
    this.run.together(() => {
      for (const signal of taken) this.append(signalTaken(signal))
      this.endFromOutside(endingOf(latestRedo(taken)))
    })
    return true
  }

  endedByParent(reason: string): void {
    this.endFromOutside({ status: 'cancelled', reason })
  }

  /** Stops everything below, at once (K7), and ends with what there is (K4). */
  private endFromOutside(ending: Ending): void {
    if (this.ended) return
    this.beginning.withdraw()
    const { status, reason, redo } = ending
    const error = endingError(ending)
    this.ops.awaiting.abandon()
    this.ops.stop(error)
    const halted = this.solving?.halt((op) => (op as CallOp).childEnd)
    this.end(
      { status, result: halted?.result ?? '', reason, code: error.code },
      { outside: true, archived: halted?.archived, redo },
    )
  }

  get kept(): Reserve {
    return this.beginning.kept
  }

  takeKept(): Reserve {
    return this.beginning.takeKept()
  }

  checkDeadline(activeMs: number): void {
    if (activeMs < this.ledger.deadlineMs) {
      if (!this.ops.isEmpty) this.run.deadline.watch(this.ledger.deadlineMs)
      return
    }
    const error = limitError(this.path, { limit: 'timeMs' }).toJSON()
    for (const step of this.ops.steps()) step.stop(error)
  }

  get idle(): boolean {
    return this.ops.awaiting.pending ? this.ops.idle : this.beginning.isWaiting
  }

  outages(): OutageStep[] {
    return this.ops.outages()
  }

  abandon(error: unknown): void {
    this.ops.abandon(error)
  }

  append(body: EventBody, ticked = false): number {
    return this.run.append(this.path, body, ticked)
  }
}

const asTheyAre: TakeAll<readonly Ended[]> = (ends) => ends

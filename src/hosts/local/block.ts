/**
 * A block in this process: the durable port over the run's journal. See kernel/durable.ts for what it promises.
 *
 * An operation whose number has a record is answered from it, or resumed; any other is begun.
 */
import { Ledger, limitError } from '../../kernel/budget.ts'
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
import { LinkedList } from '../../kernel/linked-list.ts'
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
import { checkSameOperation, childEndOf, type OpRecord } from '../shared/records.ts'
import { Awaiting } from './awaiting.ts'
import { Beginning, type BeginningBlock, type Begun } from './beginning.ts'
import { type BlockEnded, type CallableBlock, CallOp } from './calls.ts'
import { Looks } from './looks.ts'
import type { OpBlock, Operation } from './op.ts'
import type { BlockRecords, Recorded } from './recorded.ts'
import type { LocalRun, RunningBlock } from './run.ts'
import { isClosing, StepOp } from './steps.ts'
import { WaitOp } from './waits.ts'

export class LocalBlock implements Durable, Solved, OpBlock, RunningBlock, CallableBlock, BeginningBlock {
  readonly path: string
  readonly level: number
  readonly run: LocalRun
  readonly ledger: Ledger
  /** Under way. */
  private readonly ops = new LinkedList<Operation>()
  /** Spent in this block and below it. */
  readonly usage: Usage
  readonly spec: BlockSpec
  /** The number of the call in the parent. */
  private readonly n: number
  private readonly recorded: Recorded | null
  private readonly records: BlockRecords | null
  private readonly awaiting = new Awaiting()
  private readonly beginning: Beginning
  private next = 1
  private solving: Solving | null = null
  private onEnd: BlockEnded | null = null
  private endOrder = 1
  private readonly looks: Looks
  private ended = false
  before: RunningBlock | null = null
  after: RunningBlock | null = null

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
    this.records = open?.records ?? null
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
    const record = this.recordAt(n, (was) =>
      stepStart(n, effect, 'reserve' in was ? was.reserve : effect.reserve),
    )
    const op = new StepOp(this, n, effect)
    if (record?.end && isClosing(effect)) this.takeKept()
    if (this.isRestored(op, record)) return op
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
    const record = this.records?.get(n) ?? null
    // In a replay the child's start is compared, by the store.
    if (record !== null && !run.isReplay)
      checkSameOperation(record.start, this.path, n, 'block-start', child.path)
    const op = new CallOp(this, n)
    const isRestored = this.isRestored(op, record)
    if (isRestored && !run.isReplay) return op
    const block = new LocalBlock(run, child, n, this.level + 1, this.ledgerOf(child), this.recorded)
    if (run.isReplay) block.begin(() => {})
    else {
      this.ops.add(op)
      op.begin(block)
    }
    return op
  }

  private ledgerOf({ path, limits }: BlockSpec): Ledger {
    if (limits === undefined) return this.ledger
    const { run, level, recorded } = this
    const open = recorded?.get(path)
    // In a replay nothing is spent: refusals are in the records.
    const own = run.isReplay ? { depth: limits.depth ?? Number.POSITIVE_INFINITY } : limits
    return new Ledger(this.ledger, own, level + 1, open?.startedMs ?? run.tick(), open?.used)
  }

  wait<T>(name: string, question?: Question, timeoutMs?: number): Op<T | undefined> {
    if (this.over) return new WaitOp(this, 0, name, question)
    const n = this.next++
    const record = this.recordAt(n, () => signalAsked(n, name, question, timeoutMs))
    const op = new WaitOp(this, n, name, question)
    if (this.isRestored(op, record)) return op
    this.ops.add(op)
    op.begin(timeoutMs, record)
    return op
  }

  emit(emission: Emission): void {
    if (this.over) return
    const n = this.next++
    if (this.recordAt(n, () => ({ ...emission, n }) as EventBody) !== null) return
    const { run, path } = this
    run.tick()
    run.appendPlaced({ ...emission, n, path, atMs: run.atMs } as Draft, false)
  }

  peek(): Event | null {
    return this.records?.get(this.next)?.start ?? null
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
    const taken = this.awaiting.all(ops as readonly Operation[], take)
    this.run.atRest()
    return taken
  }

  one<T>(op: Op, take: Take<T>): Promise<T> {
    if (this.over) return forever()
    const taken = this.awaiting.one(op as Operation, take)
    this.run.atRest()
    return taken
  }

  async first(ops: readonly Op[]): Promise<number> {
    if (this.over) return forever()
    const n = this.next++
    const first = this.awaiting.first(ops as readonly Operation[])
    this.run.atRest()
    const winner = await first
    if (this.over) return forever()
    // Looked up only now: a replay has read it soon after the winner's end.
    const record = this.recordAt(n, (was) => ({
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
    const { looks, records, next: n } = this
    const record = records?.mayBeSignal?.(n) === false ? undefined : records?.get(n)
    const signal = record === undefined ? looks.take() : looks.recorded(record.start)
    if (signal === null) return null
    this.next++
    const made = { ...signalTaken(signal), n, look: looks.count }
    if (record === undefined) this.append(made)
    else this.run.repeated(this.path, record.start, made)
    return signal
  }

  // --- ends

  opEnded(op: Operation, end: Ended): void {
    op.ended = end
    op.endOrder = this.endOrder++
    this.ops.remove(op)
    this.awaiting.ended(op)
  }

  /** Ends the block as its strategy says, or from outside. The first end wins. */
  end(answer: BlockAnswer, outside?: BlockEnding): void {
    if (this.ended || this.run.over) return
    this.ended = true
    this.run.blocks.remove(this)
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
    this.awaiting.abandon()
    for (const op of [...this.ops]) op.stop(error)
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
    for (const op of [...this.ops]) if (op.kind === 'step') op.stop(error)
  }

  get idle(): boolean {
    if (!this.awaiting.pending) return this.beginning.isWaiting
    for (const op of this.ops) if (!op.idle) return false
    return true
  }

  outages(): OutageStep[] {
    return [...this.ops].flatMap((op) => (op instanceof StepOp && op.outage) || [])
  }

  abandon(error: unknown): void {
    for (const op of this.ops) op.abandon(error)
  }

  // --- records

  append(body: EventBody, ticked = false): number {
    return this.run.append(this.path, body, ticked)
  }

  /** The record of operation `n`, which is made again; null if there is none yet. `made` returns its start as it is now. */
  private recordAt(n: number, made: (was: Event) => EventBody): OpRecord | null {
    const record = this.records?.get(n)
    if (record === undefined) return null
    this.run.repeated(this.path, record.start, made(record.start))
    return record
  }

  /** Whether the operation's end is given by its record: now, or when a replay has read it. */
  private isRestored(op: Operation, record: OpRecord | null): boolean {
    if (record === null) return false
    if (record.end !== null) op.restore(record.end)
    else if (this.run.isReplay) record.waiting = op
    return op.ended !== null || this.run.isReplay
  }
}

const asTheyAre: TakeAll<readonly Ended[]> = (ends) => ends

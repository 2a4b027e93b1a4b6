/**
 * A block in this process: the durable port over the run's journal. See kernel/durable.ts for what it promises.
 *
 * An operation whose number has a record is answered from it, or gone on with; any other is begun.
 */
import { closingReserve, Ledger, limitError, NOTHING } from '../../kernel/budget.ts'
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
  type Solving,
} from '../../kernel/durable.ts'
import {
  accumulate,
  attemptOf,
  type ErrorData,
  type Event,
  type EventBody,
  type EventOf,
  type EventType,
  errorData,
  type LimitName,
  levelOf,
  NO_USAGE,
  type Outcome,
  parentPath,
  placeOf,
  type Question,
  type Reserve,
  type Signal,
  type Status,
  ThinkonError,
  type Usage,
} from '../../protocol/index.ts'
import { Awaiting, forever } from './awaiting.ts'
import type { OpenBlock, Record as OpRecord, Records } from './load.ts'
import { LocalOp } from './op.ts'
import { nameOfBody, outcomeOf, recordAt, startOf, takenOf, versionMismatch } from './records.ts'
import type { BlockEnded, LocalRun } from './run.ts'
import { beginStep, endStep, resumeStep, unpaid } from './steps.ts'
import { beginWait, endWait } from './waits.ts'

export class LocalBlock implements Durable {
  readonly path: string
  readonly run: LocalRun
  readonly ledger: Ledger
  /** Under way. */
  readonly ops = new Set<LocalOp>()
  /** Spent in this block and below it. */
  readonly usage: Usage
  private readonly spec: BlockSpec
  /** The number of the call in the parent. */
  private readonly n: number
  private readonly openBlocks: Map<string, OpenBlock> | null
  private readonly records: Records | null
  private readonly awaiting = new Awaiting()
  private kept: Reserve = NOTHING
  private next = 1
  private solving: Solving | null = null
  private onEnd: BlockEnded | null = null
  private endOrder = 1
  private children = 0
  private looks = 0
  private ended = false

  constructor(
    run: LocalRun,
    spec: BlockSpec,
    n: number,
    ledger: Ledger,
    openBlocks: Map<string, OpenBlock> | null,
  ) {
    this.run = run
    this.spec = spec
    this.path = spec.path
    this.n = n
    this.ledger = ledger
    this.openBlocks = openBlocks
    const open = openBlocks?.get(spec.path)
    this.records = open?.records ?? null
    this.usage = open === undefined ? { ...NO_USAGE } : open.usage
  }

  /** Starts solving; `onEnd` is called when the end is appended, before it is committed. */
  begin(onEnd: BlockEnded): void {
    this.onEnd = onEnd
    const { run, spec } = this
    const recorded = this.openBlocks?.get(spec.path)?.start
    const identity = this.identify(recorded)
    if (identity === null) return
    const activeMs = run.tick()
    let startedAtMs: number
    let left: Ended['left']
    // Also of a block that has a record: a fork can cut between a refusal's start and its end.
    let limit: LimitName | null = levelOf(spec.path) > this.ledger.maxLevel ? 'depth' : null
    if (recorded !== undefined) {
      this.kept = recorded.kept
      startedAtMs = Date.parse(recorded.ts)
      left = recorded.left
    } else {
      left = this.ledger.left(activeMs)
      this.kept = closingReserve(left)
      limit = this.ledger.hold(this.kept, activeMs) ?? limit
      startedAtMs = this.append(startOf(spec, this.n, identity, this.kept, left), true)
      if (limit !== null && limit !== 'depth') this.kept = NOTHING
    }
    if (limit !== null) {
      const { code, message } = limitError(spec.path, limit)
      this.end({ status: 'partial', result: '', reason: message, code, limit })
      return
    }
    run.blocks.set(spec.path, this)
    if (this.interrupt()) return
    const frame = {
      startedAtMs,
      left,
      maxLevel: this.ledger.maxLevel,
      seed: run.spec.seed,
      config: run.spec.config,
    }
    this.solving = run.kernel.solve(spec, this, frame)
    this.solving.outcome.then(
      (answer) => this.end(answer),
      (error) => run.fail(error),
    )
  }

  /** The strategy's identity, or null when the block can't be begun. */
  private identify(recorded: EventOf<'block-start'> | undefined): string | null {
    let identity: string
    try {
      identity = this.run.kernel.identify(this.spec.strategy)
    } catch (thrown) {
      const { code, message } = errorData(thrown, 'NO_SUCH_STRATEGY')
      const left = this.ledger.left(this.run.tick())
      this.append(startOf(this.spec, this.n, `${this.spec.strategy}@0`, NOTHING, left))
      this.end({ status: 'failed', result: '', reason: message, code })
      return null
    }
    if (recorded === undefined || recorded.strategy === identity) return identity
    this.run.fail(versionMismatch(recorded, identity))
    return null
  }

  /** What a block still tries when it has ended comes to nothing: its coroutine was left behind. */
  private get over(): boolean {
    return this.ended || this.run.over
  }

  // --- the durable port

  step<T>(effect: Effect): Op<T> {
    if (this.over) return new LocalOp(this, 0, effect.kind) as Op<T>
    const n = this.next++
    const type = effect.kind === 'model' ? 'model-start' : 'tool-start'
    const record = this.recordAt(n, type, effect.kind === 'model' ? effect.request.kind : effect.name)
    const op = new LocalOp(this, n, effect.kind)
    op.role = effect.kind === 'model' ? effect.request.role : 'tool'
    if (record !== null) resumeStep(this, op, effect, record)
    else beginStep(this, op, effect)
    return op as Op<T>
  }

  call(child: BlockSpec): Op<ChildEnd> {
    if (this.over) return new LocalOp(this, 0, 'call') as Op<ChildEnd>
    const n = this.next++
    if (attemptOf(child.path) === 1) this.children++
    const record = this.recordAt(n, 'block-start', child.path)
    const op = new LocalOp(this, n, 'call')
    if (record?.end) {
      op.restore(record.end as EventOf<'block-end'>)
      return op as Op<ChildEnd>
    }
    const { run, ledger } = this
    const open = this.openBlocks?.get(child.path)
    const own =
      child.limits === undefined
        ? ledger
        : new Ledger(ledger, child.limits, levelOf(child.path), open?.startedMs ?? run.tick(), open?.used)
    op.child = new LocalBlock(run, child, n, own, this.openBlocks)
    this.ops.add(op)
    op.child.begin((end, atMs, left) => {
      op.childEnd = end
      accumulate(this.usage, end.outcome.usage)
      run.afterCommit(() => this.opEnded(op, { result: { ok: true, value: end }, atMs, left }))
    })
    return op as Op<ChildEnd>
  }

  wait<T>(name: string, question?: Question, timeoutMs?: number): Op<T | undefined> {
    if (this.over) return new LocalOp(this, 0, 'wait') as Op<T>
    const n = this.next++
    const record = this.recordAt(n, 'signal-asked', name)
    const op = new LocalOp(this, n, 'wait')
    op.name = name
    beginWait(this, op, record, question, timeoutMs)
    return op as Op<T>
  }

  emit(emission: Emission): void {
    if (this.over) return
    const n = this.next++
    if (this.recordAt(n, emission.type, nameOfBody(emission as EventBody)) !== null) return
    this.append({ ...emission, n } as EventBody)
  }

  peek(): Event | null {
    return this.records?.get(this.next)?.start ?? null
  }

  look(): readonly Signal[] {
    if (this.over) return NO_SIGNALS
    this.looks++
    let taken: Signal[] | null = null
    for (;;) {
      const signal = this.lookOnce()
      if (signal === null) return taken ?? NO_SIGNALS
      taken ??= []
      taken.push(signal)
    }
  }

  all(ops: readonly Op[]): Promise<readonly Ended[]> {
    return this.over ? forever() : this.awaiting.all(ops as readonly LocalOp[])
  }

  async first(ops: readonly Op[]): Promise<number> {
    if (this.over) return forever()
    const n = this.next++
    const record = this.recordAt(n, 'first-won', '')
    if (record !== null) {
      const { winner } = record.start as EventOf<'first-won'>
      return ops.findIndex((op) => op.n === winner)
    }
    const winner = await this.awaiting.first(ops as readonly LocalOp[])
    if (this.over) return forever()
    this.append({ type: 'first-won', n, winner: winner.n })
    await new Promise<void>((committed) => this.run.afterCommit(committed))
    return ops.indexOf(winner)
  }

  async cancel(op: Op, reason: string): Promise<void> {
    if (this.over) return forever()
    const local = op as LocalOp
    if (local.ended !== null) return
    // When all blocks have caught up with their records: before, what goes on below is not known.
    const error: ErrorData = { code: 'CANCELLED', message: reason }
    this.run.perform(() => this.run.together(() => this.stopOp(local, error, 'cancelled')))
    await this.all([op])
  }

  // --- signals

  private lookOnce(): Signal | null {
    const record = this.records?.get(this.next)
    if (record !== undefined) {
      if (record.start.type !== 'signal-taken' || record.start.look !== this.looks) return null
      this.next++
      const { to, name, number, value } = record.start
      return { path: to, name, number, value }
    }
    const { run, path } = this
    if (run.inbox.length === 0 || run.catchingUp) return null
    const signal = run.takeSignal((one) =>
      one.name === 'redo' ? this.hasEnded(one.path) : one.name === 'message' && one.path === path,
    )
    if (signal !== null) this.append({ ...takenOf(signal), n: this.next++, look: this.looks })
    return signal
  }

  /** Whether it is a child of this block that was called and goes on no longer. */
  private hasEnded(path: string): boolean {
    if (parentPath(path) !== this.path || this.run.blocks.has(path)) return false
    return Number(placeOf(path).slice(this.path.length + 1)) <= this.children
  }

  // --- ends

  /** An operation's end is committed: it may be seen now. */
  opEnded(op: LocalOp, end: Ended): void {
    op.ended = end
    op.endOrder = this.endOrder++
    this.ops.delete(op)
    this.awaiting.ended(op)
  }

  /** Ends the block as its strategy says, or from outside. The first end wins. */
  private end(answer: BlockAnswer, outside?: Outside): void {
    if (this.ended || this.run.over) return
    this.ended = true
    this.run.blocks.delete(this.path)
    this.ledger.release(this.takeKept())
    const outcome = outcomeOf(answer, this.usage)
    const left = this.ledger.left(this.run.tick())
    const timeline = this.solving?.timeline() ?? []
    const body: EventBody = { type: 'block-end', n: this.n, outcome, left }
    const end: { outcome: Outcome; redo?: { message: string }; timeline?: typeof timeline } = { outcome }
    if (outside !== undefined) body.outside = true
    if (outside !== undefined && outside.archived.length > 0) body.archived = outside.archived
    if (outside?.redo !== undefined) body.redo = end.redo = outside.redo
    if (timeline.length > 0) body.timeline = end.timeline = timeline
    this.onEnd?.(end, this.append(body, true), left)
  }

  /** Takes a cancel, skip or redo that is in the inbox for this block. True when it ended the block. */
  interrupt(): boolean {
    if (this.ended || this.run.catchingUp) return false
    const signal = this.run.takeSignal(({ path, name }) => path === this.path && ENDINGS.has(name))
    if (signal === null) return false
    const said = textOf(signal.value)
    this.run.together(() => {
      this.append(takenOf(signal))
      if (signal.name === 'skip') this.endFromOutside('skipped', said || 'skipped by a person')
      else if (signal.name === 'cancel') this.endFromOutside('cancelled', said || 'cancelled by a person')
      else this.endFromOutside('cancelled', `to be done again${said ? `: ${said}` : ''}`, { message: said })
    })
    return true
  }

  /** Stops everything below, at once (K7), and ends with what there is (K4). */
  private endFromOutside(status: Status, reason: string, redo?: { message: string }): void {
    if (this.ended) return
    const error: ErrorData = { code: status === 'skipped' ? 'SKIPPED' : 'CANCELLED', message: reason }
    this.awaiting.forget()
    for (const op of [...this.ops]) this.stopOp(op, error, 'cancelled')
    const { result, archived } = this.solving?.halt((op) => (op as LocalOp).childEnd) ?? {
      result: '',
      archived: [],
    }
    this.end({ status, result, reason, code: error.code }, { archived, redo })
  }

  private stopOp(op: LocalOp, error: ErrorData, status: Status): void {
    if (op.kind === 'call') op.child?.endFromOutside(status, error.message)
    else if (op.kind === 'wait') endWait(op, { ok: false, error }, 0)
    else {
      endStep(this, op, { ok: false, error }, unpaid(op))
      op.abort(ThinkonError.fromJSON(error))
    }
  }

  /** What was kept back for closing, which is now to be used or given back. */
  takeKept(): Reserve {
    const { kept } = this
    this.kept = NOTHING
    return kept
  }

  checkDeadline(activeMs: number): void {
    if (activeMs < this.ledger.deadlineMs) {
      if (this.ops.size > 0) this.run.watchDeadline(this.ledger.deadlineMs)
      return
    }
    for (const op of [...this.ops]) {
      if (op.kind === 'model' || op.kind === 'tool')
        this.stopOp(op, limitError(this.path, 'timeMs').toJSON(), 'partial')
    }
  }

  /** The run stops in this process: effects are aborted, nothing is recorded. */
  abandon(error: unknown): void {
    for (const op of this.ops) {
      op.closed = true
      op.stopTimer?.()
      op.abort(error)
    }
  }

  // --- records

  append(body: EventBody, ticked = false): number {
    return this.run.append(this.path, body, ticked)
  }

  private recordAt(n: number, type: EventType, name: string): OpRecord | null {
    if (this.records === null) return null
    return recordAt(this.records, n, type, name, `run ${this.run.id}, block ${this.path}`)
  }
}

interface Outside {
  archived: readonly string[]
  redo: { message: string } | undefined
}

const ENDINGS: ReadonlySet<string> = new Set(['cancel', 'skip', 'redo'])

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * Replay: executes every block of a run from its records, calls nothing, writes nothing, and says where what the
 * strategies do now differs from what the journal says.
 *
 * 1. A block that was ended from outside is followed as far as its records go; how it would have gone on is not known.
 * 2. Blocks are executed while the journal is read: it is read on when an operation is made, until its start is there, and when all
 *    blocks stand still, until the end of an operation that one of them awaits. Records are held from when they are read until they
 *    are used.
 */
import { isDeepStrictEqual } from 'node:util'
import { Ledger } from '../../kernel/budget.ts'
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
  type Solved,
  type Take,
  type TakeAll,
} from '../../kernel/durable.ts'
import {
  type Event,
  type EventBody,
  type EventOf,
  errorText,
  levelOf,
  type Outcome,
  parentPath,
  type Question,
  ROOT_PATH,
  type Signal,
} from '../../protocol/index.ts'
import { forever } from '../shared/endings.ts'
import { blockStart, rootSpec, signalAsked, stepStart, withSaid } from '../shared/events.ts'
import {
  endedOf,
  FAILED_VERSION,
  type OpRecord,
  operationLabel,
  strategyName,
  takenSignal,
} from '../shared/records.ts'
import { BlockRecords, depthAt, type ReplayOp, type Survey, surveyOf } from './replay-records.ts'

export interface Difference {
  path: string
  /** The operation's number; 0 for the block itself. */
  n: number
  /** The journal's event, where it has one. */
  seq: number | null
  what: string
}

export interface Replayed {
  /** Null when the run has not ended yet. */
  outcome: Outcome | null
  blocks: number
  operations: number
  differences: Difference[]
}

/** `events` is iterated twice. */
export async function replayRun(events: Iterable<Event>, kernel: Kernel): Promise<Replayed> {
  const survey = surveyOf(events)
  await kernel.preload(survey.strategies)
  const replay = new Replay(survey, events[Symbol.iterator](), kernel)
  const { start } = survey
  replay.readUntilBegun()
  replay.begin(rootSpec({ ...start, strategy: strategyName(start.strategy) }), 0, null)
  await replay.run()
  return replay.report()
}

class Replay {
  readonly survey: Survey
  readonly kernel: Kernel
  readonly differences: Difference[] = []
  operations = 0
  private readonly journal: Iterator<Event>
  private readonly recorded = new Map<string, BlockRecords>()
  /** Begun, and not compared to its end yet. */
  private readonly open = new Map<BlockRecords, ReplayBlock>()
  private begun = 0
  private heard = false

  constructor(survey: Survey, journal: Iterator<Event>, kernel: Kernel) {
    this.survey = survey
    this.journal = journal
    this.kernel = kernel
  }

  begin(spec: BlockSpec, n: number, parent: Ledger | null): void {
    const recorded = this.recorded.get(spec.path)
    if (recorded === undefined) return
    // The depth of the run is looked up for each block: it may have been raised.
    const limits = parent === null ? {} : spec.limits
    const ledger =
      parent !== null && limits === undefined
        ? parent
        : new Ledger(parent, limits ?? {}, levelOf(spec.path), 0)
    const block = new ReplayBlock(this, spec, recorded, ledger)
    this.begun++
    this.open.set(recorded, block)
    block.begin(n)
  }

  /** Its block has been compared to its end, or there is nothing to compare. */
  finished(recorded: BlockRecords): void {
    this.open.delete(recorded)
  }

  /** Reads the next event; false at the end of the journal. */
  read(): boolean {
    const { done, value } = this.journal.next()
    if (done) return false
    this.take(value)
    return true
  }

  readUntilBegun(): void {
    while (!this.recorded.has(ROOT_PATH) && this.read());
  }

  private take(event: Event): void {
    if (event.type.startsWith('run-')) return
    const { path } = event
    if (event.type === 'block-start') this.recorded.set(path, new BlockRecords(event))
    else if (event.type === 'block-end') this.takeEnd(event)
    // A child's start and end are records of the parent's call.
    const isBlock = event.type === 'block-start' || event.type === 'block-end'
    const owner = this.recorded.get((isBlock ? parentPath(path) : path) ?? '')
    if (owner === undefined || !('n' in event) || event.n === undefined) return
    if (owner.add(event.n, event)) this.heard = true
  }

  private takeEnd(event: EventOf<'block-end'>): void {
    const ended = this.recorded.get(event.path)
    if (ended === undefined) return
    ended.end = event
    if (event.outside) this.finished(ended)
    // Nothing more comes of it; the block itself still has what it has not used.
    this.recorded.delete(event.path)
  }

  /** Until every block stands still at the end of the journal: nothing is waited for but what is recorded. */
  async run(): Promise<void> {
    for (let more = true, seen = -1; more || seen !== this.operations; ) {
      seen = this.operations
      await new Promise((resolve) => setImmediate(resolve))
      this.heard = false
      while (!this.heard && more) more = this.read()
    }
  }

  report(): Replayed {
    for (const block of this.open.values()) block.checkRest()
    this.differences.sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0))
    const { outcome } = this.survey
    return { outcome, blocks: this.begun, operations: this.operations, differences: this.differences }
  }
}

class ReplayBlock implements Durable, Solved {
  private readonly replay: Replay
  private readonly spec: BlockSpec
  private readonly recorded: BlockRecords
  private readonly ledger: Ledger
  private looks = 0
  private next = 1
  private done = false

  constructor(replay: Replay, spec: BlockSpec, recorded: BlockRecords, ledger: Ledger) {
    this.replay = replay
    this.spec = spec
    this.recorded = recorded
    this.ledger = ledger
  }

  private get end(): EventOf<'block-end'> | null {
    return this.recorded.end
  }

  begin(n: number): void {
    const { spec, replay } = this
    const { start } = this.recorded
    let identity = `${spec.strategy}${FAILED_VERSION}`
    try {
      identity = replay.kernel.identify(spec.strategy)
    } catch {
      // The journal then has a block that failed for the same reason.
    }
    this.compare(start, blockStart(spec, n, identity, start.kept, start.left), 0)
    const didNothing = this.recordAt(this.next) === undefined
    const unsolved = didNothing && (this.end?.outside || this.end?.outcome.code === 'LIMIT')
    if (unsolved || identity.endsWith(FAILED_VERSION)) {
      this.done = true
      replay.finished(this.recorded)
      return
    }
    const frame = {
      run: start.run,
      startedAtMs: Date.parse(start.ts),
      left: start.left,
      kept: start.kept,
      maxLevel: Math.min(this.ledger.maxLevel, depthAt(replay.survey, start.seq)),
      seed: replay.survey.start.seed,
      config: replay.survey.start.config,
    }
    replay.kernel.solve(withSaid(spec, replay.survey.said), this, frame, this)
  }

  step<T>(effect: Effect): Op<T> {
    const n = this.next++
    const record = this.recordAt(n)
    const reserve = record !== undefined && 'reserve' in record.start ? record.start.reserve : effect.reserve
    return this.visit(n, stepStart(n, effect, reserve)) as Op<T>
  }

  call(child: BlockSpec): Op<ChildEnd> {
    const n = this.next++
    const record = this.recordAt(n)
    if (record?.start.type === 'block-start' && record.start.path === child.path) {
      this.replay.begin(child, n, this.ledger)
      this.replay.operations++
      return this.opOf(n, record) as ReplayOp<ChildEnd>
    }
    return this.visit(n, { type: 'block-start', n, path: child.path } as unknown as EventBody) as Op<ChildEnd>
  }

  wait<T>(name: string, question?: Question, timeoutMs?: number): Op<T | undefined> {
    const n = this.next++
    return this.visit(n, signalAsked(n, name, question, timeoutMs)) as Op<T>
  }

  emit(emission: Emission): void {
    const n = this.next++
    this.visit(n, { ...emission, n } as EventBody)
  }

  peek(): Event | null {
    return this.recordAt(this.next)?.start ?? null
  }

  look(): readonly Signal[] {
    this.looks++
    const taken: Signal[] = []
    // Only where a signal was taken: what comes next may be far away in the journal.
    while (this.replay.survey.taken.has(`${this.spec.path} ${this.next}`)) {
      const start = this.recordAt(this.next)?.start
      if (start?.type !== 'signal-taken' || (start.look ?? this.looks) !== this.looks) break
      this.recorded.records.delete(this.next++)
      taken.push(takenSignal(start))
    }
    return taken.length === 0 ? NO_SIGNALS : taken
  }

  all(ops: readonly Op[]): Promise<readonly Ended[]>
  all<T>(ops: readonly Op[], take: TakeAll<T>): Promise<T>
  all(ops: readonly Op[], take?: TakeAll<unknown>): Promise<unknown> {
    const ends = this.ends(ops)
    return take === undefined ? ends : ends.then(take)
  }

  one<T>(op: Op, take: Take<T>): Promise<T> {
    return this.ends([op]).then(([end]) => take(end as Ended))
  }

  private ends(ops: readonly Op[]): Promise<readonly Ended[]> {
    const made = ops as readonly ReplayOp[]
    const ends = () => made.map((op) => op.ended as Ended)
    let missing = made.filter((op) => op.ended === null).length
    if (missing === 0) return Promise.resolve(ends())
    return new Promise((resolve) => {
      const onEnd = () => {
        if (--missing > 0) return false
        resolve(ends())
        return true
      }
      for (const op of made) if (op.ended === null) op.onEnd = onEnd
    })
  }

  async first(ops: readonly Op[]): Promise<number> {
    const n = this.next++
    await this.arrivalOf(n)
    const start = this.recorded.records.get(n)?.start as Event
    const winner = start.type === 'first-won' ? start.winner : 0
    this.visit(n, { type: 'first-won', n, winner })
    const index = ops.findIndex((op) => op.n === winner)
    return index === -1 ? forever() : index
  }

  async cancel(op: Op): Promise<void> {
    await this.ends([op])
  }

  /** Nothing of the journal may be left over. */
  checkRest(): void {
    if (this.end === null || this.end.outside) return
    if (!this.done) this.differ(0, this.end.seq, `the journal has its end, the strategy has not come to one`)
    for (const [n, { start }] of this.recorded.records) {
      if (n >= this.next)
        this.differ(n, start.seq, `the journal has ${operationLabel(start)}, the strategy no longer makes it`)
    }
  }

  failed(thrown: unknown): void {
    this.differ(0, null, errorText(thrown))
  }

  private visit(n: number, body: EventBody): ReplayOp {
    this.replay.operations++
    const record = this.recordAt(n)
    if (record !== undefined) {
      this.compare(record.start, body, n)
      return this.opOf(n, record)
    }
    // Beyond the records of a block that never came to an end by itself, anything may be true.
    if (this.end !== null && !this.end.outside) {
      this.differ(n, null, `the strategy makes ${operationLabel(body)}, the journal has nothing there`)
    }
    return { n, ended: null, onEnd: null }
  }

  /** The record of operation `n`; reads on until it is there or can't come any more. */
  private recordAt(n: number): OpRecord | undefined {
    const { records } = this.recorded
    while (!records.has(n) && this.end === null && this.replay.read());
    return records.get(n)
  }

  /** Resolves when operation `n` has a record, without reading on for it. */
  private arrivalOf(n: number): Promise<void> {
    if (this.recorded.records.has(n)) return Promise.resolve()
    return new Promise((arrived) => {
      this.recorded.awaited = { n, arrived }
    })
  }

  /** The operation of a record, which is then used up. */
  private opOf(n: number, { start, end }: OpRecord): ReplayOp {
    const op: ReplayOp = { n, ended: end === null ? null : endedOf(end), onEnd: null }
    const { records, open } = this.recorded
    if (end === null && HAS_END.has(start.type)) open.set(n, op)
    records.delete(n)
    return op
  }

  private compare(recorded: Event, body: EventBody, n: number): void {
    const { seq, ts: _ts, run: _run, path: _path, inactiveMs: _inactiveMs, ...was } = recorded
    const { path: _place, atMs: _time, ...is } = JSON.parse(JSON.stringify(body))
    if (isDeepStrictEqual(was, is)) return
    const same = operationLabel(recorded) === operationLabel({ ...body, path: recorded.path } as Event)
    const fields = Object.keys({ ...was, ...is })
      .filter((key) => !isDeepStrictEqual((was as never)[key], is[key]))
      .map((key) => (key === 'strategy' ? `strategy (${(was as never)[key]}, here is ${is[key]})` : key))
    this.differ(
      n,
      seq,
      same
        ? `${operationLabel(recorded)} differs in ${fields.join(', ')}`
        : `the journal has ${operationLabel(recorded)}, the strategy makes ${operationLabel(body)}`,
    )
  }

  answered(answer: BlockAnswer): void {
    this.done = true
    while (this.end === null && this.replay.read());
    if (this.end === null || this.end.outside) return
    this.checkRest()
    this.replay.finished(this.recorded)
    const { usage: _, ...recorded } = this.end.outcome
    if (isDeepStrictEqual(recorded, JSON.parse(JSON.stringify(answer)))) return
    this.differ(
      0,
      this.end.seq,
      `it ended ${recorded.status} "${recorded.result}", now ${answer.status} "${answer.result}"`,
    )
  }

  private differ(n: number, seq: number | null, what: string): void {
    this.replay.differences.push({ path: this.spec.path, n, seq, what })
  }
}

const HAS_END: ReadonlySet<string> = new Set(['model-start', 'tool-start', 'signal-asked', 'block-start'])

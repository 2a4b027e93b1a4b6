/**
 * Replay: executes every block of a run from its records, calls nothing, writes nothing, and says where what the
 * strategies do now differs from what the journal says.
 *
 * A block that was ended from outside is followed as far as its records go; how it would have gone on is not known.
 */
import { isDeepStrictEqual } from 'node:util'
import { Ledger } from '../../kernel/budget.ts'
import type {
  BlockAnswer,
  BlockSpec,
  ChildEnd,
  Durable,
  Effect,
  Emission,
  Ended,
  Kernel,
  Op,
} from '../../kernel/durable.ts'
import {
  type Event,
  type EventBody,
  type EventOf,
  levelOf,
  type Outcome,
  type Question,
  ROOT_PATH,
  type Signal,
  ThinkonError,
} from '../../protocol/index.ts'
import { forever } from '../shared/endings.ts'
import {
  blockStart,
  noteSaid,
  rootSpec,
  type Said,
  signalAsked,
  stepStart,
  withSaid,
} from '../shared/events.ts'
import {
  endedOf,
  FAILED_VERSION,
  type OpEnd,
  operationLabel,
  type Records,
  strategyName,
  takenSignal,
} from '../shared/records.ts'
import { type OpenBlock, recordEvent } from './load.ts'

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

export async function replayRun(events: Iterable<Event>, kernel: Kernel): Promise<Replayed> {
  const journal = readAll(events)
  await kernel.preload(new Set([...journal.blocks.values()].map(({ start }) => strategyName(start.strategy))))
  const replay = new Replay(journal, kernel)
  const { start } = journal
  replay.begin(rootSpec({ ...start, strategy: strategyName(start.strategy) }), 0, null)
  // Nothing is waited for but recorded ends: when a turn passes without an operation, every block stands still.
  for (let seen = -1; seen !== replay.operations; ) {
    seen = replay.operations
    await new Promise((resolve) => setImmediate(resolve))
  }
  return replay.report()
}

interface WholeJournal {
  readonly start: EventOf<'run-start'>
  readonly blocks: Map<string, OpenBlock>
  readonly outcome: Outcome | null
  readonly said: Said
}

function readAll(events: Iterable<Event>): WholeJournal {
  const blocks = new Map<string, OpenBlock>()
  const said = new Map<string, string>()
  let start: EventOf<'run-start'> | null = null
  for (const event of events) {
    if (event.type === 'run-start') start = event
    else if (event.type === 'run-fork') noteSaid(said, event)
    else if (!event.type.startsWith('run-')) recordEvent(blocks, event, 0)
  }
  if (start === null) throw new ThinkonError('STORE_CORRUPT', 'the journal has no run-start')
  return { start, blocks, outcome: blocks.get(ROOT_PATH)?.end?.outcome ?? null, said }
}

class Replay {
  readonly journal: WholeJournal
  readonly kernel: Kernel
  readonly differences: Difference[] = []
  operations = 0
  private readonly blocks: ReplayBlock[] = []

  constructor(journal: WholeJournal, kernel: Kernel) {
    this.journal = journal
    this.kernel = kernel
  }

  begin(spec: BlockSpec, n: number, parent: Ledger | null): void {
    const open = this.journal.blocks.get(spec.path)
    if (open === undefined) return
    const limits = parent === null ? this.journal.start.limits : spec.limits
    const ledger =
      parent !== null && limits === undefined
        ? parent
        : new Ledger(parent, limits ?? {}, levelOf(spec.path), 0)
    const block = new ReplayBlock(this, spec, open, ledger)
    this.blocks.push(block)
    block.begin(n)
  }

  report(): Replayed {
    for (const block of this.blocks) block.checkRest()
    this.differences.sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0))
    const { outcome } = this.journal
    return { outcome, blocks: this.blocks.length, operations: this.operations, differences: this.differences }
  }
}

interface ReplayOp extends Op {
  readonly ended: Ended | null
}

class ReplayBlock implements Durable {
  private readonly replay: Replay
  private readonly spec: BlockSpec
  private readonly start: EventOf<'block-start'>
  private readonly records: Records
  private readonly ledger: Ledger
  private readonly end: EventOf<'block-end'> | null
  private looks = 0
  private next = 1
  private done = false

  constructor(replay: Replay, spec: BlockSpec, open: OpenBlock, ledger: Ledger) {
    this.replay = replay
    this.spec = spec
    this.start = open.start
    this.records = open.records
    this.ledger = ledger
    this.end = open.end
  }

  begin(n: number): void {
    const { spec, start, replay } = this
    let identity = `${spec.strategy}${FAILED_VERSION}`
    try {
      identity = replay.kernel.identify(spec.strategy)
    } catch {
      // The journal then has a block that failed for the same reason.
    }
    this.compare(start, blockStart(spec, n, identity, start.kept, start.left), 0)
    const unsolved =
      identity.endsWith(FAILED_VERSION) ||
      (this.end !== null && this.records.size === 0 && this.end.outcome.code === 'LIMIT')
    if (unsolved || (this.end?.outside && this.records.size === 0)) {
      this.done = true
      return
    }
    const frame = {
      startedAtMs: Date.parse(start.ts),
      left: start.left,
      kept: start.kept,
      maxLevel: this.ledger.maxLevel,
      seed: replay.journal.start.seed,
      config: replay.journal.start.config,
    }
    replay.kernel.solve(withSaid(spec, replay.journal.said), this, frame).outcome.then(
      (answer) => this.checkAnswer(answer),
      (error) => this.differ(0, null, String(error instanceof Error ? error.message : error)),
    )
  }

  step<T>(effect: Effect): Op<T> {
    const n = this.next++
    const record = this.records.get(n)
    const reserve = record !== undefined && 'reserve' in record.start ? record.start.reserve : effect.reserve
    return this.visit(n, stepStart(n, effect, reserve)) as Op<T>
  }

  call(child: BlockSpec): Op<ChildEnd> {
    const n = this.next++
    const record = this.records.get(n)
    if (record?.start.type === 'block-start' && record.start.path === child.path) {
      this.replay.begin(child, n, this.ledger)
      this.replay.operations++
      return opOf(n, record.end)
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
    return this.records.get(this.next)?.start ?? null
  }

  async look(): Promise<readonly Signal[]> {
    const taken: Signal[] = []
    this.looks++
    for (;;) {
      const start = this.records.get(this.next)?.start
      if (start?.type !== 'signal-taken' || (start.look ?? this.looks) !== this.looks) return taken
      this.next++
      taken.push(takenSignal(start))
    }
  }

  all(ops: readonly Op[]): Promise<readonly Ended[]> {
    const ends = (ops as readonly ReplayOp[]).map((op) => op.ended)
    return ends.includes(null) ? forever() : Promise.resolve(ends as Ended[])
  }

  first(ops: readonly Op[]): Promise<number> {
    const n = this.next++
    const start = this.records.get(n)?.start
    if (start === undefined) return forever()
    const winner = start.type === 'first-won' ? start.winner : 0
    this.visit(n, { type: 'first-won', n, winner })
    const index = ops.findIndex((op) => op.n === winner)
    return index === -1 ? forever() : Promise.resolve(index)
  }

  cancel(op: Op): Promise<void> {
    return (op as ReplayOp).ended === null ? forever() : Promise.resolve()
  }

  /** After everything stands still: nothing of the journal may be left over. */
  checkRest(): void {
    if (this.end === null || this.end.outside) return
    if (!this.done) this.differ(0, this.end.seq, `the journal has its end, the strategy has not come to one`)
    for (const [n, { start }] of this.records) {
      if (n >= this.next)
        this.differ(n, start.seq, `the journal has ${operationLabel(start)}, the strategy no longer makes it`)
    }
  }

  private visit(n: number, body: EventBody): ReplayOp {
    this.replay.operations++
    const record = this.records.get(n)
    if (record !== undefined) {
      this.compare(record.start, body, n)
      return opOf(n, record.end)
    }
    // Beyond the records of a block that never came to an end by itself, anything may be true.
    if (this.end !== null && !this.end.outside) {
      this.differ(n, null, `the strategy makes ${operationLabel(body)}, the journal has nothing there`)
    }
    return opOf(n, null)
  }

  private compare(recorded: Event, body: EventBody, n: number): void {
    const { seq, ts: _ts, run: _run, path: _path, inactiveMs: _inactiveMs, ...was } = recorded
    const is = JSON.parse(JSON.stringify(body))
    if (isDeepStrictEqual(was, is)) return
    const same = operationLabel(recorded) === operationLabel({ ...body, path: recorded.path } as Event)
    const fields = Object.keys({ ...was, ...is }).filter(
      (key) => !isDeepStrictEqual((was as never)[key], is[key]),
    )
    this.differ(
      n,
      seq,
      same
        ? `${operationLabel(recorded)} differs in ${fields.join(', ')}`
        : `the journal has ${operationLabel(recorded)}, the strategy makes ${operationLabel(body)}`,
    )
  }

  private checkAnswer(answer: BlockAnswer): void {
    this.done = true
    if (this.end === null || this.end.outside) return
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

function opOf<T>(n: number, end: OpEnd | null): Op<T> & ReplayOp {
  return { n, ended: end === null ? null : endedOf(end) }
}

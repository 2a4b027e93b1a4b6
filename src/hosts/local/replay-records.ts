/** The journal as a replay reads it. */
import type { Ended, Op } from '../../kernel/durable.ts'
import {
  type Event,
  type EventOf,
  isPart,
  type Outcome,
  ROOT_PATH,
  ThinkonError,
} from '../../protocol/index.ts'
import { noteSaid, type Said } from '../shared/events.ts'
import { endedOf, isOpEnd, type OpEnd, type Records, strategyName } from '../shared/records.ts'

/** An operation that a replayed block has made. */
export interface ReplayOp<T = unknown> extends Op<T> {
  ended: Ended | null
  /** Set while it is awaited. True if its block goes on. */
  onEnd: (() => boolean) | null
}

/** What has to be known of a journal before its blocks are executed. */
export interface Survey {
  readonly start: EventOf<'run-start'>
  readonly strategies: ReadonlySet<string>
  /** Blocks and numbers at which they took a signal when they looked: `1-2 4`. */
  readonly taken: ReadonlySet<string>
  readonly outcome: Outcome | null
  readonly said: Said
  /** From which event on which limit of depth holds. */
  readonly depths: readonly { readonly seq: number; readonly depth: number }[]
}

/** The limit of depth of a block that started with event `seq`. */
export function depthAt({ depths }: Survey, seq: number): number {
  return depths.findLast((limit) => limit.seq < seq)?.depth ?? Number.POSITIVE_INFINITY
}

export function surveyOf(events: Iterable<Event>): Survey {
  let start: EventOf<'run-start'> | null = null
  let outcome: Outcome | null = null
  const strategies = new Set<string>()
  const taken = new Set<string>()
  const said = new Map<string, string>()
  const depths: Survey['depths'][number][] = []
  for (const event of events) {
    noteDepth(depths, event)
    if (event.type === 'run-start') start = event
    else if (event.type === 'run-fork') noteSaid(said, event)
    else if (event.type === 'block-start') strategies.add(strategyName(event.strategy))
    else if (event.type === 'signal-taken') taken.add(`${event.path} ${event.n}`)
    else if (event.type === 'block-end' && event.path === ROOT_PATH) outcome = event.outcome
  }
  if (start === null) throw new ThinkonError('STORE_CORRUPT', 'the journal has no run-start')
  return { start, strategies, taken, outcome, said, depths }
}

function noteDepth(depths: Survey['depths'][number][], event: Event): void {
  if (event.type !== 'run-start' && event.type !== 'run-resume') return
  if (event.limits !== undefined) depths.push({ seq: event.seq, depth: event.limits.depth })
}

/** What was read of a block and not used yet. */
export class BlockRecords {
  readonly start: EventOf<'block-start'>
  readonly records: Records = new Map()
  end: EventOf<'block-end'> | null = null
  /** Operations that were made and have not ended yet, by number. */
  readonly open = new Map<number, ReplayOp>()
  /** Whoever waits for the start of operation `n`. */
  awaited: { readonly n: number; arrived(): void } | null = null

  constructor(start: EventOf<'block-start'>) {
    this.start = start
  }

  /** True if somebody waits for it. */
  add(n: number, event: Event): boolean {
    if (isPart(event)) return false
    if (isOpEnd(event)) return this.addEnd(n, event)
    this.records.set(n, { start: event, end: null, parts: [] })
    if (this.awaited?.n !== n) return false
    this.awaited.arrived()
    this.awaited = null
    return true
  }

  private addEnd(n: number, end: OpEnd): boolean {
    const record = this.records.get(n)
    if (record) record.end = end
    const op = this.open.get(n)
    if (op === undefined) return false
    this.open.delete(n)
    this.records.delete(n)
    op.ended = endedOf(end)
    return op.onEnd?.() ?? false
  }
}

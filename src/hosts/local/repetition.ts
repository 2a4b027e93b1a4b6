import type { Event, EventBody } from '../../protocol/index.ts'
import type { OpRecord } from '../shared/records.ts'
import type { Operation } from './op.ts'
import type { BlockRecords } from './recorded.ts'

/** The run of the block. */
interface RepeatingRun {
  readonly isReplay: boolean
  /** A recorded event is made again. */
  repeated(path: string, was: Event, made: EventBody): void
}

/** A block's records, as it makes their operations again. */
export class Repetition {
  private readonly run: RepeatingRun
  private readonly path: string
  private readonly records: BlockRecords | null

  constructor(run: RepeatingRun, path: string, records: BlockRecords | null) {
    this.run = run
    this.path = path
    this.records = records
  }

  /** The record of operation `n`; null if there is none yet. */
  get(n: number): OpRecord | null {
    return this.records?.get(n) ?? null
  }

  /** The same, if it can be of a signal that the block took. */
  signalAt(n: number): OpRecord | null {
    return this.records?.mayBeSignal?.(n) === false ? null : this.get(n)
  }

  /** The same of an operation that is made again; `made` returns its start as it is now. */
  repeat(n: number, made: (was: Event) => EventBody): OpRecord | null {
    const record = this.get(n)
    if (record !== null) this.run.repeated(this.path, record.start, made(record.start))
    return record
  }

  /** Whether the operation's end is given by its record: now, or when a replay has read it. */
  restores(op: Operation, record: OpRecord | null): boolean {
    if (record === null) return false
    if (record.end !== null) op.restore(record.end)
    else if (this.run.isReplay) record.waiting = op
    return op.ended !== null || this.run.isReplay
  }
}

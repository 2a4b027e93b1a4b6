import { unused } from '../../kernel/budget.ts'
import type { Draft } from '../../kernel/store.ts'
import { type Event, type EventOf, NO_USAGE } from '../../protocol/index.ts'
import { isOpEnd, type OpRecord } from '../shared/records.ts'
import type { BlockRecords, RecordedBlock } from './recorded.ts'
import { depthAt, type Survey } from './survey.ts'

export type BlockEndDraft = Extract<Draft, { type: 'block-end' }>

type ReplayedRecord = OpRecord & {
  /** The block has made the operation again. */
  isCompared?: true
}

/** The records of a block that were read and not compared yet. */
export class ReplayedBlock implements RecordedBlock, BlockRecords {
  readonly start: EventOf<'block-start'>
  readonly maxDepth: number
  readonly startedMs = 0
  end: EventOf<'block-end'> | null = null
  /** It was begun again. */
  isBegun = false
  /** It did nothing before it was ended: its strategy is not executed. */
  isUnsolved = false
  /** How it has ended now. */
  answer: BlockEndDraft | null = null
  private readonly survey: Survey
  private readonly readOn: () => boolean
  private readonly byNumber = new Map<number, ReplayedRecord>()

  /** `readOn` reads the journal's next event; false at its end. */
  constructor(start: EventOf<'block-start'>, survey: Survey, readOn: () => boolean) {
    this.start = start
    this.maxDepth = depthAt(survey, start.seq)
    this.survey = survey
    this.readOn = readOn
  }

  get path(): string {
    return this.start.path
  }

  // --- for the block that is executed again

  get records(): BlockRecords {
    return this
  }

  get usage() {
    return { ...NO_USAGE }
  }

  get used() {
    return unused()
  }

  /** Reads on until the record is there, or can't come any more. */
  get(n: number): OpRecord | undefined {
    while (!this.byNumber.has(n) && this.end === null && this.readOn());
    return this.byNumber.get(n)
  }

  /** Without this the journal would be read until the block's next operation, which may be far away. */
  mayBeSignal(n: number): boolean {
    return this.survey.taken.has(`${this.path} ${n}`)
  }

  // --- reading and comparing

  /** Takes the event of operation `n`. True if the operation waited for it. */
  add(n: number, event: Event): boolean {
    if (!isOpEnd(event)) {
      this.byNumber.set(n, { start: event, end: null, parts: [] })
      return false
    }
    const record = this.byNumber.get(n)
    if (record === undefined) return false
    record.end = event
    this.dropIfUsed(n, record)
    record.waiting?.restoreLate(event)
    return record.waiting !== undefined
  }

  /** The record of an operation that was made again. */
  compared(n: number): OpRecord | undefined {
    const record = this.byNumber.get(n)
    if (record === undefined) return undefined
    record.isCompared = true
    this.dropIfUsed(n, record)
    return record
  }

  private dropIfUsed(n: number, record: ReplayedRecord): void {
    if (record.isCompared && (record.end !== null || !HAS_END.has(record.start.type))) this.byNumber.delete(n)
  }

  /** Starts of operations that were not made again, by number. */
  *rest(): Iterable<[n: number, start: Event]> {
    for (const [n, { start, isCompared }] of this.byNumber) if (!isCompared) yield [n, start]
  }

  /** Nothing of it will be compared any more. */
  get isOver(): boolean {
    if (this.end === null || !this.isBegun) return false
    return this.isUnsolved || this.answer !== null || (this.end.outside === true && this.byNumber.size === 0)
  }
}

const HAS_END: ReadonlySet<string> = new Set(['model-start', 'tool-start', 'signal-asked', 'block-start'])

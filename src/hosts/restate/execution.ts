/**
 * One execution of a block, as the store sees it: what was recorded when it began and what it has recorded since. Restate may begin another one
 * while this one still goes on (its connection broke); whichever records something first goes on, the other throws, and is executed again.
 */
import type { Kernel } from '../../kernel/durable.ts'
import type { SharedReader, SharedTransaction } from '../../kernel/store.ts'
import { type EventOf, ROOT_PATH, ThinkonError } from '../../protocol/index.ts'
import type { Said } from '../shared/events.ts'
import { type CalledBlock, Desk } from './desk.ts'
import { blockEndIn, blockStartIn, calledIn, frameIn, generationIn } from './journal.ts'
import {
  type BlockRecords,
  completeIn,
  listensKey,
  loadRecords,
  lookedIn,
  madeIn,
  makeIn,
  type Operation,
  type OperationRecord,
  recordAt,
} from './operations.ts'
import { foundIn, isAskedToEnd, type SignalJournal, takeFound } from './signals.ts'
import { looksIn } from './turns.ts'
import type { BlockPlace } from './wire.ts'

/** A block as an execution finds it. */
export interface OpenedBlock {
  readonly called: CalledBlock
  readonly start: EventOf<'block-start'> | null
  readonly end: EventOf<'block-end'> | null
  readonly frame: ReturnType<typeof frameIn>
  readonly records: BlockRecords
  /** How often it has looked whether its turn has come. */
  readonly looks: number
  /** The engine has forgotten that it was told to end the block. */
  readonly stopsAgain: boolean
  readonly finds: boolean
  /** What a person said to it before it began, in a fork. */
  readonly said: Said
}

/** Null if there is no such block: it is left over from an earlier life, or from another store. */
export async function openBlock(journal: SignalJournal, place: BlockPlace): Promise<OpenedBlock | null> {
  const { run, generation, path } = place
  const open = (reader: SharedReader): OpenedBlock | null => {
    const called = calledIn(reader, path)
    if (called === null || generationIn(reader) !== generation) return null
    return {
      called,
      start: blockStartIn(reader, called),
      end: blockEndIn(reader, called),
      frame: frameIn(reader, run, path),
      records: loadRecords(reader, run, path),
      looks: looksIn(reader, generation, path),
      stopsAgain: reader.note(stopsAgainKey(path)) !== null,
      finds: foundIn(reader, path).length > 0,
      said: new Map(Object.entries(reader.note<Record<string, string>>('said') ?? {})),
    }
  }
  try {
    return await journal.peek(open)
  } catch (thrown) {
    if (ThinkonError.isInstance(thrown) && thrown.code === 'UNKNOWN_RUN') return null
    throw thrown
  }
}

/** The block was asked to end before it did anything. */
export class NotToBeSolved extends Error {}

/** Whoever rings finds the block by its invocation, or the block finds here that it was asked to end: before it made anything, or later. */
export function enterBlock(
  tx: SharedTransaction,
  { run, path }: BlockPlace,
  invocation: string,
): 'unsolved' | 'later' | null {
  tx.setNote(`invocation ${path}`, invocation)
  if (path === ROOT_PATH && tx.note('failure') !== null) tx.setNote('failure', null)
  if (!isAskedToEnd(tx, path)) return null
  if (madeIn(tx, run, path, 1) === null) return 'unsolved'
  tx.setNote(stopsAgainKey(path), true)
  return 'later'
}

function stopsAgainKey(path: string): string {
  return `stop-again ${path}`
}

/** The numbers and records of operations. */
type Recorded = readonly (readonly [n: number, record: OperationRecord])[]

export class Execution {
  readonly journal: SignalJournal
  readonly place: BlockPlace
  /** As of the last time the store was read: a look of the block would find something. */
  finds: boolean
  private readonly records: BlockRecords
  /** The block's invocation, until the block is entered. */
  private enters: string | null

  constructor(
    journal: SignalJournal,
    place: BlockPlace,
    { records, finds }: OpenedBlock,
    enters: string | null,
  ) {
    this.enters = enters
    this.journal = journal
    this.place = place
    this.records = records
    this.finds = finds
  }

  /** How many looks of the block are recorded. */
  get looked(): number {
    return this.records.looked
  }

  at(n: number): OperationRecord | null {
    return this.records.made.get(n) ?? null
  }

  /** All that the block writes goes through here. `looked`: how often it has looked; that is recorded too. */
  async write<T>(looked: number, action: (tx: SharedTransaction, desk: Desk) => T): Promise<T> {
    const { path, generation } = this.place
    const { value, finds } = await this.journal.transact((tx) => {
      if (generationIn(tx) !== generation || lookedIn(tx, path) > this.looked) throw this.overtaken()
      if (this.enters !== null) this.enterIn(tx, this.enters)
      if (looked > this.looked) tx.setNote(`looked ${path}`, looked)
      const desk = new Desk(tx)
      const value = action(tx, desk)
      desk.save()
      return { value, finds: foundIn(tx, path).length > 0 }
    })
    this.enters = null
    this.records.looked = Math.max(looked, this.looked)
    this.finds = finds
    return value
  }

  private enterIn(tx: SharedTransaction, invocation: string): void {
    const asked = enterBlock(tx, this.place, invocation)
    if (asked === 'unsolved') throw new NotToBeSolved('it was asked to end')
    if (asked === 'later') throw this.overtaken()
  }

  /** `processing`: the engine has not been given their commands before, in this life. */
  needsRecording(operations: readonly Operation[], processing: boolean): boolean {
    return operations.some(({ n }) => {
      const recorded = this.at(n)
      return recorded === null || recorded.incomplete || (processing && recorded.listens !== null)
    })
  }

  makeIn(
    tx: SharedTransaction,
    desk: Desk,
    operations: readonly Operation[],
    processing: boolean,
    kernel: Pick<Kernel, 'identify'>,
  ): Recorded {
    const { run, path } = this.place
    return operations.map((operation) => {
      const { n } = operation
      const recorded = recordAt(tx, run, path, n)
      if (recorded === null) makeIn(tx, desk, path, operation, kernel)
      else if (this.at(n) === null) throw this.overtaken()
      else if (recorded.incomplete) completeIn(tx, path, operation)
      // An engine that has forgotten the wait will not hear again what it was answered with.
      else if (processing && recorded.listens !== null && recorded.end !== null)
        tx.setNote(listensKey(path, n), null)
      return [n, recordAt(tx, run, path, n) as OperationRecord]
    })
  }

  /** What the `look`-th look finds, as operations from `n` on. */
  takeFound(tx: SharedTransaction, desk: Desk, look: number, n: number): Recorded {
    const count = takeFound(tx, desk, this.place.path, look, n)
    return this.recordsIn(
      tx,
      Array.from({ length: count }, (_, i) => ({ n: n + i })),
    )
  }

  recordsIn(reader: SharedReader, operations: readonly { n: number }[]): Recorded {
    const { run, path } = this.place
    return operations.map(({ n }) => [n, recordAt(reader, run, path, n) as OperationRecord])
  }

  /** They were committed. */
  readonly took = (recorded: Recorded): void => {
    for (const [n, record] of recorded) this.records.made.set(n, record)
  }

  /** Reads the ends of these operations that are not known yet. */
  async readEnds(operations: readonly { n: number }[]): Promise<void> {
    const open = operations.filter(({ n }) => this.at(n)?.end === null)
    if (open.length === 0) return
    const { recorded, finds } = await this.journal.peek((reader) => ({
      recorded: this.recordsIn(reader, open),
      finds: foundIn(reader, this.place.path).length > 0,
    }))
    this.took(recorded)
    this.finds = finds
  }

  private overtaken(): Error {
    const { run, path } = this.place
    return new Error(`run ${run}, block ${path}: another execution of the block has gone further`)
  }
}

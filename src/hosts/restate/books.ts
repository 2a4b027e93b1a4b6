/**
 * A run's budget and clock, kept in notes of the store and touched inside the transaction of the event that changes them
 * (K3): no overdraft by racing, though blocks and effects are in other processes.
 *
 * One note for each block: its limits, the sums of its ledger, and what was spent in it and below it. The clock counts active time
 * as the fold does. Of the time since another process wrote the last event, a process counts no more than it has been running.
 */
import { randomUUID } from 'node:crypto'
import { closingReserve, type Lack, Ledger, NOTHING, type Used, unused } from '../../kernel/budget.ts'
import { systemClock } from '../../kernel/clock.ts'
import type { SharedReader, SharedTransaction } from '../../kernel/store.ts'
import {
  accumulate,
  type Left,
  type Limits,
  levelOf,
  NO_USAGE,
  parentPath,
  type Reserve,
  type Usage,
} from '../../protocol/index.ts'
import { RunTime } from '../shared/run-time.ts'

interface Book {
  /** The block's own; the root has all of them. */
  readonly limits: Partial<Limits> | null
  /** In active time since the run began. */
  readonly startedMs: number
  /** Under these limits; of the ledger that the block shares if it has none. */
  readonly used: Used
  /** Spent in this block and below it. */
  usage: Usage
  /** Still kept back for closing. */
  kept: Reserve
}

interface RunClock {
  activeMs: number
  lastMs: number
  openSteps: number
  openQuestions: number
  /** Which process wrote last, and how long it had been running. */
  process?: string
  processMs?: number
}

/** This one. */
const PROCESS = randomUUID()

export class Books {
  /** The time of the events of this transaction: never before that of the last event. */
  readonly atMs: number
  readonly clock: RunClock
  private inactiveMs: number
  private readonly paths: string[] = []
  private readonly books: Book[] = []
  private ledger: Ledger | null = null

  /** Opens the books of `path` and its ancestors; of a new run there are none yet. */
  constructor(reader: SharedReader, path: string | null, nowMs: number) {
    this.clock = reader.note<RunClock>('clock') ?? {
      activeMs: 0,
      lastMs: nowMs,
      openSteps: 0,
      openQuestions: 0,
    }
    const { clock } = this
    const { atMs, inactiveMs, activeMs } = advance(clock, nowMs)
    if (clock.openSteps > 0 || clock.openQuestions === 0) clock.activeMs += activeMs
    this.atMs = atMs
    this.inactiveMs = inactiveMs
    for (const at of lineOf(path)) this.enter(at, reader.note<Book>(`book ${at}`) as Book)
  }

  /** The time since the last event was not active: notes that, and gives the time of the next event. */
  static skipTime(transaction: SharedTransaction, nowMs: number): number {
    const clock = transaction.note<RunClock>('clock') as RunClock
    const { atMs } = advance(clock, nowMs)
    transaction.setNote('clock', clock)
    return atMs
  }

  /** When the transaction's next event is; the first one says what was not active. */
  stamp(): { atMs: number; inactiveMs?: number } {
    const { atMs, inactiveMs } = this
    this.inactiveMs = 0
    return inactiveMs > 0 ? { atMs, inactiveMs } : { atMs }
  }

  get maxLevel(): number {
    return (this.ledger as Ledger).maxLevel
  }

  get left(): Left {
    return (this.ledger as Ledger).left(this.clock.activeMs)
  }

  /** What was spent in the block and below it. */
  get usage(): Usage {
    return this.last.usage
  }

  /** Opens the book of a new block below, and keeps back what it needs to close. */
  add(path: string, limits: Partial<Limits> | null): { kept: Reserve; left: Left; lack: TooMuch | null } {
    const { activeMs } = this.clock
    const startedMs = parentPath(path) === null ? 0 : activeMs
    this.enter(path, { limits, startedMs, used: unused(), usage: { ...NO_USAGE }, kept: NOTHING })
    const ledger = this.ledger as Ledger
    const lack = levelOf(path) > this.maxLevel ? TOO_DEEP : ledger.lackOf(NOTHING, activeMs)
    const left = this.left
    const kept = lack === null ? closingReserve(left) : NOTHING
    ledger.keep(kept)
    this.last.kept = kept
    return { kept, left, lack }
  }

  /** Holds `cost` in the block and above, or says what is lacking. */
  hold(cost: Reserve): Lack | null {
    return (this.ledger as Ledger).hold(cost, this.clock.activeMs)
  }

  /** Gives back what was held and takes what was spent. */
  settle(held: Reserve, usage: Usage): void {
    this.ledger?.settle(held, usage)
    for (const book of this.books) accumulate(book.usage, usage)
  }

  /** What was kept back for closing is to be used now, or given back. */
  releaseKept(): void {
    this.ledger?.release(this.last.kept)
    this.last.kept = NOTHING
  }

  save(transaction: SharedTransaction): void {
    transaction.setNote('clock', this.clock)
    for (const [i, path] of this.paths.entries()) transaction.setNote(`book ${path}`, this.books[i])
  }

  private get last(): Book {
    return this.books.at(-1) as Book
  }

  private enter(path: string, book: Book): void {
    this.paths.push(path)
    this.books.push(book)
    const { limits, startedMs, used } = book
    if (limits !== null) this.ledger = new Ledger(this.ledger, limits, levelOf(path), startedMs, used)
  }
}

/** What refuses a block. */
export type TooMuch = Pick<Lack, 'limit'> & Partial<Lack>

const TOO_DEEP: TooMuch = { limit: 'depth' }

/** Moves a run's clock on to now. */
function advance(clock: RunClock, nowMs: number): { atMs: number; inactiveMs: number; activeMs: number } {
  const runningMs = systemClock.activeMs()
  const known = clock.process === PROCESS && clock.processMs !== undefined
  const processMs = known
    ? clock.processMs
    : runningMs - Math.min(Math.max(0, nowMs - clock.lastMs), runningMs)
  const time = new RunTime(systemClock, clock.lastMs, processMs)
  const activeMs = time.advance(nowMs)
  clock.lastMs = time.atMs
  clock.process = PROCESS
  clock.processMs = time.processMs
  return { atMs: time.atMs, inactiveMs: time.inactiveMs, activeMs }
}

/** From the root down to the block. */
function lineOf(path: string | null): string[] {
  const line: string[] = []
  for (let at = path; at !== null; at = parentPath(at)) line.unshift(at)
  return line
}

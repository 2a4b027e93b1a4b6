/**
 * A run's budget and clock, kept in notes of the store and touched inside the transaction of the event that changes them
 * (K3): no overdraft by racing, though blocks and effects are in other processes.
 *
 * One note for each block: its limits, the sums of its ledger, and what was spent in it and below it. The clock counts active time
 * as the fold does. Of the time since another process wrote the last event, a process counts no more than it has been running.
 */
import { randomUUID } from 'node:crypto'
import { type Free, type Lack, Ledger, NOTHING, type Used, unused } from '../../kernel/budget.ts'
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
  ROOT_PATH,
  type Usage,
} from '../../protocol/index.ts'
import { RunTime } from '../shared/run-time.ts'

export interface Book {
  /** The block's own; the root has all of them. */
  limits: Partial<Limits> | null
  /** The deepest level that was allowed when the block started: what it was told then holds, though more may be allowed now. */
  maxLevel?: number
  /** In active time since the run began. */
  startedMs: number
  /** Under these limits; of the ledger that the block shares if it has none. */
  readonly used: Used
  /** Spent in this block and below it. */
  usage: Usage
  /** Still kept back for closing. */
  kept: Reserve
}

export interface RunClock {
  activeMs: number
  lastMs: number
  openSteps: number
  openQuestions: number
  /** What was not active since the last event, as far as no event has said so. */
  inactiveMs?: number
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
  private readonly reader: SharedReader
  private readonly accounts = new Map<string, Account>()
  private stamped = false

  /** `active`: whether the time since the last event counts. */
  constructor(reader: SharedReader, nowMs: number, active = true) {
    this.reader = reader
    const noted = reader.note<RunClock>('clock')
    const clock = noted ?? firstTime(nowMs)
    const activeMs = noted === null ? 0 : advance(clock, nowMs)
    if (active && (clock.openSteps > 0 || clock.openQuestions === 0)) clock.activeMs += activeMs
    this.clock = clock
    this.atMs = clock.lastMs
  }

  /** When the transaction's next event is; the first one says what was not active. */
  stamp(): { atMs: number; inactiveMs?: number } {
    const { atMs, clock } = this
    this.stamped = true
    const { inactiveMs = 0 } = clock
    clock.inactiveMs = 0
    return inactiveMs > 0 ? { atMs, inactiveMs } : { atMs }
  }

  /** The account of a block, the same one each time. */
  of(path: string): Account {
    return this.accounts.get(path) ?? this.enter(path, this.reader.note<Book>(`book ${path}`) as Book)
  }

  /** Opens the account of a new block. */
  open(path: string, limits: Partial<Limits> | null): Account {
    const startedMs = parentPath(path) === null ? 0 : this.clock.activeMs
    const book = { limits, startedMs, used: unused(), usage: { ...NO_USAGE }, kept: NOTHING }
    const account = this.enter(path, book)
    account.changed = true
    return account
  }

  /** The run's. */
  get limits(): Limits {
    return this.of(ROOT_PATH).book.limits as Limits
  }

  /** The run's limits from now on. To be called first: accounts that are open count on with what they were opened with. */
  raise(limits: Limits): void {
    const { book } = this.of(ROOT_PATH)
    book.limits = limits
    this.accounts.clear()
    this.enter(ROOT_PATH, book).changed = true
  }

  /** Something has happened in this transaction. */
  get isTouched(): boolean {
    return this.stamped || [...this.accounts.values()].some(({ changed }) => changed)
  }

  save(transaction: SharedTransaction): void {
    transaction.setNote('clock', this.clock)
    for (const [path, { book, changed }] of this.accounts) {
      if (changed) transaction.setNote(`book ${path}`, book)
    }
  }

  private enter(path: string, book: Book): Account {
    const parent = parentPath(path)
    const account = new Account(parent === null ? null : this.of(parent), levelOf(path), book, this.clock)
    this.accounts.set(path, account)
    return account
  }
}

/** What a block and those below it have spent, hold and keep back. A block without limits of its own shares its parent's ledger. */
class Account {
  readonly ledger: Ledger
  readonly level: number
  readonly book: Book
  changed = false
  private readonly parent: Account | null
  private readonly clock: RunClock

  constructor(parent: Account | null, level: number, book: Book, clock: RunClock) {
    const { limits, startedMs, used } = book
    this.parent = parent
    this.level = level
    this.book = book
    this.clock = clock
    this.ledger =
      parent !== null && limits === null
        ? parent.ledger
        : new Ledger(parent?.ledger ?? null, limits ?? {}, level, startedMs, used)
  }

  get left(): Left {
    return this.ledger.left(this.clock.activeMs)
  }

  get free(): Free {
    return this.ledger.free()
  }

  /** What was spent in the block and below it. */
  get usage(): Usage {
    return this.book.usage
  }

  /** Still kept back for closing. */
  get kept(): Reserve {
    return this.book.kept
  }

  /** Why a block can't begin at all. */
  get refusal(): TooMuch | null {
    if (this.level > this.ledger.maxLevel) return { limit: 'depth' }
    return this.ledger.lackOf(NOTHING, this.clock.activeMs)
  }

  /** The deepest level that is allowed below it, as it was told. */
  get maxLevel(): number {
    return Math.min(this.ledger.maxLevel, this.book.maxLevel ?? Number.POSITIVE_INFINITY)
  }

  /** The block begins only now: it has waited for its turn. */
  startNow(): void {
    const { book, clock } = this
    book.maxLevel = this.ledger.maxLevel
    this.touch()
    if (book.limits === null || this.parent === null) return
    book.startedMs = clock.activeMs
    this.ledger.startAt(clock.activeMs)
  }

  hold(cost: Reserve): void {
    this.ledger.take(cost)
    this.touch()
  }

  /** Gives back what was held and takes what was spent. */
  settle(held: Reserve, usage: Usage): void {
    this.ledger.settle(held, usage)
    for (let at: Account | null = this; at !== null; at = at.parent) accumulate(at.book.usage, usage)
    this.touch()
  }

  keep(reserve: Reserve): void {
    this.ledger.keep(reserve)
    this.book.kept = reserve
    this.touch()
  }

  /** What was kept back for closing is to be used now, or given back. */
  releaseKept(): void {
    this.ledger.release(this.book.kept)
    this.book.kept = NOTHING
    this.touch()
  }

  private touch(): void {
    for (let at: Account | null = this; at !== null; at = at.parent) at.changed = true
  }
}

/** What refuses a block. */
type TooMuch = Pick<Lack, 'limit'> & Partial<Lack>

function firstTime(nowMs: number): RunClock {
  const processMs = systemClock.activeMs()
  return { activeMs: 0, lastMs: nowMs, openSteps: 0, openQuestions: 0, process: PROCESS, processMs }
}

/** Differences up to this come from rounding. */
const ROUNDING_MS = 2

/** Moves a run's clock on to now; returns how much of that was active. */
function advance(clock: RunClock, nowMs: number): number {
  const runningMs = systemClock.activeMs()
  const known = clock.process === PROCESS && clock.processMs !== undefined
  const processMs = known
    ? clock.processMs
    : runningMs - Math.min(Math.max(0, nowMs - clock.lastMs), runningMs)
  const time = new RunTime(systemClock, clock.lastMs, processMs)
  const activeMs = time.advance(nowMs)
  // While no process was running the clock went on.
  const downMs = known || nowMs - time.atMs <= ROUNDING_MS ? 0 : nowMs - time.atMs
  clock.lastMs = time.atMs + downMs
  clock.inactiveMs = (clock.inactiveMs ?? 0) + time.inactiveMs + downMs
  clock.process = PROCESS
  clock.processMs = time.processMs
  return activeMs
}

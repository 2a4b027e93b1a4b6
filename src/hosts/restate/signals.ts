/** The part of a run's journal that signals come in by: waits, looks, and endings from outside. */
import { systemClock } from '../../kernel/clock.ts'
import type { SharedReader, SharedTransaction } from '../../kernel/store.ts'
import {
  attemptPath,
  type Event,
  type EventOf,
  parentPath,
  type Result,
  type Signal,
} from '../../protocol/index.ts'
import { type Ending, endingOf, endsBlockAt, latestRedo } from '../shared/endings.ts'
import { signalTaken } from '../shared/events.ts'
import { Books } from './books.ts'
import type { CalledBlock, Desk } from './desk.ts'
import { calledIn, generationIn } from './journal.ts'
import { answerIn } from './operations.ts'
import { TurnJournal } from './turns.ts'

export class SignalJournal extends TurnJournal {
  /** How the block is ended from outside: decided once, and recorded with the signal that did it. */
  async ending(path: string): Promise<Ending> {
    const key = `ending ${path}`
    return this.transact((tx) => {
      const noted = tx.note<Ending>(key)
      if (noted !== null) return noted
      const by = endingFor(tx, path)
      const ending = endingBy(by)
      if (by !== null && !('reason' in by)) {
        const books = new Books(tx, systemClock.nowMs())
        for (const signal of by) tx.append({ ...signalTaken(signal), path, ...books.stamp() })
        books.save(tx)
      }
      tx.setNote(key, ending)
      return ending
    })
  }

  /** The engine gave the run up: it is given to it anew, unless another process has done so already. */
  raiseGeneration(from: number): Promise<void> {
    return this.transact((tx) => {
      if (generationIn(tx) === from) tx.setNote('generation', from + 1)
    })
  }
}

// --- waits

/**
 * The wait's end with signal `number`; null when another wait has taken that one or there is none, also when the wait
 * has ended with a later one since: a block that is executed again must get the same at each bell.
 */
export function takeIn(
  tx: SharedTransaction,
  desk: Desk,
  { path, n, name }: EventOf<'signal-asked'>,
  number: number,
): EventOf<'signal-answered'> | null {
  const end = tx.find(path, n, 'end') as EventOf<'signal-answered'> | null
  if (end?.number === number) return end
  const signal = tx.pending().find((one) => one.path === path && one.name === name && one.number === number)
  if (signal === undefined || end !== null) return null
  return answerIn(desk, tx.find(path, n, 'start') as Event, { ok: true, value: signal.value }, number)
}

/** Ends a wait without a signal. The first end wins. */
export function endWaitIn(
  tx: SharedTransaction,
  desk: Desk,
  path: string,
  n: number,
  result: Result,
): EventOf<'signal-answered'> {
  const end = tx.find(path, n, 'end') as EventOf<'signal-answered'> | null
  return end ?? answerIn(desk, tx.find(path, n, 'start') as Event, result, 0)
}

// --- looks

/** What a look of the block would find now: messages to it, and redos of its children that have ended. */
export function foundIn(reader: SharedReader, path: string): Signal[] {
  return reader
    .pending()
    .filter((signal) =>
      signal.name === 'message'
        ? signal.path === path
        : signal.name === 'redo' && parentPath(signal.path) === path && hasEnded(reader, signal.path),
    )
}

/** The block's `look`-th look takes what it finds, as operations from `n` on; returns how many. */
export function takeFound(tx: SharedTransaction, desk: Desk, path: string, look: number, n: number): number {
  const found = foundIn(tx, path)
  for (const [i, signal] of found.entries())
    desk.append(path, { ...signalTaken(signal), n: n + i, look }, { path, n: n + i, kind: 'start' })
  return found.length
}

/** The attempt at the block's place that was called last; null if none was. */
export function latestAttempt(reader: SharedReader, path: string): CalledBlock | null {
  for (let latest: CalledBlock | null = null, attempt = 1; ; attempt++) {
    const next: CalledBlock | null = calledIn(reader, attemptPath(path, attempt))
    if (next === null) return latest
    latest = next
  }
}

/** Whether it was called and no attempt at it is under way. */
function hasEnded(reader: SharedReader, path: string): boolean {
  const latest = latestAttempt(reader, path)
  return latest !== null && reader.find(parentPath(path) ?? '', latest.n, 'end') !== null
}

// --- endings from outside

/** The parent (or its end) stops this block: said before the engine is told. */
export function requestStopIn(tx: SharedTransaction, path: string, reason: string): void {
  if (tx.note(`stop ${path}`) === null) tx.setNote(`stop ${path}`, reason)
}

/** Whether a person or its parent asked the block to end. */
export function isAskedToEnd(reader: SharedReader, path: string): boolean {
  return reader.note(`ending ${path}`) !== null || endingFor(reader, path) !== null
}

/** Whether a step of this block should not be performed any more: the block or one above is about to end. */
export function isEndingAround(reader: SharedReader, path: string): boolean {
  for (let at: string | null = path; at !== null; at = parentPath(at)) {
    if (isAskedToEnd(reader, at)) return true
  }
  return false
}

/** Why the block is to end: its parent's reason, or signals: several redos are one. */
function endingFor(reader: SharedReader, path: string): readonly Signal[] | { reason: string } | null {
  const reason = reader.note<string>(`stop ${path}`)
  if (reason !== null) return { reason }
  const signals = reader.pending().filter((signal) => endsBlockAt(path, signal))
  const [first] = signals
  if (first === undefined) return null
  return first.name === 'redo' ? signals.filter(({ name }) => name === 'redo') : [first]
}

function endingBy(by: ReturnType<typeof endingFor>): Ending {
  if (by === null) return { status: 'cancelled', reason: 'cancelled through Restate' }
  return 'reason' in by ? { status: 'cancelled', reason: by.reason } : endingOf(latestRedo(by))
}

/**
 * The part of a run's journal that signals come in by: waits, looks, and endings from outside.
 *
 * What was decided when an operation was made (it was answered at once, or it listens to a number) is noted with its
 * start, because a block that is executed again must give the engine the same commands.
 */
import { systemClock } from '../../kernel/clock.ts'
import type { SharedReader, SharedTransaction } from '../../kernel/store.ts'
import {
  attemptPath,
  type Event,
  type EventOf,
  parentPath,
  type Question,
  type Result,
  type Signal,
} from '../../protocol/index.ts'
import { type Ending, endingOf, endsBlockAt, latestRedo } from '../shared/endings.ts'
import { signalAnswered, signalAsked, signalTaken } from '../shared/events.ts'
import { takenSignal } from '../shared/records.ts'
import { Books } from './books.ts'
import type { CalledBlock } from './desk.ts'
import { TurnJournal } from './turns.ts'

export class SignalJournal extends TurnJournal {
  /** Asks; the number of the signal that the wait listens to, or null when it was answered at once. */
  ask(path: string, n: number, name: string, question?: Question, timeoutMs?: number): number | null {
    const key = `listens ${path} ${n}`
    this.once(path, n, 'signal-asked', name, (tx) => {
      const books = new Books(tx, systemClock.nowMs())
      const asked = tx.append(
        { ...signalAsked(n, name, question, timeoutMs), path, ...books.stamp() },
        { path, n, kind: 'start' },
      )
      if (question !== undefined) books.clock.openQuestions++
      const signal = tx.pending().find((one) => one.path === path && one.name === name)
      if (signal !== undefined) answer(tx, books, asked, { ok: true, value: signal.value }, signal.number)
      else if (timeoutMs === 0) answer(tx, books, asked, { ok: true, value: question?.fallback }, 0)
      else tx.setNote(key, tx.nextNumber(path, name))
      books.save(tx)
    })
    return this.note<number>(key)
  }

  /** An engine that has forgotten the wait will not hear again what it was answered with. */
  answeredBefore(path: string, n: number): boolean {
    if (this.find(path, n, 'end') === null) return false
    this.setNote(`listens ${path} ${n}`, null)
    return true
  }

  /**
   * The wait's end with signal `number`; null when another wait has taken that one or there is none, also when the wait
   * has ended with a later one since: a block that is executed again must get the same at each bell.
   */
  take(path: string, n: number, name: string, number: number): EventOf<'signal-answered'> | null {
    return this.store.transact(this.run, (tx) => {
      const end = tx.find(path, n, 'end') as EventOf<'signal-answered'> | null
      if (end?.number === number) return end
      const signal = tx
        .pending()
        .find((one) => one.path === path && one.name === name && one.number === number)
      if (signal === undefined || end !== null) return null
      const books = new Books(tx, systemClock.nowMs())
      const asked = tx.find(path, n, 'start') as Event
      const answered = answer(tx, books, asked, { ok: true, value: signal.value }, number)
      books.save(tx)
      return answered
    })
  }

  /** Ends a wait without a signal. The first end wins. */
  endWait(path: string, n: number, result: Result): EventOf<'signal-answered'> {
    return this.store.transact(this.run, (tx) => {
      const end = tx.find(path, n, 'end')
      if (end !== null) return end as EventOf<'signal-answered'>
      const books = new Books(tx, systemClock.nowMs())
      const answered = answer(tx, books, tx.find(path, n, 'start') as Event, result, 0)
      books.save(tx)
      return answered
    })
  }

  /** The block's `look`-th look, whose signals are numbered from `n` on. What it found, also nothing, stays. */
  look(path: string, look: number, n: number): Signal[] {
    const key = `look ${path} ${look}`
    const count = this.note<number>(key) ?? this.store.transact(this.run, (tx) => lookNow(tx, path, look, n))
    return Array.from({ length: count }, (_, i) => {
      return takenSignal(this.find(path, n + i, 'start') as EventOf<'signal-taken'>)
    })
  }

  // --- endings from outside

  /** The parent (or its end) stops this block: said before the engine is told. */
  requestStop(path: string, reason: string): void {
    if (this.note(`stop ${path}`) === null) this.setNote(`stop ${path}`, reason)
  }

  /** Whether a person or its parent asked the block to end. */
  isAskedToEnd(path: string): boolean {
    return this.store.peek(
      this.run,
      (reader) => reader.note(`ending ${path}`) !== null || endingFor(reader, path) !== null,
    )
  }

  /** Whether a step of this block should not be performed any more: the block or one above is about to end. */
  isEnding(path: string): boolean {
    return this.store.peek(this.run, (reader) => {
      for (let at: string | null = path; at !== null; at = parentPath(at)) {
        if (reader.note(`ending ${at}`) !== null || endingFor(reader, at) !== null) return true
      }
      return false
    })
  }

  /** How the block is ended from outside: decided once, and recorded with the signal that did it. */
  ending(path: string): Ending {
    const key = `ending ${path}`
    const decide = (tx: SharedTransaction): Ending => {
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
    }
    return this.note<Ending>(key) ?? this.store.transact(this.run, decide)
  }

  /** The engine gave the run up: it is given to it anew, unless another process has done so already. */
  raiseGeneration(from: number): void {
    this.store.transact(this.run, (tx) => {
      if ((tx.note<number>('generation') ?? 1) === from) tx.setNote('generation', from + 1)
    })
  }

  /** The path of the attempt at the block's place that was called last; the block's own if none was. */
  attemptAt(path: string): string {
    return this.store.peek(this.run, (reader) => latestAttempt(reader, path)?.spec.path ?? path)
  }

  pending(): Signal[] {
    return this.store.peek(this.run, (reader) => reader.pending())
  }
}

function lookNow(tx: SharedTransaction, path: string, look: number, n: number): number {
  const key = `look ${path} ${look}`
  const noted = tx.note<number>(key)
  if (noted !== null) return noted
  const found = tx
    .pending()
    .filter((signal) =>
      signal.name === 'message'
        ? signal.path === path
        : signal.name === 'redo' && parentPath(signal.path) === path && hasEnded(tx, signal.path),
    )
  if (found.length > 0) {
    const books = new Books(tx, systemClock.nowMs())
    for (const [i, signal] of found.entries()) {
      const event = { ...signalTaken(signal), n: n + i, look, path, ...books.stamp() }
      tx.append(event, { path, n: n + i, kind: 'start' })
    }
    books.save(tx)
  }
  tx.setNote(key, found.length)
  return found.length
}

function answer(tx: SharedTransaction, books: Books, asked: Event, result: Result, number: number) {
  const { path, n, name, question } = asked as EventOf<'signal-asked'>
  if (question !== undefined) books.clock.openQuestions--
  const body = signalAnswered(n, name, number, result, books.of(path).left)
  const end = tx.append({ ...body, path, ...books.stamp() }, { path, n, kind: 'end' })
  return end as EventOf<'signal-answered'>
}

/** The attempt at the block's place that was called last; null if none was. */
function latestAttempt(reader: SharedReader, path: string): CalledBlock | null {
  for (let latest: CalledBlock | null = null, attempt = 1; ; attempt++) {
    const next: CalledBlock | null = reader.note<CalledBlock>(`block ${attemptPath(path, attempt)}`)
    if (next === null) return latest
    latest = next
  }
}

/** Whether it was called and no attempt at it is under way. */
function hasEnded(reader: SharedReader, path: string): boolean {
  const latest = latestAttempt(reader, path)
  return latest !== null && reader.find(parentPath(path) ?? '', latest.n, 'end') !== null
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

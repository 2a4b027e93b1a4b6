/**
 * Reads the events of runs. Each row is held against its checksum, each row against the one before it, and the last one against the
 * number of events that the run is known to have: damage is STORE_CORRUPT, and never another event or one less.
 */
import type { DatabaseSync } from 'node:sqlite'
import { DecodingBudget } from '../protocol/decoding-budget.ts'
import type { Event } from '../protocol/index.ts'
import { type CheckedEventRow, intactEvents, requireIntactRun } from './checksums.ts'
import { DamagedEvent, unreadable } from './damage.ts'
import { countOf, EventDecoder, type EventRow } from './event-codec.ts'
import { RecentConversations } from './recent-conversations.ts'
import { readError } from './sqlite-errors.ts'
import { READ_EVENTS, SEQ_RANGE, type Statements } from './sqlite-statements.ts'

interface Source {
  readonly path: string
  readonly database: DatabaseSync
  readonly sql: Statements
  /** The row that has this event of a run. */
  row(no: number, seq: number): EventRow
}

/** The number of a run in the store; undefined if there is no such run. Throws a DamagedEvent if its row is damaged. */
export function numberIn(sql: Statements, id: string): number | undefined {
  const row = sql.runById.get(id) as (Parameters<typeof requireIntactRun>[0] & { no: number }) | undefined
  if (row === undefined) return undefined
  try {
    if (row.id !== id) throw new TypeError('the index of runs names another run')
    requireIntactRun(row)
  } catch (thrown) {
    throw new DamagedEvent(id, `the row of run ${id} can't be used: ${(thrown as Error).message}`)
  }
  return row.no
}

export function eventReader({ path, database, sql, row }: Source, numberOf: (id: string) => number) {
  const recent = new RecentConversations()

  /** The rows that have these events, one after the other without a gap. Throws a DamagedEvent if one is missing or damaged. */
  function* rows(id: string, no: number, from: number, to: number): Generator<EventRow> {
    const first = no * SEQ_RANGE
    // Before the rows are read: the run may grow meanwhile.
    const { seq: least } = sql.leastSeq.get(no) as { seq: number }
    let next = from
    for (const found of database.prepare(READ_EVENTS).iterate(first + from, first + SEQ_RANGE - 1)) {
      const stored = found as unknown as CheckedEventRow
      const last = stored.id - first
      const begin = last - countOf(stored) + 1
      if (next === from ? begin > from : begin !== next) throw missing(id, next, begin - 1)
      yield intact(id, no, stored, begin)
      next = last + 1
      if (last >= to) return
    }
    if (next <= Math.min(to, least)) throw missing(id, next, least)
  }

  /** The events of a range for which `wants` is true. Its first and its last row may have others. */
  function* events(
    id: string,
    from: number,
    to: number,
    wants: (seq: number) => boolean,
    late: boolean,
  ): Generator<Event> {
    const no = numberOf(id)
    const inRange = (seq: number) => seq >= from && seq <= to && wants(seq)
    const decoder = new EventDecoder({
      run: id,
      budget: new DecodingBudget(`run ${id}`),
      conversations: recent.of(no),
      row: (seq) => row(no, seq),
      late,
      failed: (thrown, seq) => readError(unreadable(thrown, id, seq, seq), path),
    })
    try {
      for (const row of rows(id, no, from, to)) yield* decode(id, row, decoder, inRange)
    } catch (thrown) {
      throw readError(thrown, path)
    }
  }

  function* decode(id: string, row: EventRow, decoder: EventDecoder, wants: (seq: number) => boolean) {
    try {
      yield* decoder.decode(row, wants)
    } catch (thrown) {
      throw unreadable(thrown, id, row.seq - countOf(row) + 1, row.seq)
    }
  }

  return {
    read: (id: string, from = 1, to = SEQ_RANGE - 1) => events(id, from, to, () => true, false),
    *pick(id: string, seqs: readonly number[], from: number): Generator<Event> {
      const wanted = new Set(seqs)
      const wants = (seq: number) => seq >= from || wanted.has(seq)
      for (const [start, end] of ranges(seqs, from)) yield* events(id, start, end, wants, true)
    },
  }
}

function intact(id: string, no: number, stored: CheckedEventRow, first: number): EventRow {
  try {
    return intactEvents(no, stored)
  } catch (thrown) {
    throw unreadable(thrown, id, first, stored.id - no * SEQ_RANGE)
  }
}

function missing(run: string, from: number, to: number): DamagedEvent {
  return new DamagedEvent(
    run,
    from >= to ? `event ${to} of run ${run} is missing` : `events ${from} to ${to} of run ${run} are missing`,
  )
}

/** Numbers that are closer together are read in one go. */
const NEAR = 64

/** Ranges that have all of the numbers in them, and everything from `from` on. */
function* ranges(seqs: readonly number[], from: number): Generator<[start: number, end: number]> {
  let start = 0
  let end = 0
  for (const seq of seqs) {
    if (seq - end > NEAR && end > 0) yield [start, end]
    if (seq - end > NEAR || end === 0) start = seq
    end = seq
  }
  if (end > 0) yield [start, Math.min(end, from - 1)]
  yield [from, SEQ_RANGE - 1]
}

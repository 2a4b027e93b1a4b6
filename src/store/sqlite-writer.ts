/**
 * Writes events. A commit is one row (see event-codec.ts), behind the run's last one; how far a run has come is nowhere
 * else. A commit of one row is one statement, which is a transaction of its own.
 *
 * 1. The statement that inserts a row checks that the run has the owner's epoch.
 * 2. The signals that a row takes and the status that it changes are written in the same transaction.
 */
import { type Draft, type RunOrigin, statusAfter } from '../kernel/store.ts'
import { type CheckedEventRow, eventsChecksum, intactEvents } from './checksums.ts'
import { countOf, cut, EventEncoder, type EventRow, type NewRow } from './event-codec.ts'
import { questionChange } from './question-changes.ts'
import { JournalCheck, type Signer } from './signatures.ts'
import type { SqliteQuestions } from './sqlite-questions.ts'
import { SEQ_RANGE, type Statements } from './sqlite-statements.ts'

export class EventWriter {
  private readonly encoder = new EventEncoder()
  private readonly sql: Statements
  private readonly questions: SqliteQuestions
  private readonly signer: Signer | null
  /** Where the journals of the runs that this process owns end, by number. */
  private readonly ends = new Map<number, JournalEnd>()
  private chars = 0

  constructor(sql: Statements, questions: SqliteQuestions, signer: Signer | null = null) {
    this.sql = sql
    this.questions = questions
    this.signer = signer
  }

  /** Appends in a commit of its own. Returns the `seq` of the first, or null if the run has another epoch, and nothing was written. */
  append(no: number, epoch: number, drafts: readonly Draft[]): number | null {
    const last = this.ends.get(no) ?? this.readEnd(no)
    const end = this.write(no, epoch, drafts, last)
    if (end === null) {
      this.forget()
      return null
    }
    this.ends.set(no, end)
    return last.seq + 1
  }

  /** Inserts events of a run that no other process can write to yet, in the transaction of the caller. They are not signed. */
  insert(no: number, drafts: readonly Draft[]): void {
    const { seq } = this.readEnd(no)
    const rows = this.encoder.encode(no, seq + 1, drafts)
    this.insertRows(no, seq, rows)
    this.followUp(no, drafts, seq + drafts.length)
  }

  /** Signs all rows of a new run, in the transaction of the caller. */
  sign(no: number, run: string): void {
    const { signer, sql } = this
    if (signer === null) return
    let signature: string | null = signer.root(run)
    for (const row of this.signedRows(no)) {
      signature = signer.row(signature, row)
      sql.sign.run(signature, row.id)
    }
  }

  /** Whether the rows up to event `at` were written with this key. */
  origin(no: number, run: string, at = SEQ_RANGE - 1): RunOrigin {
    if (this.signer === null) return 'unchecked'
    const check = new JournalCheck(this.signer, run)
    for (const row of this.signedRows(no, at)) if (!check.add(row, row.signature)) break
    return check.origin
  }

  /** Copies the events up to `at`, which may be in the middle of a row, in the transaction of the caller. */
  copy(from: number, to: number, at: number): void {
    const first = from * SEQ_RANGE
    this.sql.copyEvents.run((to - from) * SEQ_RANGE, first + 1, first + at)
    this.questions.copy(from, to, at)
    const { seq: last } = this.readEnd(to)
    if (last === at) return
    this.insertRows(to, last, [cut(this.row(from, at), at)])
  }

  /** The row that has this event. Throws a TypeError if there is none, or if it is damaged. */
  row(no: number, seq: number): EventRow {
    const first = no * SEQ_RANGE
    const found = this.sql.rowFrom.get(first + seq, first + SEQ_RANGE) as CheckedEventRow | undefined
    if (found === undefined) throw new TypeError(`event ${seq} is missing`)
    const row = intactEvents(no, found)
    if (row.seq - countOf(row) >= seq) throw new TypeError(`event ${seq} is missing`)
    return row
  }

  /** How much text was written since the last call. */
  takeChars(): number {
    const { chars } = this
    this.chars = 0
    return chars
  }

  /** Of a run that this process owns; 0 if it has not written to it. */
  lastSeq(no: number): number {
    return this.ends.get(no)?.seq ?? 0
  }

  /** The run is another's now, or may have been. */
  disown(no: number): void {
    this.ends.delete(no)
  }

  /** A commit has failed: its events may not be referred to. */
  forget(): void {
    this.encoder.forget()
    this.ends.clear()
  }

  /** Returns where the journal ends now; null if nothing was written. */
  private write(no: number, epoch: number, drafts: readonly Draft[], last: JournalEnd): JournalEnd | null {
    const { sql } = this
    const rows = this.encoder.encode(no, last.seq + 1, drafts)
    if (rows.length === 1 && !drafts.some(changesMore))
      return this.insertOwned(no, epoch, last, rows[0] as NewRow)
    sql.begin.run()
    let end = last
    for (const row of rows) {
      const next = this.insertOwned(no, epoch, end, row)
      if (next === null) {
        sql.rollback.run()
        return null
      }
      end = next
    }
    this.followUp(no, drafts, end.seq)
    sql.commit.run()
    return end
  }

  private insertOwned(no: number, epoch: number, last: JournalEnd, row: NewRow): JournalEnd | null {
    const { at, type, path, body, count } = row
    const seq = last.seq + count
    const signature = this.signer?.row(last.signature, { ...row, seq }) ?? null
    const id = no * SEQ_RANGE + seq
    const crc = eventsChecksum(seq, row)
    this.chars += body.length
    const { changes } = this.sql.insertOwned.run(id, at, type, path, signature, crc, body, no, epoch)
    return Number(changes) === 1 ? { seq, signature } : null
  }

  private *signedRows(no: number, at = SEQ_RANGE - 1): Generator<StoredRow> {
    const first = no * SEQ_RANGE
    for (const found of this.sql.readSigned.iterate(first + 1, first + SEQ_RANGE - 1)) {
      const row = found as unknown as StoredRow
      yield { ...row, seq: row.id - first }
      if (row.id - first >= at) return
    }
  }

  private insertRows(no: number, last: number, rows: readonly NewRow[]): void {
    let seq = last
    for (const row of rows) {
      const { at, type, path, body } = row
      seq += row.count
      const crc = eventsChecksum(seq, row)
      this.chars += body.length
      this.sql.insertRow.run(no * SEQ_RANGE + seq, at, type, path, null, crc, body)
    }
  }

  /** `last`: the `seq` of the last draft. */
  private followUp(no: number, drafts: readonly Draft[], last: number): void {
    const { sql, questions } = this
    for (const [i, draft] of drafts.entries()) {
      questions.follow(no, draft, last - drafts.length + 1 + i)
      const status = statusAfter(draft)
      if (status !== null) sql.setStatus.run(status, last, no)
      else if (draft.type === 'signal-taken') sql.takeSignal.run(no, draft.to, draft.name, draft.number)
      else if (draft.type === 'signal-answered') sql.takeSignal.run(no, draft.path, draft.name, draft.number)
    }
  }

  private readEnd(no: number): JournalEnd {
    const row = this.sql.lastKey.get(no * SEQ_RANGE, (no + 1) * SEQ_RANGE)
    const { id, signature } = row as { id: number | null; signature: string | null }
    return { seq: id === null ? 0 : id - no * SEQ_RANGE, signature }
  }
}

interface JournalEnd {
  /** Of the last event. */
  readonly seq: number
  /** Of the last row. */
  readonly signature: string | null
}

interface StoredRow extends EventRow {
  readonly id: number
  readonly signature: string | null
}

/** Whether more than the journal changes with it. */
function changesMore(draft: Draft): boolean {
  return draft.type === 'signal-taken' || statusAfter(draft) !== null || questionChange(draft) !== null
}

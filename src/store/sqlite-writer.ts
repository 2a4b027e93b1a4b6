/**
 * Writes events. What is committed together is one row (see EventCodec), behind the run's last one; how far a run has come is nowhere
 * else. A commit of one row is one statement, which is a transaction of its own.
 *
 * 1. The statement that inserts a row checks that the run has the owner's epoch, and that no blob was deleted since the row was encoded
 *    (see sweep-store.ts): a row refers to texts that this process remembers to have stored.
 * 2. The blobs of a row, the signals that it takes and the status that it changes are written in the same transaction.
 */
import { type Draft, type RunOrigin, statusAfter } from '../kernel/store.ts'
import { type CheckedEventRow, eventsChecksum, intactEvents } from './checksums.ts'
import { unreadable } from './damage.ts'
import { EventCodec, type EventRow, type NewRow } from './event-codec.ts'
import { questionChange } from './question-changes.ts'
import { JournalCheck, type SignedRow, type Signer } from './signatures.ts'
import { readError } from './sqlite-errors.ts'
import type { SqliteQuestions } from './sqlite-questions.ts'
import { SEQ_RANGE, type Statements } from './sqlite-statements.ts'

export class EventWriter {
  readonly codec: EventCodec
  private readonly sql: Statements
  private readonly questions: SqliteQuestions
  /** What the rows that are being written refer to, and is not stored yet. */
  private blobs: [hash: string, body: string | Uint8Array][] = []
  private readonly signer: Signer | null
  /** Where the journals of the runs that this process owns end, by number. */
  private readonly ends = new Map<number, JournalEnd>()
  private sweeps = 0
  private chars = 0

  /** `path`: of the store, for errors. */
  constructor(sql: Statements, questions: SqliteQuestions, path: string, signer: Signer | null = null) {
    this.sql = sql
    this.questions = questions
    this.signer = signer
    const stored = {
      put: (hash: string, body: string | Uint8Array) => void this.blobs.push([hash, body]),
      get: (hash: string) => (sql.getBlob.get(hash) as { body: string | Uint8Array }).body,
      row: (key: number) => this.rowFrom(key),
      failed: (thrown: unknown, run: string, seq: number) =>
        readError(unreadable(thrown, run, seq, seq), path),
    }
    this.codec = new EventCodec(stored, { packs: true })
  }

  /** Appends in a commit of its own. Returns the `seq` of the first, or null if the run has another epoch, and nothing was written. */
  append(no: number, epoch: number, drafts: readonly Draft[]): number | null {
    for (;;) {
      const last = this.ends.get(no) ?? this.readEnd(no)
      const end = this.write(no, epoch, drafts, last)
      if (end !== null) {
        this.ends.set(no, end)
        return last.seq + 1
      }
      const { sweeps } = this
      this.forget()
      this.readEnd(no)
      if (this.sweeps === sweeps) return null
    }
  }

  /** Inserts events of a run that no other process can write to yet, in the transaction of the caller. They are not signed. */
  insert(no: number, drafts: readonly Draft[]): void {
    const { seq } = this.readEnd(no)
    const rows = this.codec.encode(no, seq + 1, drafts)
    this.insertBlobs()
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
    const row = this.rowFrom(first + at)
    this.insertRows(to, last, [this.codec.cut(row, at - last)])
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

  /** A commit has failed: what it stored is gone. */
  forget(): void {
    this.codec.forget()
    this.ends.clear()
    this.blobs = []
  }

  /** Returns where the journal ends now; null if nothing was written. */
  private write(no: number, epoch: number, drafts: readonly Draft[], last: JournalEnd): JournalEnd | null {
    const { sql } = this
    const rows = this.codec.encode(no, last.seq + 1, drafts)
    if (rows.length === 1 && this.blobs.length === 0 && !drafts.some(changesMore))
      return this.insertOwned(no, epoch, last, rows[0] as NewRow)
    sql.begin.run()
    this.insertBlobs()
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
    const { at, type, path, body, blob, count } = row
    const seq = last.seq + count
    const signature = this.signer?.row(last.signature, { ...row, seq }) ?? null
    const id = no * SEQ_RANGE + seq
    const crc = eventsChecksum(seq, row)
    this.chars += body?.length ?? 0
    const values = [id, at, type, path, body, blob, signature, crc, no, epoch, this.sweeps]
    const { changes } = this.sql.insertOwned.run(...values)
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
      const { at, type, path, body, blob } = row
      seq += row.count
      const crc = eventsChecksum(seq, row)
      this.chars += body?.length ?? 0
      this.sql.insertRow.run(no * SEQ_RANGE + seq, at, type, path, body, blob, null, crc)
    }
  }

  private insertBlobs(): void {
    if (this.blobs.length === 0) return
    for (const [hash, body] of this.blobs) {
      this.chars += body.length
      this.sql.putBlob.run(hash, body)
    }
    this.blobs = []
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

  private rowFrom(key: number): EventRow {
    return intactEvents(this.sql.rowFrom.get(key) as unknown as CheckedEventRow)
  }

  /** Also notices whether blobs were deleted meanwhile: then nothing is remembered to be stored. */
  private readEnd(no: number): JournalEnd {
    const row = this.sql.lastKey.get(no * SEQ_RANGE, (no + 1) * SEQ_RANGE)
    const { id, signature, sweeps } = row as { id: number | null; signature: string | null; sweeps: number }
    if (sweeps !== this.sweeps) this.codec.forget()
    this.sweeps = sweeps
    return { seq: id === null ? 0 : id - no * SEQ_RANGE, signature }
  }
}

interface JournalEnd {
  /** Of the last event. */
  readonly seq: number
  /** Of the last row. */
  readonly signature: string | null
}

interface StoredRow extends SignedRow {
  readonly id: number
  readonly signature: string | null
}

/** Whether more than the journal changes with it. */
function changesMore(draft: Draft): boolean {
  return draft.type === 'signal-taken' || statusAfter(draft) !== null || questionChange(draft) !== null
}

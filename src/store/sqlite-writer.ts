/**
 * Writes events. What is committed together is one row (see EventCodec), behind the run's last one; how far a run has come is nowhere
 * else. A commit of one row is one statement, which is a transaction of its own.
 *
 * 1. The statement that inserts a row checks that the run has the owner's epoch, and that no blob was deleted since the row was encoded
 *    (see sweep-store.ts): a row refers to texts that this process remembers to have stored.
 * 2. The blobs of a row, the signals that it takes and the status that it changes are written in the same transaction.
 */
import { type Draft, statusAfter } from '../kernel/store.ts'
import { EventCodec, type EventRow, type NewRow } from './event-codec.ts'
import { SEQ_RANGE, type Statements } from './sqlite-statements.ts'

export class EventWriter {
  readonly codec: EventCodec
  private readonly sql: Statements
  /** What the rows that are being written refer to, and is not stored yet. */
  private blobs: [hash: string, body: string | Uint8Array][] = []
  /** The last `seq` of the runs that this process owns, by number. */
  private readonly lastSeqs = new Map<number, number>()
  private sweeps = 0

  constructor(sql: Statements) {
    this.sql = sql
    const stored = {
      put: (hash: string, body: string | Uint8Array) => void this.blobs.push([hash, body]),
      get: (hash: string) => (sql.getBlob.get(hash) as { body: string | Uint8Array }).body,
      row: (key: number) => sql.rowFrom.get(key) as unknown as EventRow,
    }
    this.codec = new EventCodec(stored, { packs: true })
  }

  /** Appends in a commit of its own. Returns the `seq` of the first, or null if the run has another epoch, and nothing was written. */
  append(no: number, epoch: number, drafts: readonly Draft[]): number | null {
    for (;;) {
      const last = this.lastSeqs.get(no) ?? this.readLastSeq(no)
      if (this.write(no, epoch, drafts, last)) {
        this.lastSeqs.set(no, last + drafts.length)
        return last + 1
      }
      const { sweeps } = this
      this.forget()
      this.readLastSeq(no)
      if (this.sweeps === sweeps) return null
    }
  }

  /** Inserts events of a run that nobody else can write to yet, in the transaction of the caller. */
  insert(no: number, drafts: readonly Draft[]): void {
    const last = this.readLastSeq(no)
    const rows = this.codec.encode(no, last + 1, drafts)
    this.insertBlobs()
    this.insertRows(no, last, rows)
    for (const draft of drafts) this.followUp(no, draft)
  }

  /** Copies the events up to `at`, which may be in the middle of a row, in the transaction of the caller. */
  copy(from: number, to: number, at: number): void {
    const first = from * SEQ_RANGE
    this.sql.copyEvents.run((to - from) * SEQ_RANGE, first + 1, first + at)
    const last = this.readLastSeq(to)
    if (last === at) return
    const row = this.sql.rowFrom.get(first + at) as unknown as EventRow
    this.insertRows(to, last, [this.codec.cut(row, at - last)])
  }

  /** The run is another's now, or may have been. */
  disown(no: number): void {
    this.lastSeqs.delete(no)
  }

  /** A commit has failed: what it stored is gone. */
  forget(): void {
    this.codec.forget()
    this.lastSeqs.clear()
    this.blobs = []
  }

  private write(no: number, epoch: number, drafts: readonly Draft[], last: number): boolean {
    const { sql } = this
    const rows = this.codec.encode(no, last + 1, drafts)
    if (rows.length === 1 && this.blobs.length === 0 && !drafts.some(changesMore))
      return this.insertOwned(no, epoch, last, rows[0] as NewRow)
    sql.begin.run()
    this.insertBlobs()
    let seq = last
    for (const row of rows) {
      if (!this.insertOwned(no, epoch, seq, row)) {
        sql.rollback.run()
        return false
      }
      seq += row.count
    }
    for (const draft of drafts) this.followUp(no, draft)
    sql.commit.run()
    return true
  }

  private insertOwned(no: number, epoch: number, last: number, row: NewRow): boolean {
    const { at, type, path, body, blob, count } = row
    const id = no * SEQ_RANGE + last + count
    const { changes } = this.sql.insertOwned.run(id, at, type, path, body, blob, no, epoch, this.sweeps)
    return Number(changes) === 1
  }

  private insertRows(no: number, last: number, rows: readonly NewRow[]): void {
    let seq = last
    for (const { at, type, path, body, blob, count } of rows) {
      seq += count
      this.sql.insertRow.run(no * SEQ_RANGE + seq, at, type, path, body, blob)
    }
  }

  private insertBlobs(): void {
    if (this.blobs.length === 0) return
    for (const [hash, body] of this.blobs) this.sql.putBlob.run(hash, body)
    this.blobs = []
  }

  private followUp(no: number, draft: Draft): void {
    const { sql } = this
    const status = statusAfter(draft)
    if (status !== null) sql.setStatus.run(status, no)
    else if (draft.type === 'signal-taken') sql.takeSignal.run(no, draft.to, draft.name, draft.number)
    else if (draft.type === 'signal-answered') sql.takeSignal.run(no, draft.path, draft.name, draft.number)
  }

  /** Also notices whether blobs were deleted meanwhile: then nothing is remembered to be stored. */
  private readLastSeq(no: number): number {
    const row = this.sql.lastKey.get(no * SEQ_RANGE, (no + 1) * SEQ_RANGE)
    const { id, sweeps } = row as { id: number | null; sweeps: number }
    if (sweeps !== this.sweeps) this.codec.forget()
    this.sweeps = sweeps
    return id === null ? 0 : id - no * SEQ_RANGE
  }
}

/** Whether more than the journal changes with it. */
function changesMore(draft: Draft): boolean {
  return draft.type === 'signal-taken' || draft.type === 'signal-answered' || statusAfter(draft) !== null
}

/**
 * The store on `node:sqlite`: one file, WAL, many readers, one owner for each run.
 *
 * With `synchronous: 'full'` (the default) replies are on disk before anyone sees them, so that they survive a power cut;
 * everything else survives `kill -9`. With `'normal'` replies do, too, and no more.
 */
import {
  type Draft,
  editEvent,
  type NewRun,
  runExists,
  runLocked,
  type Store,
  seqOutOfRange,
  statusAfter,
  unknownRun,
} from '../kernel/store.ts'
import { type Event, ThinkonError } from '../protocol/index.ts'
import { EventCodec, type EventRow } from './event-codec.ts'
import { holdOwnerLock, type OwnerLock, pidOf, whileDead } from './owner-lock.ts'
import { readError, storeError, withStoreErrors } from './sqlite-errors.ts'
import { importRun } from './sqlite-import.ts'
import { openDatabase, SQLITE_READONLY } from './sqlite-open.ts'
import { SqliteOutlines } from './sqlite-outlines.ts'
import { compactStore, deleteRun, runLists } from './sqlite-runs.ts'
import { prepare, READ_EVENTS, SEQ_RANGE, type StoredRun, signalOf } from './sqlite-statements.ts'
import { sweepStore } from './sweep-store.ts'

export interface SqliteOptions {
  synchronous?: 'full' | 'normal'
}

export function sqliteStore(path: string, options: SqliteOptions = {}): Store {
  const { database, writable } = withStoreErrors(path, () => openDatabase(path))
  const full = options.synchronous !== 'normal'
  const sql = withStoreErrors(path, () => prepare(database))
  const codec = new EventCodec({
    put: (hash, body) => void sql.putBlob.run(hash, body),
    get: (hash) => (sql.getBlob.get(hash) as { body: string | Uint8Array }).body,
  })
  const outlines = new SqliteOutlines(database)
  /** Of the runs that this process owns. */
  const numbers = new Map<string, number>()
  let lock: OwnerLock | null = null
  let synchronous = ''
  let sweeps = 0

  function numberOf(id: string): number {
    const row = sql.runNumber.get(id) as { no: number } | undefined
    if (row === undefined) throw unknownRun(id)
    return row.no
  }

  function setSynchronous(wanted: 'FULL' | 'NORMAL'): void {
    if (synchronous === wanted) return
    database.exec(`PRAGMA synchronous = ${wanted}`)
    synchronous = wanted
  }

  /** All or nothing. */
  function transaction<T>(action: () => T): T {
    return withStoreErrors(path, () => {
      sql.begin.run()
      try {
        const value = action()
        sql.commit.run()
        return value
      } catch (error) {
        codec.forget()
        if (database.isTransaction) database.exec('ROLLBACK')
        throw error
      }
    })
  }

  /** Gives the run so many more numbers; returns the last, or undefined if the epoch is another. To be called before anything is encoded. */
  function advance(no: number, count: number, atMs: number, epoch: number): number | undefined {
    const row = sql.advance.get(count, atMs, no, epoch) as { seq: number; sweeps: number } | undefined
    if (row !== undefined) noticeSweeps(row.sweeps)
    return row?.seq
  }

  /** Texts that this process has stored may have been deleted since (see sweep-store.ts). */
  function noticeSweeps(now: number): void {
    if (now !== sweeps) codec.forget()
    sweeps = now
  }

  function insertAll(no: number, first: number, drafts: readonly Draft[]): void {
    for (let i = 0; i < drafts.length; i++) insert(no, first + i, drafts[i] as Draft)
  }

  function insert(no: number, seq: number, draft: Draft): void {
    const { body, blob } = codec.encode(no, draft)
    sql.insertEvent.run(no * SEQ_RANGE + seq, draft.atMs, draft.type, draft.path, body, blob)
    const status = statusAfter(draft)
    if (status !== null) sql.setStatus.run(status, no)
    else if (draft.type === 'signal-taken') sql.takeSignal.run(no, draft.to, draft.name, draft.number)
    else if (draft.type === 'signal-answered') sql.takeSignal.run(no, draft.path, draft.name, draft.number)
  }

  function* read(id: string, from = 1, to = SEQ_RANGE - 1): Generator<Event> {
    const no = numberOf(id)
    const first = no * SEQ_RANGE
    try {
      for (const row of database.prepare(READ_EVENTS).iterate(first + from, first + to)) {
        const event = row as unknown as EventRow
        yield codec.decode(id, event, event.id - first)
      }
    } catch (thrown) {
      throw readError(thrown, path)
    }
  }

  function* pick(id: string, seqs: readonly number[], from: number): Generator<Event> {
    const first = numberOf(id) * SEQ_RANGE
    const wanted = new Set(seqs)
    const statement = database.prepare(READ_EVENTS)
    try {
      for (const [start, end] of ranges(seqs, from)) {
        for (const row of statement.iterate(first + start, first + end)) {
          const event = row as unknown as EventRow
          const seq = event.id - first
          if (seq >= from || wanted.has(seq)) yield codec.decode(id, event, seq, true)
        }
      }
    } catch (thrown) {
      throw readError(thrown, path)
    }
  }

  function assertNew(id: string): void {
    if (sql.runNumber.get(id) !== undefined) throw runExists(id)
  }

  function refuseWriting(): never {
    throw storeError({ errcode: SQLITE_READONLY }, path)
  }

  function ownLock(): OwnerLock {
    if (lock !== null) return lock
    if (!writable) refuseWriting()
    lock = withStoreErrors(path, () => holdOwnerLock(path))
    return lock
  }

  const file = { path, database, transaction }
  return {
    instant: false,
    create({ id, goal, strategy }: NewRun, first) {
      const { owner } = ownLock()
      const made = transaction(() => {
        assertNew(id)
        sql.createRun.run(id, JSON.stringify(goal), strategy, 1, owner, first.atMs, first.atMs, null)
        const no = numberOf(id)
        advance(no, 1, first.atMs, 1)
        insert(no, 1, first)
        return no
      })
      numbers.set(id, made)
      return 1
    },
    acquire(id) {
      const { owner } = ownLock()
      const no = numberOf(id)
      const was = sql.owner.get(no) as { owner: string | null; epoch: number }
      const takeOver = () => {
        const taken = transaction(() => sql.takeOver.run(owner, no, was.epoch).changes)
        if (Number(taken) !== 1) throw runLocked(id, 'another process')
      }
      if (was.owner === null || was.owner === owner) takeOver()
      else if (!withStoreErrors(path, () => whileDead(path, was.owner as string, takeOver))) {
        throw runLocked(id, `process ${pidOf(was.owner)}`)
      }
      numbers.set(id, no)
      return was.epoch + 1
    },
    release(id, epoch) {
      withStoreErrors(path, () => sql.release.run(numberOf(id), epoch))
      numbers.delete(id)
    },
    append(id, epoch, drafts, flush) {
      const no = numbers.get(id) ?? numberOf(id)
      withStoreErrors(path, () => setSynchronous(full && flush ? 'FULL' : 'NORMAL'))
      return transaction(() => {
        const count = drafts.length
        const last = advance(no, count, (drafts[count - 1] as Draft).atMs, epoch)
        if (last === undefined) {
          throw new ThinkonError(
            'OWNERSHIP_LOST',
            `run ${id} was taken over by another process; this one has stopped`,
          )
        }
        const first = last - count + 1
        insertAll(no, first, drafts)
        return first
      })
    },
    has: (id) => withStoreErrors(path, () => sql.runNumber.get(id) !== undefined),
    read,
    pick,
    outline: (id) => withStoreErrors(path, () => outlines.get(numberOf(id))),
    keepOutline(id, outline) {
      withStoreErrors(path, () => {
        setSynchronous('NORMAL')
        outlines.put(numberOf(id), outline)
      })
    },
    ...runLists(file),
    fork(id, at, newId, edit) {
      const no = numberOf(id)
      const run = sql.run.get(no) as unknown as StoredRun
      if (!Number.isInteger(at) || at < 1 || at > run.seq) throw seqOutOfRange(id, at, run.seq)
      transaction(() => {
        const [event] = read(id, at, at)
        const now = Math.max(Date.now(), Date.parse((event as Event).ts))
        assertNew(newId)
        sql.createRun.run(newId, run.goal, run.strategy, 0, null, now, now, id)
        const made = numberOf(newId)
        advance(made, at + 1, now, 0)
        const last = edit === undefined ? at : at - 1
        sql.copyEvents.run((made - no) * SEQ_RANGE, no * SEQ_RANGE + 1, no * SEQ_RANGE + last)
        if (edit !== undefined) {
          insert(made, at, draftOf(editEvent(event as Event, edit)))
        }
        insert(made, at + 1, {
          type: 'run-fork',
          from: id,
          at,
          edited: edit !== undefined,
          path: '1',
          atMs: now,
        })
        sql.setStatus.run('running', made)
      })
    },
    send(id, to, name, value) {
      return transaction(() => {
        const no = numberOf(id)
        const { number } = sql.nextNumber.get(no, to, name) as { number: number }
        sql.send.run(no, to, name, number, JSON.stringify(value ?? null), Date.now())
        return { path: to, name, number, value: value ?? null }
      })
    },
    pending(id) {
      return withStoreErrors(path, () => sql.pending.all(numberOf(id)).map((row) => signalOf(row as never)))
    },
    delete: (id) => deleteRun(file, id),
    sweep: () => (writable ? sweepStore(path) : refuseWriting()),
    compact: () => (writable ? compactStore(file) : refuseWriting()),
    import(run) {
      const { owner } = ownLock()
      const insert = (no: number, first: number, drafts: readonly Draft[]) => {
        noticeSweeps((sql.sweeps.get() as { sweeps: number }).sweeps)
        insertAll(no, first, drafts)
      }
      return importRun({ ...file, owner, assertNew, insert }, run)
    },
    version() {
      return withStoreErrors(path, () => (sql.version.get() as { data_version: number }).data_version)
    },
    close() {
      try {
        lock?.release()
      } finally {
        lock = null
        if (database.isOpen) database.close()
      }
    },
  }
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

function draftOf(event: Event): Draft {
  const { seq: _seq, ts, run: _run, ...body } = event
  return { ...body, atMs: Date.parse(ts) } as Draft
}

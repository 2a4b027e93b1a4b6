/**
 * The store on `node:sqlite`: one file, WAL, many readers, one owner for each run.
 *
 * With `synchronous: 'full'` (the default) replies are on disk before anyone sees them, so that they survive a power cut;
 * everything else survives `kill -9`. With `'normal'` replies do, too, and no more.
 */
import { realpathSync } from 'node:fs'
import { rollBack } from '../files/sqlite.ts'
import { type RunKey, runKey } from '../kernel/run-key.ts'
import {
  type Draft,
  draftOf,
  editEvent,
  type NewRun,
  type RunOrigin,
  runExists,
  runLocked,
  type Store,
  seqOutOfRange,
  unknownRun,
} from '../kernel/store.ts'
import { isBusy } from '../kernel/when-free.ts'
import {
  type Arguments,
  checkArguments,
  type Fields,
  fields,
  oneOf,
  text,
} from '../protocol/check-arguments.ts'
import { type Event, type Signal, ThinkonError } from '../protocol/index.ts'
import { Checkpoints } from './checkpoints.ts'
import { intactSignal, runChecksum, signalChecksum } from './checksums.ts'
import { bury, buryDead, holdOwnerLock, type OwnerLock, pidOf } from './owner-lock.ts'
import { type SignedSignal, Signer, unsealed } from './signatures.ts'
import { backUpStore } from './sqlite-backup.ts'
import { storeError, withReadErrors, withStoreErrors } from './sqlite-errors.ts'
import { importRun } from './sqlite-import.ts'
import {
  BUSY_TIMEOUT_MS,
  LOCKED_TIMEOUT_MS,
  openDatabase,
  SHORT_TIMEOUT_MS,
  SQLITE_READONLY,
} from './sqlite-open.ts'
import { sqliteOutlines } from './sqlite-outlines.ts'
import { defineQuestionChecksum, sqliteQuestions } from './sqlite-questions.ts'
import { eventReader, numberIn } from './sqlite-reader.ts'
import { compactStore, deleteRun, forgetOwner, isOwner, runLists } from './sqlite-runs.ts'
import { prepare } from './sqlite-statements.ts'
import { EventWriter } from './sqlite-writer.ts'
import { type StoredRun, signalOf } from './stored-run.ts'
import { sweepStore } from './sweep-store.ts'

export interface SqliteOptions {
  synchronous?: 'full' | 'normal'
  /** Signs the runs that are written: see EngineOptions. */
  key?: RunKey
}

const SQLITE_STORE: Arguments = {
  checks: {
    path: text,
    options: fields({ synchronous: oneOf(['full', 'normal']), key: runKey } satisfies Fields<SqliteOptions>),
  },
  needs: { path: 'the file' },
}

export function sqliteStore(path: string, options: SqliteOptions = {}): Store {
  checkArguments('sqliteStore', SQLITE_STORE, [path, options])
  const { database, writable } = withStoreErrors(path, () => openDatabase(path))
  const full = options.synchronous !== 'normal'
  defineQuestionChecksum(database)
  const sql = withStoreErrors(path, () => prepare(database))
  const signer = options.key === undefined ? null : new Signer(options.key)
  const questions = withStoreErrors(path, () => sqliteQuestions(database))
  const writer = new EventWriter(sql, questions, signer)
  const outlines = withStoreErrors(path, () => sqliteOutlines(database))
  /** Of the runs that this process owns. */
  const numbers = new Map<string, number>()
  /** Names the files beside the store, whatever path led to it. */
  const place = withStoreErrors(path, () => realpathSync(path))
  const checkpoints = withStoreErrors(path, () => new Checkpoints(database, place))
  let lock: OwnerLock | null = null
  let synchronous = ''
  let timeoutMs = BUSY_TIMEOUT_MS
  /** By another program, when it was last asked for. */
  let isLocked = false

  function setTimeoutMs(wanted: number): void {
    if (timeoutMs === wanted) return
    database.exec(`PRAGMA busy_timeout = ${wanted}`)
    timeoutMs = wanted
  }

  function numberOf(id: string): number {
    const no = withReadErrors(path, () => numberIn(sql, id))
    if (no === undefined) throw unknownRun(id)
    return no
  }

  function setSynchronous(wanted: 'FULL' | 'NORMAL'): void {
    if (synchronous === wanted) return
    database.exec(`PRAGMA synchronous = ${wanted}`)
    synchronous = wanted
  }

  function checkpoint(): void {
    setSynchronous('NORMAL')
    checkpoints.run()
  }

  /** Calls `action`, which writes. When it fails, nothing of what it wrote is there. */
  function writing<T>(action: () => T, waitMs = isLocked ? LOCKED_TIMEOUT_MS : SHORT_TIMEOUT_MS): T {
    try {
      setTimeoutMs(waitMs)
      if (checkpoints.isDue) checkpoint()
      const value = action()
      checkpoints.count(writer.takeChars())
      isLocked = false
      return value
    } catch (thrown) {
      writer.forget()
      rollBack(database)
      const error = storeError(thrown, path)
      isLocked = isBusy(error)
      throw error
    }
  }

  /** All or nothing. */
  function transaction<T>(action: () => T, waitMs?: number): T {
    return writing(() => {
      sql.begin.run()
      const value = action()
      sql.commit.run()
      return value
    }, waitMs)
  }

  const row = (no: number, seq: number) => writer.row(no, seq)
  const { read, pick } = eventReader({ path, database, sql, row }, numberOf)

  function originOfInbox(id: string, rows: (SignedSignal & { signature: string | null })[]): RunOrigin {
    const origins = rows.map((row) => signer?.check(row.signature, signer.signal(id, row)) ?? 'unchecked')
    return origins.find((origin) => origin !== 'own') ?? 'own'
  }

  /** In the transaction of the caller. */
  function send(id: string, no: number, to: string, name: string, value: unknown): Signal {
    const { number } = sql.nextNumber.get(no, to, name) as { number: number }
    const signal = { path: to, name, number, value: JSON.stringify(value ?? null) }
    const signature = signer?.signal(id, signal) ?? null
    sql.send.run(no, to, name, number, signal.value, Date.now(), signature, signalChecksum(no, signal))
    return { path: to, name, number, value: value ?? null }
  }

  function assertNew(id: string): void {
    if (numberIn(sql, id) !== undefined) throw runExists(id)
  }

  function createRow(
    id: string,
    goal: string,
    strategy: string,
    created: number,
    forkOf: string | null,
    owner: string | null,
  ): void {
    const crc = runChecksum(id, goal, strategy, created, forkOf)
    sql.createRun.run(id, goal, strategy, owner === null ? 0 : 1, owner, created, forkOf, crc)
  }

  function refuseWriting(): never {
    throw storeError({ errcode: SQLITE_READONLY }, path)
  }

  function ownLock(): OwnerLock {
    if (lock !== null) return lock
    if (!writable) refuseWriting()
    lock = withStoreErrors(path, () => {
      buryDead(place, forget)
      return holdOwnerLock(place)
    })
    return lock
  }

  /** When this process closes the store. */
  function isForgotten(owner: string): boolean {
    try {
      if (isOwner(database, owner)) forgetOwner({ ...file, transaction }, owner)
      return true
    } catch {
      return false
    }
  }

  /** The run's row, which names no other living owner. Throws RUN_LOCKED if it does. */
  function ownedBy(id: string, no: number, owner: string): OwnerRow {
    for (;;) {
      const row = sql.owner.get(no) as OwnerRow | undefined
      if (row === undefined) throw unknownRun(id)
      const other = row.owner
      if (other === null || other === owner) return row
      if (withStoreErrors(path, () => bury(place, other, forget))) continue
      // It may have released the run since its row was read.
      if ((sql.owner.get(no) as OwnerRow | undefined)?.owner === other)
        throw runLocked(id, `process ${pidOf(other)}`)
    }
  }

  const file = {
    path,
    place,
    database,
    transaction: <T>(action: () => T) => transaction(action, BUSY_TIMEOUT_MS),
  }
  const forget = (owner: string) => forgetOwner(file, owner)
  return {
    instant: false,
    create({ id, goal, strategy }: NewRun, first) {
      const { owner } = ownLock()
      const made = transaction(() => {
        assertNew(id)
        createRow(id, JSON.stringify(goal), strategy, first.atMs, null, owner)
        const no = numberOf(id)
        writer.insert(no, [first])
        writer.sign(no, id)
        return no
      })
      numbers.set(id, made)
      return 1
    },
    acquire(id) {
      const { owner } = ownLock()
      const no = numberOf(id)
      const was = ownedBy(id, no, owner)
      const taken = transaction(() => sql.takeOver.run(owner, no, was.epoch).changes)
      if (Number(taken) !== 1) throw runLocked(id, 'another process')
      numbers.set(id, no)
      writer.disown(no)
      return was.epoch + 1
    },
    release(id, epoch) {
      writing(() => {
        const no = numberOf(id)
        sql.release.run(writer.lastSeq(no), no, epoch)
        writer.disown(no)
      })
      numbers.delete(id)
    },
    append(id, epoch, drafts, flush) {
      return writing(() => {
        const no = numbers.get(id) ?? numberOf(id)
        setSynchronous(full && flush ? 'FULL' : 'NORMAL')
        const first = writer.append(no, epoch, drafts)
        if (first === null) throw ownershipLost(id)
        return first
      })
    },
    has: (id) => withReadErrors(path, () => numberIn(sql, id) !== undefined),
    read,
    pick,
    outline(id) {
      const stored = withStoreErrors(path, () => outlines.get(numberOf(id)))
      if (stored === null) return null
      return signer === null ? unsealed(stored) : signer.unseal(id, stored)
    },
    keepOutline(id, outline) {
      withStoreErrors(path, () => {
        setSynchronous('NORMAL')
        const no = numberOf(id)
        transaction(() => {
          outlines.put(no, signer === null ? outline : signer.seal(id, outline))
          sql.raiseLeastSeq.run(writer.lastSeq(no), no)
        })
      })
    },
    ...runLists(file),
    fork(id, at, newId, edit) {
      const no = numberOf(id)
      const run = sql.run.get(no) as unknown as StoredRun
      withReadErrors(path, () => questions.requireIntact(no, id))
      if (!Number.isInteger(at) || at < 1 || at > run.seq) throw seqOutOfRange(id, at, run.seq)
      transaction(() => {
        const [event] = read(id, at, at)
        const now = Math.max(Date.now(), Date.parse((event as Event).ts))
        const isOwn = writer.origin(no, id, at) === 'own'
        assertNew(newId)
        createRow(newId, run.goal, run.strategy, now, id, null)
        const made = numberOf(newId)
        writer.copy(no, made, edit === undefined ? at : at - 1)
        if (edit !== undefined) writer.insert(made, [draftOf(editEvent(event as Event, edit))])
        const fork = {
          type: 'run-fork',
          from: id,
          at,
          edited: edit !== undefined,
          path: '1',
          atMs: now,
        } as const
        writer.insert(made, [fork])
        if (isOwn) writer.sign(made, newId)
      })
    },
    send: (id, to, name, value) => transaction(() => send(id, numberOf(id), to, name, value)),
    answer(id, question, value) {
      return transaction(() => {
        const no = numberOf(id)
        const answered = withReadErrors(path, () => questions.answer(no, id, question))
        return answered === undefined ? null : send(id, no, answered.path, answered.name, value)
      })
    },
    expire: (id, to, name) => transaction(() => questions.expire(numberOf(id), id, to, name)),
    questions(query = {}) {
      return withReadErrors(path, () => {
        if (query.run !== undefined) numberOf(query.run)
        return questions.list(query)
      })
    },
    pending(id) {
      return withReadErrors(path, () => {
        const no = numberOf(id)
        return sql.pending.all(no).map((row) => signalOf(intactSignal(no, row as never)))
      })
    },
    delete: (id) => deleteRun(file, id),
    sweep: () => (writable ? sweepStore(place) : refuseWriting()),
    compact() {
      if (!writable) refuseWriting()
      const freedBytes = compactStore(file)
      writing(checkpoint)
      return freedBytes
    },
    backup: (file) => backUpStore(place, file),
    import(run) {
      const { owner } = ownLock()
      const insert = (no: number, drafts: readonly Draft[]) => writer.insert(no, drafts)
      const { id, takenFrom } = run
      const sign = (no: number) => {
        if (takenFrom !== undefined && writer.origin(numberOf(takenFrom), takenFrom) === 'own')
          writer.sign(no, id)
      }
      return importRun({ ...file, owner, assertNew, insert, sign, receive: questions.receive }, run)
    },
    origin(id) {
      return withReadErrors(path, () => {
        const no = numberOf(id)
        const origin = writer.origin(no, id)
        return origin === 'own' ? originOfInbox(id, sql.pending.all(no) as never) : origin
      })
    },
    version() {
      return withStoreErrors(path, () => (sql.version.get() as { data_version: number }).data_version)
    },
    close() {
      try {
        lock?.release(isForgotten(lock.owner))
      } finally {
        lock = null
        if (database.isOpen) {
          checkpoints.end()
          database.close()
        }
      }
    },
  }
}

interface OwnerRow {
  owner: string | null
  epoch: number
}

function ownershipLost(run: string): ThinkonError {
  return new ThinkonError(
    'OWNERSHIP_LOST',
    `run ${run} was taken over by another process; this one has stopped`,
  )
}

/**
 * What mirrors ask of the database, in SQL: what has changed since a version, bodies, and the commit.
 *
 * 1. `refresh` reads with one statement, so that all it finds is of one version.
 * 2. The commit is one statement: it updates the run's row only if the run is still at the mirror's version, and writes the rest only if
 *    it has updated that row. Whoever waited for the row sees the version as it is then.
 */
import { type Draft, livesWith, type NewRun, statusAfter } from '../../kernel/store.ts'
import { type Event, type Signal, ThinkonError } from '../../protocol/index.ts'
import type { Database, Query } from './connect.ts'
import type { EncodedRow } from './encode.ts'
import { withReadErrors } from './errors.ts'
import { type Changes, LARGE_NOTE, type Mirror, type RunRecord } from './mirror.ts'
import { searchText } from './runs.ts'
import type { RunTable } from './shared-runs.ts'
import { type Written, writing, written } from './statements.ts'

/** How events become rows, and are read again. */
export interface EventRows {
  encode(no: number, first: number, drafts: readonly Draft[]): readonly EncodedRow[]
  /** A commit to the run has failed, or one to any run. */
  forget(no?: number): void
  read(query: Query, run: string, no: number, seqs: readonly number[]): Promise<Event[]>
}

/** Of another run with that id, everything. */
const REFRESH = `
SELECT no, host, version, seq,
  (SELECT json_agg(json_build_array(key, CASE WHEN octet_length(value) <= ${LARGE_NOTE} THEN value END))
   FROM thinkon.notes WHERE run = no AND notes.version > since AND (since >= 0 OR value <> 'null')) AS notes,
  (SELECT json_agg(json_build_object('path', path, 'n', n, 'kind', kind, 'seq', records.seq))
   FROM thinkon.records WHERE run = no AND records.version > since) AS records,
  (SELECT json_agg(json_build_object('path', path, 'name', name, 'number', number, 'taken', taken,
     'value', CASE WHEN NOT taken THEN value END) ORDER BY inbox.id)
   FROM thinkon.inbox WHERE run = no AND inbox.version > since) AS signals
FROM thinkon.runs, LATERAL (SELECT CASE WHEN no = $2::bigint THEN $3::bigint ELSE -1 END AS since) AS mirror
WHERE id = $1`

const LOAD_NOTES = `
SELECT key, value FROM thinkon.notes WHERE run = $1 AND key = ANY ($2) AND version <= $3`

const LOCK = 'SELECT 1 FROM thinkon.runs WHERE id = $1 FOR UPDATE'

const ADVANCED = `
  UPDATE thinkon.runs SET version = version + 1, seq = $3, status = coalesce($4, status), changed = $5
  WHERE no = $1 AND version = $2 AND host = 'restate' RETURNING no, version`

const CREATED = `
  INSERT INTO thinkon.runs (id, host, version, seq, status, created, changed)
  SELECT $1, 'restate', $2 + 1, $3, coalesce($4, 'running'), $5, $5
  ON CONFLICT (id) DO NOTHING RETURNING no, version`

const RECORDS_AND_NOTES = `,
records AS (
  INSERT INTO thinkon.records (run, path, n, kind, seq, version)
  SELECT no, record.*, version FROM run, json_to_recordset($9) AS record (path text, n integer, kind text, seq integer)
),
notes AS (
  INSERT INTO thinkon.notes (run, key, value, version)
  SELECT no, key, value, version FROM run, json_each_text($10)
  ON CONFLICT (run, key) DO UPDATE SET value = excluded.value, version = excluded.version
)`

const GOAL = `,
goals AS (INSERT INTO thinkon.goals (run, goal, strategy, search) SELECT no, $12, $13, $14 FROM run)`

/** The setting holds for this transaction, which is this statement; null leaves it as the server has it. */
const ALSO = `, (SELECT version FROM run) AS version,
  set_config('synchronous_commit', coalesce($11, current_setting('synchronous_commit')), true)`

const COMMIT = writing(ADVANCED, 6, RECORDS_AND_NOTES, ALSO)
const CREATE = writing(CREATED, 6, RECORDS_AND_NOTES + GOAL, ALSO)

interface Refreshed {
  readonly no: number
  readonly host: string
  readonly version: number
  readonly seq: number
  readonly notes: readonly (readonly [key: string, value: string | null])[] | null
  readonly records: readonly RunRecord[] | null
  readonly signals: readonly (Omit<Signal, 'value'> & { value: string | null; taken: boolean })[] | null
}

/** `full`: what is to be flushed is on the server's disk when it is committed. */
export function runTable(database: Database, rows: EventRows, full = true): RunTable {
  const on = (query: Query, read = query): RunTable => ({
    async refresh(mirror) {
      const [row] = await read<Refreshed>(REFRESH, [mirror.run, mirror.no, mirror.version], 'refresh')
      return bringUpToDate(mirror, row)
    },

    async load(mirror) {
      const { no, run, version, missing } = mirror
      const seqs = [...missing.events].sort((a, b) => a - b)
      const keys = [...missing.notes]
      const bodies = () => rows.read(read, run, no, seqs)
      const events = seqs.length === 0 ? [] : await withReadErrors(database, bodies)
      for (const event of events) mirror.keep(event.seq, event)
      if (events.length < seqs.length) return false
      if (keys.length === 0) return true
      const notes = await read<{ key: string; value: string }>(LOAD_NOTES, [no, keys, version], 'load-notes')
      for (const { key, value } of notes) mirror.keep(key, value)
      return notes.length === keys.length
    },

    async commit(mirror, changes, flush) {
      const { no } = mirror
      const values = valuesOf(mirror, changes, rows, full && flush)
      try {
        const [answer] =
          changes.created === null
            ? await query<Committed>(COMMIT, values, 'commit')
            : await query<Committed>(CREATE, [...values, ...goalOf(changes.created)], 'create')
        const { no: written, version } = answer as Committed
        if (written === null) rows.forget(no)
        else mirror.absorb(changes, written, version)
        return written !== null
      } catch (thrown) {
        rows.forget(no)
        throw thrown
      }
    },

    async locked(run, action) {
      try {
        return await database.transaction(async (locked) => {
          await locked(LOCK, [run], 'lock')
          const table: RunTable = { ...on(locked), locked: (_run, inner) => inner(table) }
          return action(table)
        })
      } catch (thrown) {
        // What was written in it may not be there.
        rows.forget()
        throw thrown
      }
    },
  })
  return on(database.query, database.read)
}

interface Committed extends Written {
  readonly version: number
}

function bringUpToDate(mirror: Mirror, row: Refreshed | undefined): boolean {
  if (row !== undefined && row.no === mirror.no && row.version === mirror.version) return false
  if (row?.no !== mirror.no) mirror.clear()
  if (row === undefined) return true
  if (row.host !== 'restate') throw otherHost(mirror)
  for (const [key, value] of row.notes ?? []) mirror.setNote(key, value)
  for (const record of row.records ?? []) mirror.setRecord(record)
  for (const { taken, value, ...signal } of row.signals ?? []) {
    mirror.setSignal({ ...signal, value: value === null ? null : JSON.parse(value) }, taken)
  }
  mirror.no = row.no
  mirror.version = row.version
  mirror.seq = row.seq
  return true
}

function valuesOf(mirror: Mirror, changes: Changes, rows: EventRows, flush: boolean): unknown[] {
  const { no, run, version, seq } = mirror
  const drafts = changes.events.map(({ draft }) => draft)
  const encoded = drafts.length === 0 ? [] : rows.encode(no, seq + 1, drafts)
  const records = changes.events.flatMap(({ record }) => record ?? [])
  return [
    changes.created === null ? no : run,
    version,
    changes.seq,
    drafts.map(statusAfter).findLast((status) => status !== null) ?? null,
    drafts.at(-1)?.atMs ?? Date.now(),
    ...written(encoded, drafts, seq + 1),
    JSON.stringify(records),
    JSON.stringify(Object.fromEntries(changes.notes)),
    flush ? null : 'off',
  ]
}

function goalOf(run: NewRun): unknown[] {
  return [JSON.stringify(run.goal), run.strategy, searchText(run)]
}

function otherHost({ run, no }: Mirror): ThinkonError {
  return no === 0
    ? livesWith('local', run)
    : new ThinkonError('OWNERSHIP_LOST', `run ${run} was taken over by a local host; the cluster has stopped`)
}

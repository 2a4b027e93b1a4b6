/**
 * Frees what no run needs any more: the events of runs that were deleted or never imported to their end, then the blobs that
 * no event refers to. Other processes may write all the while.
 *
 * 1. First everything is marked that runs refer to, without a lock. Then blobs are deleted, some in each transaction, which holds the lock that
 *    all who write events share, and begins by marking what was written since: no blob goes that a committed event refers to.
 * 2. Processes remember which texts they have stored for a run, and refer to them there without writing them again: the run's events refer to
 *    them already. All else that a commit refers to is stored with it, unless it is there while the commit has the lock.
 */
import type { Client } from 'pg'
import type { SweepProgress } from '../../kernel/store.ts'
import { BEGIN, type Database, type Query } from './connect.ts'
import { isDead } from './ownership.ts'
import { SWEEP_LOCK } from './schema.ts'

/** Runs whose events are looked at, events that are deleted, and blobs that are deleted in one step. */
const RUNS = 256
const EVENTS = 2_000
const BLOBS = 1_000

/** On a connection of its own, whose temporary tables have what is needed. */
export async function* sweepStore(database: Database): AsyncGenerator<SweepProgress> {
  const client = await database.dedicated()
  client.on('error', () => {})
  try {
    yield* sweep(queryOn(client, database))
  } finally {
    await client.end().catch(() => {})
  }
}

function queryOn(client: Client, database: Database): Query {
  return async <Row>(text: string, values: readonly unknown[] = []) => {
    try {
      return (await client.query(text, [...values])).rows as Row[]
    } catch (thrown) {
      throw database.error(thrown)
    }
  }
}

async function* sweep(query: Query): AsyncGenerator<SweepProgress> {
  let freedBytes = 0
  for await (const bytes of deleteUnlisted(query)) {
    freedBytes += bytes
    yield { done: 0, of: 1, freedBytes }
  }
  await query(TABLES)
  const [first] = await query<{ runs: number; blobs: number }>(EXTENT)
  const { runs, blobs } = first as { runs: number; blobs: number }
  const of = Math.max(1, runs + blobs)
  for (let no = 0; no < runs; no += RUNS) {
    await query(MARK_RUNS, [no, no + RUNS])
    yield { done: Math.min(no + RUNS, runs), of, freedBytes }
  }
  let looked = 0
  for await (const { hashes, bytes } of deleteUnmarked(query)) {
    looked += hashes
    freedBytes += bytes
    yield { done: Math.min(of, runs + looked), of, freedBytes }
  }
  yield { done: 1, of: 1, freedBytes }
}

/** Yields how many bytes were freed. */
async function* deleteUnlisted(query: Query): AsyncGenerator<number> {
  for (const { run } of await query<{ run: number }>(GIVE_UP)) {
    for (;;) {
      const [deleted] = await query<{ rows: number; bytes: number }>(DELETE_EVENTS, [run, EVENTS])
      const { rows, bytes } = deleted as { rows: number; bytes: number }
      if (rows === 0) break
      yield bytes
    }
    await query(DELETE_REST, [run])
  }
}

async function* deleteUnmarked(query: Query): AsyncGenerator<{ hashes: number; bytes: number }> {
  for (let last = ''; ; ) {
    const window = await query<{ hash: string; needed: boolean }>(WINDOW, [last, BLOBS])
    if (window.length === 0) return
    last = (window.at(-1) as { hash: string }).hash
    const garbage = window.flatMap(({ hash, needed }) => (needed ? [] : [hash]))
    yield { hashes: window.length, bytes: garbage.length === 0 ? 0 : await deleteBlobs(query, garbage) }
  }
}

async function deleteBlobs(query: Query, hashes: readonly string[]): Promise<number> {
  // Most of what was written meanwhile is marked before the lock is taken.
  await query(MARK_NEW)
  await query(BEGIN)
  try {
    await query('SELECT pg_advisory_xact_lock($1)', [SWEEP_LOCK])
    await query(MARK_NEW)
    const [freed] = await query<{ bytes: number }>(DELETE_BLOBS, [hashes])
    await query('COMMIT')
    return freed?.bytes ?? 0
  } catch (thrown) {
    await query('ROLLBACK').catch(() => {})
    throw thrown
  }
}

/** What is needed, and up to which event each run was looked at. */
const TABLES = `
CREATE TEMP TABLE needed (hash text PRIMARY KEY);
CREATE TEMP TABLE seen (run bigint PRIMARY KEY, seq integer NOT NULL)`

/** What was not looked at when it begins is looked at by MARK_NEW. */
const EXTENT = `
SELECT (SELECT coalesce(max(run), 0) FROM thinkon.events) AS runs, (SELECT count(*) FROM thinkon.blobs) AS blobs`

/**
 * Marks what the rows that `looked` finds refer to, and all that this refers to. That is mostly little, which PostgreSQL can't know: OFFSET keeps it
 * from reading whole tables for it.
 */
const marking = (looked: string) => `
WITH RECURSIVE looked AS MATERIALIZED (${looked}),
seeing AS (
  INSERT INTO seen (run, seq) SELECT run, max(seq) FROM looked GROUP BY run
  ON CONFLICT (run) DO UPDATE SET seq = excluded.seq
),
more (hash) AS (
  SELECT ref FROM looked, unnest(refs) AS ref WHERE NOT EXISTS (SELECT FROM needed WHERE hash = ref)
  UNION
  SELECT ref FROM more CROSS JOIN LATERAL (
    SELECT unnest(refs) AS ref FROM thinkon.blobs WHERE blobs.hash = more.hash OFFSET 0
  ) AS stored
  WHERE NOT EXISTS (SELECT FROM needed WHERE hash = ref)
)
INSERT INTO needed SELECT hash FROM more ON CONFLICT DO NOTHING`

const MARK_RUNS = marking('SELECT run, seq, refs FROM thinkon.events WHERE run > $1 AND run <= $2')

/** Also of imports under way. */
const MARK_NEW = marking(`
  SELECT grown.run, added.seq, refs FROM (
    SELECT no AS run, coalesce(seen.seq, 0) AS seq FROM thinkon.runs LEFT JOIN seen ON seen.run = no
    WHERE runs.seq > coalesce(seen.seq, 0)
    UNION ALL
    SELECT run, coalesce(seen.seq, 0) FROM thinkon.unlisted LEFT JOIN seen USING (run) WHERE owner IS NOT NULL
  ) AS grown CROSS JOIN LATERAL (
    SELECT events.seq, refs FROM thinkon.events WHERE events.run = grown.run AND events.seq > grown.seq OFFSET 0
  ) AS added`)

const WINDOW = `
SELECT hash, EXISTS (SELECT FROM needed WHERE needed.hash = blobs.hash) AS needed
FROM thinkon.blobs WHERE hash > $1 ORDER BY hash LIMIT $2`

const DELETE_BLOBS = `
WITH gone AS (
  DELETE FROM thinkon.blobs WHERE hash = ANY ($1) AND NOT EXISTS (SELECT FROM needed WHERE needed.hash = blobs.hash)
  RETURNING octet_length(body) AS bytes
)
SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM gone`

/** From here on nobody adds to them: an import checks that it is still the owner. */
const GIVE_UP = `
UPDATE thinkon.unlisted SET owner = NULL WHERE owner IS NULL OR ${isDead('owner')} RETURNING run`

const DELETE_EVENTS = `
WITH gone AS (
  DELETE FROM thinkon.events WHERE run = $1
    AND seq IN (SELECT seq FROM thinkon.events WHERE run = $1 ORDER BY seq LIMIT $2)
  RETURNING coalesce(pg_column_size(body), 0) AS bytes
)
SELECT count(*) AS rows, coalesce(sum(bytes), 0)::bigint AS bytes FROM gone`

const DELETE_REST = `
WITH ${['goals', 'inbox', 'questions', 'outlines', 'records', 'notes', 'claims']
  .map((table) => `${table} AS (DELETE FROM thinkon.${table} WHERE run = $1)`)
  .join(', ')}
DELETE FROM thinkon.unlisted WHERE run = $1`

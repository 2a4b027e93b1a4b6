/** Deletes the events of runs that were deleted or never imported to their end. Other processes may write all the while. */
import type { Client } from 'pg'
import type { SweepProgress } from '../../kernel/store.ts'
import type { Database, Query } from './connect.ts'
import { isDead } from './ownership.ts'

/** That are deleted in one step. */
const EVENTS = 2_000

/** Uses a separate connection. */
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
WITH ${['goals', 'inbox', 'questions', 'outlines']
  .map((table) => `${table} AS (DELETE FROM thinkon.${table} WHERE run = $1)`)
  .join(', ')}
DELETE FROM thinkon.unlisted WHERE run = $1`

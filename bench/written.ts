import type { Database } from '../src/store/postgres/connect.ts'

const WRITTEN = `
SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint AS wal,
  (SELECT sum(n_tup_ins + n_tup_upd)::bigint FROM pg_stat_user_tables) AS rows,
  (SELECT sum(pg_total_relation_size(relid))::bigint FROM pg_stat_user_tables) AS stored`

interface Written {
  readonly wal: number
  readonly rows: number
  /** Bytes of tables and indexes. */
  readonly stored: number
}

/** What a PostgreSQL has written so far. */
export async function written(database: Database): Promise<Written> {
  await database.query('SELECT pg_stat_force_next_flush()')
  const [found] = await database.query<Written>(WRITTEN)
  return found ?? { wal: 0, rows: 0, stored: 0 }
}

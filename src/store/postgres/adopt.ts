/** A run that was forked or imported comes to the cluster, in one statement. */
import { type Adoption, livesWith, unknownRun } from '../../kernel/store.ts'
import type { Database } from './connect.ts'

export async function adoptRun(
  database: Database,
  id: string,
  load: () => Promise<Adoption | null>,
): Promise<void> {
  const [run] = await database.read<{ host: string; epoch: number }>(HOST, [id])
  if (run === undefined) throw unknownRun(id)
  if (run.host === 'restate') return
  if (run.epoch > 0) throw livesWith('local', id)
  const adoption = await load()
  if (adoption === null) return
  const { seq, records, notes } = adoption
  const values = Object.fromEntries(Object.entries(notes).map(([key, note]) => [key, JSON.stringify(note)]))
  const [adopted] = await database.query(ADOPT, [id, seq, JSON.stringify(records), JSON.stringify(values)])
  if (adopted !== undefined) return
  // Another process was faster: with the cluster, or on its own.
  const [now] = await database.read<{ host: string }>(HOST, [id])
  if (now?.host === 'restate') return
  throw now === undefined ? unknownRun(id) : livesWith('local', id)
}

const HOST = 'SELECT host, epoch FROM thinkon.runs WHERE id = $1'

/** The epoch is that of a run which nobody has owned. Whoever has sent it a signal has told no engine of it. */
const ADOPT = `
WITH run AS (
  UPDATE thinkon.runs SET host = 'restate', version = version + 1
  WHERE id = $1 AND host = 'local' AND epoch = 0 AND seq = $2 RETURNING no, version
),
records AS (
  INSERT INTO thinkon.records (run, path, n, kind, seq, version)
  SELECT no, record.*, version FROM run, json_to_recordset($3) AS record (path text, n integer, kind text, seq integer)
),
notes AS (
  INSERT INTO thinkon.notes (run, key, value, version) SELECT no, key, value, version FROM run, json_each_text($4)
),
signals AS (UPDATE thinkon.inbox SET rung = false FROM run WHERE inbox.run = no AND NOT taken)
SELECT no FROM run`

/**
 * A run that comes from elsewhere, written in several commits. Its number is `unlisted` until the last of them puts the run into the
 * list: nobody sees a part of it, and what a process that died left behind is swept.
 */
import {
  type AsyncRunImport,
  type Draft,
  type ImportedRun,
  runExists,
  statusAfter,
} from '../../kernel/store.ts'
import { ThinkonError } from '../../protocol/index.ts'
import type { Signer } from '../signatures.ts'
import type { Database, Query } from './connect.ts'
import { EventEncoder } from './encode.ts'
import { originOf, signRun } from './origin.ts'
import type { Ownership } from './ownership.ts'
import { RECEIVE_ANSWERS } from './questions.ts'
import { searchText } from './runs.ts'
import { APPEND_UNLISTED, type Written, written } from './statements.ts'

export async function importRun(
  { database, signer, owner }: { database: Database; signer: Signer | null; owner: Ownership },
  run: ImportedRun,
): Promise<AsyncRunImport> {
  await owner.hold()
  const { id, goal, strategy, createdMs, forkOf, inbox } = run
  const signals = inbox.map((signal) => ({ ...signal, value: JSON.stringify(signal.value ?? null) }))
  const [reserved] = await database.query<{ no: number }>(RESERVE, [
    id,
    owner.key,
    JSON.stringify(signals),
    Date.now(),
  ])
  if (reserved === undefined) throw runExists(id)
  const { no } = reserved
  const encoder = new EventEncoder()
  let seq = 0
  let status = 'running'
  let changed = createdMs

  async function signCopy(query: Query, key: Signer, source: string): Promise<void> {
    if ((await originOf(query, key, source)) === 'own') await signRun(query, key, no, id)
  }

  return {
    async append(drafts) {
      if (drafts.length === 0) return
      const values = [no, owner.key, ...written(encoder.encode(seq + 1, drafts), drafts, seq + 1)]
      const [answer] = await database.query<Written>(APPEND_UNLISTED, values).catch((thrown) => {
        encoder.forget()
        throw thrown
      })
      // This process was taken for dead.
      if (answer?.no == null) throw givenUp(id)
      seq += drafts.length
      for (const draft of drafts) status = statusAfter(draft) ?? status
      changed = (drafts.at(-1) as Draft).atMs
    },
    async commit() {
      await database.query(RECEIVE_ANSWERS, [no])
      const row = [no, id, status, seq, createdMs, changed, forkOf, owner.key]
      const texts = [JSON.stringify(goal), strategy, searchText(run)]
      if (signer !== null && run.takenFrom !== undefined)
        await signCopy(database.query, signer, run.takenFrom)
      const [made] = await database.query(LIST, [...row, ...texts])
      if (made !== undefined) return
      const [taken] = await database.read('SELECT 1 FROM thinkon.runs WHERE id = $1', [id])
      throw taken === undefined ? givenUp(id) : runExists(id)
    },
    async abort() {
      await database.query('UPDATE thinkon.unlisted SET owner = NULL WHERE run = $1', [no])
    },
  }
}

/** Nothing, if there is a run of that name. */
const RESERVE = `
WITH reserved AS (
  INSERT INTO thinkon.unlisted (run, owner)
  SELECT nextval(pg_get_serial_sequence('thinkon.runs', 'no')), $2
  WHERE NOT EXISTS (SELECT FROM thinkon.runs WHERE id = $1)
  RETURNING run
),
inbox AS (
  INSERT INTO thinkon.inbox (run, path, name, number, value, at)
  SELECT run, signal.*, $4 FROM reserved, json_to_recordset($3)
    AS signal (path text, name text, number integer, value text)
)
SELECT run AS no FROM reserved`

const LIST = `
WITH unlisted AS (
  DELETE FROM thinkon.unlisted WHERE run = $1 AND owner = $8 AND NOT EXISTS (SELECT FROM thinkon.runs WHERE id = $2) RETURNING run
),
made AS (
  INSERT INTO thinkon.runs (no, id, status, seq, created, changed, fork_of)
  SELECT run, $2, $3, $4, $5, $6, $7 FROM unlisted RETURNING no
)
INSERT INTO thinkon.goals (run, goal, strategy, search) SELECT no, $9, $10, $11 FROM made RETURNING run`

function givenUp(id: string): ThinkonError {
  return new ThinkonError(
    'STORE_IO',
    `the import of run ${id} was given up: the connection to the store was lost for a while; import it again`,
    { data: { run: id } },
  )
}

/** Statements that write events. Each is one round trip and a transaction of its own. */
import type { Draft } from '../../kernel/store.ts'
import type { Signal } from '../../protocol/index.ts'
import { type EncodedRow, insertRows } from './encode.ts'
import { NOTIFY_WORKER } from './ownership.ts'
import { followQuestions, questionChanges } from './questions.ts'

/**
 * Writes what the parameters from `p` on have, if `run` finds or makes the run's row: rows of events, the signals that were taken, and
 * the changes of questions.
 */
export function writing(run: string, p: number, rest = '', also = ''): string {
  return `
WITH run (no, version) AS (${run}),
events AS (${insertRows('run', `$${p}`)}),
taken AS (
  UPDATE thinkon.inbox SET taken = true, version = run.version
  FROM run, json_to_recordset($${p + 1}) AS signal (path text, name text, number integer)
  WHERE inbox.run = run.no AND inbox.path = signal.path AND inbox.name = signal.name AND inbox.number = signal.number
),${followQuestions(`$${p + 2}`)}${rest}
SELECT (SELECT no FROM run) AS no${also}`
}

/** The parameters for it. `first`: the number of the first event. */
export function written(rows: readonly EncodedRow[], drafts: readonly Draft[], first: number): string[] {
  const taken = drafts.flatMap((draft) => takenBy(draft) ?? [])
  return [rows, taken, questionChanges(drafts, first)].map((list) => JSON.stringify(list))
}

const OWNED = `
  UPDATE thinkon.runs SET seq = seq + $4, changed = $5, status = coalesce($6, status), needs = coalesce($7, needs),
    version = version + 1
  WHERE no = $1 AND epoch = $2 AND seq = $3 RETURNING no, version`

/** Nothing, if the run has another epoch or another last event. */
export const APPEND = writing(OWNED, 8)

/** The same, not necessarily on disk when it is answered. What counts is the setting at the end of the transaction. */
export const APPEND_SOON = writing(OWNED, 8, '', `, set_config('synchronous_commit', 'off', true)`)

/** A new run and its first events; nothing, if there is one of its name. */
export const CREATE = writing(
  `INSERT INTO thinkon.runs (id, created, changed, seq, epoch, owner, owner_name)
   SELECT $1, $2, $2, $3, 1, $4, $5 ON CONFLICT (id) DO NOTHING RETURNING no, version`,
  9,
  `,
goal AS (INSERT INTO thinkon.goals (run, goal, strategy, search) SELECT run.no, $6, $7, $8 FROM run)`,
)

/** The same without an owner: workers take it when it is due. */
export const OFFER = writing(
  `INSERT INTO thinkon.runs (id, created, changed, seq, host, wake, needs)
   SELECT $1, $2, $2, 1, 'cluster', $3, $4 ON CONFLICT (id) DO NOTHING RETURNING no, version`,
  8,
  `,
goal AS (INSERT INTO thinkon.goals (run, goal, strategy, search) SELECT run.no, $5, $6, $7 FROM run)`,
  `, ${NOTIFY_WORKER}`,
)

/** Events of a run that is being imported by `$2`; nothing if it was given up. */
export const APPEND_UNLISTED = writing(
  `UPDATE thinkon.unlisted SET owner = $2 WHERE run = $1 AND owner = $2 RETURNING run, 0`,
  3,
)

/** What they answer: `no` is null if nothing was written. */
export interface Written {
  readonly no: number | null
}

/** The signal that the event takes from the inbox, or null. */
function takenBy(draft: Draft): Pick<Signal, 'path' | 'name' | 'number'> | null {
  if (draft.type !== 'signal-taken' && draft.type !== 'signal-answered') return null
  const { name, number } = draft
  return { path: draft.type === 'signal-taken' ? draft.to : draft.path, name, number }
}

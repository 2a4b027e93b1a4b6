/**
 * The questions of runs, in PostgreSQL. A row is written by the statement that writes its events, and stays when the question is closed: a
 * fork at an earlier event opens it again.
 */
import type { QuestionKey, QuestionQuery } from '../../kernel/run-query.ts'
import { type Draft, unknownRun } from '../../kernel/store.ts'
import type { Signal } from '../../protocol/index.ts'
import { questionChange } from '../question-changes.ts'
import type { Signer } from '../signatures.ts'
import type { Database } from './connect.ts'
import { withReadErrors } from './errors.ts'
import { NOTIFY_OWNER, SIGNAL_RUN } from './ownership.ts'

export const QUESTIONS = `
-- answered: an answer was accepted. closed: the event that closed it.
CREATE TABLE thinkon.questions (
  run bigint NOT NULL, seq integer NOT NULL, path text NOT NULL, name text NOT NULL, answerer text NOT NULL, at bigint NOT NULL,
  answered boolean NOT NULL DEFAULT false, closed integer,
  PRIMARY KEY (run, seq)
);
CREATE INDEX open_questions ON thinkon.questions (run, answerer) WHERE closed IS NULL AND NOT answered;
`

/** One change of a run's questions, as `followQuestions` takes them. A `closed` without a path closes all. */
interface QuestionChangeRow {
  readonly path?: string
  readonly name?: string
  readonly opened?: number
  readonly answerer?: string
  readonly at?: number
  closed?: number
}

/** The changes of events whose first has the number `first`. */
export function questionChanges(drafts: readonly Draft[], first: number): QuestionChangeRow[] {
  const rows: QuestionChangeRow[] = []
  for (const [i, draft] of drafts.entries()) {
    const change = questionChange(draft)
    if (change === null) continue
    const seq = first + i
    if (change.what === 'opened') {
      const { path, name } = change
      rows.push({ path, name, opened: seq, answerer: change.for, at: draft.atMs })
      continue
    }
    const key = change.what === 'closed' ? { path: change.path, name: change.name } : {}
    // A statement does not see the rows that it inserts itself.
    for (const row of rows)
      if (
        row.opened !== undefined &&
        (key.path === undefined || (row.path === key.path && row.name === key.name))
      )
        row.closed ??= seq
    rows.push({ ...key, closed: seq })
  }
  return rows
}

/** Expressions for a WITH that has `run (no, …)`; `parameter` has the rows as JSON. */
export function followQuestions(parameter: string): string {
  const columns = 'path text, name text, opened integer, answerer text, at bigint, closed integer'
  return `
opened AS (
  INSERT INTO thinkon.questions (run, seq, path, name, answerer, at, closed)
  SELECT run.no, opened, path, change.name, answerer, at, closed
  FROM run, json_to_recordset(${parameter}) AS change (${columns}) WHERE opened IS NOT NULL
),
closed AS (
  UPDATE thinkon.questions SET closed = change.closed
  FROM run, json_to_recordset(${parameter}) AS change (${columns})
  WHERE change.opened IS NULL AND questions.run = run.no AND questions.closed IS NULL
    AND (change.path IS NULL OR (questions.path = change.path AND questions.name = change.name))
)`
}

/** Opens in the run $2 the questions of the run $1 that were open at event $3. */
export const COPY_QUESTIONS = `
INSERT INTO thinkon.questions (run, seq, path, name, answerer, at)
SELECT $2, seq, path, name, answerer, at FROM thinkon.questions
WHERE run = $1 AND seq <= $3 AND (closed IS NULL OR closed > $3)`

/** Closes the questions of the run $1 whose answers came with it. */
export const RECEIVE_ANSWERS = `
UPDATE thinkon.questions SET answered = true FROM thinkon.inbox
WHERE questions.run = $1 AND closed IS NULL AND inbox.run = questions.run AND inbox.path = questions.path
  AND inbox.name = questions.name AND NOT taken`

/** Who answers the open questions of the run whose number is `no`; a person if several do. */
export const ASKS = `(
  SELECT max(answerer) FROM thinkon.questions WHERE questions.run = no AND closed IS NULL AND NOT answered
)`

const LIST = `
SELECT runs.id AS run, questions.seq AS id, path, name FROM thinkon.questions JOIN thinkon.runs ON no = run
WHERE closed IS NULL AND NOT answered AND ($1::text IS NULL OR answerer = $1) AND ($2::text IS NULL OR runs.id = $2)
ORDER BY at, run, questions.seq LIMIT $3 OFFSET $4`

/** One row with nulls, if the run has no such question. */
const QUESTION = `
SELECT path, name FROM thinkon.runs LEFT JOIN thinkon.questions ON run = no AND questions.seq = $2 WHERE runs.id = $1`

/** Of two answers, the second waits for the question's row and then finds it answered. */
const ANSWER = `
WITH run AS (UPDATE thinkon.runs SET ${SIGNAL_RUN} WHERE id = $1 RETURNING no, version, owner, wake),
question AS (
  UPDATE thinkon.questions SET answered = true FROM run
  WHERE questions.run = no AND questions.seq = $2 AND closed IS NULL AND NOT answered RETURNING path, name
),
sent AS (
  INSERT INTO thinkon.inbox (run, path, name, number, value, at, version, signature)
  SELECT no, path, name, 1, $3, $4, version, $5 FROM run, question RETURNING number
)
SELECT number, ${NOTIFY_OWNER} FROM sent, run`

const EXPIRE = `
UPDATE thinkon.questions SET answered = true FROM thinkon.runs
WHERE runs.id = $1 AND run = no AND path = $2 AND name = $3 AND closed IS NULL AND NOT answered RETURNING questions.seq`

/** `answer`, `expire` and `questions` of the store. */
export function questions(database: Database, signer: Signer | null) {
  return {
    async answer(id: string, question: number, value: unknown): Promise<Signal | null> {
      const [key] = await database.query<{ path: string | null; name: string }>(QUESTION, [id, question])
      if (key === undefined) throw unknownRun(id)
      const { path, name } = key
      if (path === null) return null
      const json = JSON.stringify(value ?? null)
      const signature = signer?.signal(id, { path, name, number: 1, value: json }) ?? null
      const sent = await database.query(ANSWER, [id, question, json, Date.now(), signature])
      return sent.length === 0 ? null : { path, name, number: 1, value: value ?? null }
    },
    async expire(id: string, path: string, name: string): Promise<boolean> {
      return (await database.query(EXPIRE, [id, path, name])).length > 0
    },
    questions: (query: QuestionQuery = {}): Promise<QuestionKey[]> =>
      withReadErrors(database, async () => {
        const { run = null, for: wanted = null, limit = null, offset = 0 } = query
        const listed = await database.read<QuestionKey>(LIST, [wanted, run, limit, offset])
        if (listed.length > 0 || run === null) return listed
        const [found] = await database.read('SELECT 1 FROM thinkon.runs WHERE id = $1', [run])
        if (found === undefined) throw unknownRun(run)
        return listed
      }),
  }
}

/**
 * The questions of runs, in SQLite. A row is written in the transaction of its events, and stays when the question is closed: a fork at an
 * earlier event opens it again.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { QuestionKey, QuestionQuery } from '../kernel/run-query.ts'
import type { Draft } from '../kernel/store.ts'
import { questionChange } from './question-changes.ts'

/** `answered`: an answer was accepted. `closed`: the number of the event that closed it. */
export const QUESTIONS = `
CREATE TABLE questions (
  run INTEGER NOT NULL, seq INTEGER NOT NULL, path TEXT NOT NULL, name TEXT NOT NULL, answerer TEXT NOT NULL, at INTEGER NOT NULL,
  answered INTEGER NOT NULL DEFAULT 0, closed INTEGER, PRIMARY KEY (run, seq)
) WITHOUT ROWID;
CREATE INDEX open_questions ON questions (run, answerer) WHERE closed IS NULL AND answered = 0;
`

/** Who answers the open questions of the run whose number is `no`; a person if several do. */
export const ASKS = `(
  SELECT max(answerer) FROM questions WHERE questions.run = no AND questions.closed IS NULL AND questions.answered = 0
)`

const LIST = `
SELECT runs.id AS run, seq AS id, path, name FROM questions JOIN runs ON runs.no = questions.run
WHERE questions.closed IS NULL AND questions.answered = 0 AND (? IS NULL OR answerer = ?) AND (? IS NULL OR runs.id = ?)
ORDER BY questions.at, questions.run, seq LIMIT ? OFFSET ?`

export function sqliteQuestions(database: DatabaseSync) {
  const statement = (text: string) => database.prepare(text)
  const opened = statement(
    'INSERT INTO questions (run, seq, path, name, answerer, at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const closed = statement(
    'UPDATE questions SET closed = ? WHERE run = ? AND path = ? AND name = ? AND closed IS NULL',
  )
  const allClosed = statement('UPDATE questions SET closed = ? WHERE run = ? AND closed IS NULL')
  const answered = statement(
    `UPDATE questions SET answered = 1 WHERE run = ? AND seq = ? AND closed IS NULL AND answered = 0
     RETURNING path, name`,
  )
  const copied = statement(
    `INSERT INTO questions (run, seq, path, name, answerer, at)
     SELECT ?, seq, path, name, answerer, at FROM questions
     WHERE run = ? AND seq <= ? AND (closed IS NULL OR closed > ?)`,
  )
  const received = statement(
    `UPDATE questions SET answered = 1 WHERE run = ? AND closed IS NULL AND EXISTS (
       SELECT 1 FROM inbox WHERE inbox.run = questions.run AND inbox.path = questions.path
         AND inbox.name = questions.name AND taken = 0)`,
  )
  const listed = statement(LIST)
  return {
    /** Takes the event with the number `seq`. */
    follow(no: number, draft: Draft, seq: number): void {
      const change = questionChange(draft)
      if (change === null) return
      if (change.what === 'all-closed') allClosed.run(seq, no)
      else if (change.what === 'closed') closed.run(seq, no, change.path, change.name)
      else opened.run(no, seq, change.path, change.name, change.for, draft.atMs)
    },
    /** The question that was open and has an answer now; undefined if it was not open. */
    answer: (no: number, seq: number) => answered.get(no, seq) as { path: string; name: string } | undefined,
    /** Opens in a fork the questions that were open at event `at`. */
    copy: (from: number, to: number, at: number) => void copied.run(to, from, at, at),
    /** Closes the questions whose answers came with an imported run. */
    receive: (no: number) => void received.run(no),
    list({ run, for: wanted, limit = -1, offset = 0 }: QuestionQuery): QuestionKey[] {
      const [of = null, by = null] = [run, wanted]
      return listed.all(by, by, of, of, limit, offset) as never
    },
  }
}

export type SqliteQuestions = ReturnType<typeof sqliteQuestions>

/**
 * The questions of runs, in SQLite. A row is written in the transaction of its events, and stays when the question is closed: a fork at an
 * earlier event opens it again. Each row has a checksum, which readers verify, also of rows that are closed: one of them may be open.
 */
import type { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import type { QuestionKey, QuestionQuery } from '../kernel/run-query.ts'
import type { Draft } from '../kernel/store.ts'
import { DamagedEvent } from './damage.ts'
import { questionChange } from './question-changes.ts'

/** `answered`: an answer was accepted, or the time has passed. `closed`: the number of the event that closed it. */
export const QUESTIONS = `
CREATE TABLE questions (
  run INTEGER NOT NULL, seq INTEGER NOT NULL, path TEXT NOT NULL, name TEXT NOT NULL, answerer TEXT NOT NULL, at INTEGER NOT NULL,
  answered INTEGER NOT NULL DEFAULT 0, closed INTEGER, crc INTEGER NOT NULL, PRIMARY KEY (run, seq)
) WITHOUT ROWID;
`

const crcOf = (run: string, answered: string, closed: string) =>
  `question_crc(${run}, seq, path, name, answerer, at, ${answered}, ${closed})`
const CRC = crcOf('questions.run', 'answered', 'closed')
const IS_DAMAGED = `questions.crc <> ${CRC}`
const IS_OPEN = 'closed IS NULL AND answered = 0'

/** Changes the checksum by what changes in the row, so that one that was wrong stays wrong. */
const crcWith = (answered: string, closed: string) =>
  `crc = crc - ${CRC} + ${crcOf('questions.run', answered, closed)}`

/** In place of an answerer: a question of the run does not match its checksum. */
export const DAMAGED = '~'

/** Who answers the open questions of the run whose number is `no`; a person if several do. A run that has ended has none. */
export const ASKS = `(
  SELECT max(CASE WHEN ${IS_DAMAGED} THEN '${DAMAGED}' WHEN ${IS_OPEN} THEN answerer END) FROM questions
  WHERE questions.run = no AND status IN ('running', 'waiting')
)`

const LIST = `
SELECT runs.id AS run, seq AS id, path, name, ${IS_DAMAGED} AS damaged FROM questions LEFT JOIN runs ON runs.no = questions.run
WHERE (? IS NULL OR runs.id = ?) AND (damaged OR (${IS_OPEN} AND runs.id IS NOT NULL AND (? IS NULL OR answerer = ?)))
ORDER BY damaged DESC, questions.at, questions.run, seq LIMIT ? OFFSET ?`

/** To be called before statements are prepared that read questions. */
export function defineQuestionChecksum(database: DatabaseSync): void {
  // A damaged number may be too large for another type.
  const options = { deterministic: true, varargs: true, useBigIntArguments: true }
  database.function('question_crc', options, (...values) => crc32(values.join('\n')))
}

export function sqliteQuestions(database: DatabaseSync) {
  const statement = (text: string) => database.prepare(text)
  const opened = statement(
    `INSERT INTO questions (run, seq, path, name, answerer, at, crc)
     SELECT run, seq, path, name, answerer, at, ${crcOf('run', '0', 'NULL')}
     FROM (SELECT ? AS run, ? AS seq, ? AS path, ? AS name, ? AS answerer, ? AS at)`,
  )
  const closed = statement(
    `UPDATE questions SET closed = ?, ${crcWith('answered', '?')}
     WHERE run = ? AND path = ? AND name = ? AND closed IS NULL`,
  )
  const allClosed = statement(
    `UPDATE questions SET closed = ?, ${crcWith('answered', '?')} WHERE run = ? AND closed IS NULL`,
  )
  const answered = statement(
    `UPDATE questions SET answered = 1, ${crcWith('1', 'closed')}
     WHERE run = ? AND seq = ? AND ${IS_OPEN} RETURNING path, name`,
  )
  const damaged = statement(`SELECT seq FROM questions WHERE run = ? AND ${IS_DAMAGED} LIMIT 1`)
  const expired = statement(
    `UPDATE questions SET answered = 1, ${crcWith('1', 'closed')}
     WHERE run = ? AND path = ? AND name = ? AND ${IS_OPEN}`,
  )
  const copied = statement(
    `INSERT INTO questions (run, seq, path, name, answerer, at, crc)
     SELECT ?, seq, path, name, answerer, at, ${crcOf('?', '0', 'NULL')} FROM questions
     WHERE run = ? AND seq <= ? AND (closed IS NULL OR closed > ?)`,
  )
  const received = statement(
    `UPDATE questions SET answered = 1, ${crcWith('1', 'closed')} WHERE run = ? AND closed IS NULL AND EXISTS (
       SELECT 1 FROM inbox WHERE inbox.run = questions.run AND inbox.path = questions.path
         AND inbox.name = questions.name AND taken = 0)`,
  )
  const listed = statement(LIST)

  /** `run`: the id of the run whose number is `no`. */
  function requireIntact(no: number, run: string): void {
    const row = damaged.get(no) as { seq: number } | undefined
    if (row !== undefined) throw damagedQuestion(run, row.seq)
  }

  return {
    /** Takes the event with the number `seq`. */
    follow(no: number, draft: Draft, seq: number): void {
      const change = questionChange(draft)
      if (change === null) return
      if (change.what === 'all-closed') allClosed.run(seq, seq, no)
      else if (change.what === 'closed') closed.run(seq, seq, no, change.path, change.name)
      else opened.run(no, seq, change.path, change.name, change.for, draft.atMs)
    },
    /** The question that was open and has an answer now; undefined if it was not open. */
    answer(no: number, run: string, seq: number): { path: string; name: string } | undefined {
      requireIntact(no, run)
      return answered.get(no, seq) as { path: string; name: string } | undefined
    },
    /** False if it was not open. */
    expire(no: number, run: string, path: string, name: string): boolean {
      requireIntact(no, run)
      return expired.run(no, path, name).changes > 0
    },
    requireIntact,
    /** Opens in a fork the questions that were open at event `at`. */
    copy: (from: number, to: number, at: number) => void copied.run(to, to, from, at, at),
    /** Closes the questions whose answers came with an imported run. */
    receive: (no: number) => void received.run(no),
    list({ run, for: wanted, limit = -1, offset = 0 }: QuestionQuery): QuestionKey[] {
      const [of = null, by = null] = [run, wanted]
      const rows = listed.all(of, of, by, by, limit, offset) as unknown as ListedRow[]
      const [first] = rows
      if (first?.damaged === 1) {
        if (first.run === null) throw new TypeError('a question of no run')
        throw damagedQuestion(first.run, first.id)
      }
      return rows.map(({ damaged: _, ...key }) => key as QuestionKey)
    },
  }
}

interface ListedRow extends Omit<QuestionKey, 'run'> {
  readonly run: string | null
  readonly damaged: 0 | 1
}

function damagedQuestion(run: string, seq: number): DamagedEvent {
  return new DamagedEvent(run, `the question of event ${seq} of run ${run} does not match its checksum`)
}

export type SqliteQuestions = ReturnType<typeof sqliteQuestions>

import { type Draft, draftOf, editEvent, runExists, seqOutOfRange, unknownRun } from '../../kernel/store.ts'
import type { Event, Goal } from '../../protocol/index.ts'
import { countOf, cut } from '../event-codec.ts'
import type { Signer } from '../signatures.ts'
import type { Database, Query } from './connect.ts'
import { EventEncoder, insertRows } from './encode.ts'
import { originOfRows, signRun } from './origin.ts'
import { COPY_QUESTIONS, followQuestions, questionChanges } from './questions.ts'
import { eventReaders, ROWS_OF, type StoredRow } from './read.ts'
import { searchText } from './runs.ts'

/** Copies a journal up to `at`, in one transaction. The copy of a run that was written with this key is signed with it. */
export async function forkRun(
  { database, signer }: { database: Database; signer: Signer | null },
  id: string,
  at: number,
  newId: string,
  edit?: Record<string, unknown>,
): Promise<void> {
  await database.transaction(async (query) => {
    // From here on the run is not deleted.
    const [run] = await query<Source>(SOURCE, [id])
    if (run === undefined) throw unknownRun(id)
    if (!Number.isInteger(at) || at < 1 || at > run.seq) throw seqOutOfRange(id, at, run.seq)
    const isOwn = signer !== null && (await originOfRows(query, signer, { ...run, id, at })) === 'own'
    const reader = eventReaders()(query, id, run.no)
    const [row] = await query<StoredRow>(ROWS_OF, [run.no, [at]])
    const [event] = await reader.decode([row as StoredRow], (seq) => seq === at)
    const drafts = draftsOf(event as Event, id, at, edit)
    const changed = (drafts.at(-1) as Draft).atMs
    const seq = at + 1
    const no = await create(query, newId, { ...run, seq, changed, forkOf: id })
    const first = seq - drafts.length + 1
    await copy(query, row as StoredRow, run.no, no, first - 1)
    await query(COPY_QUESTIONS, [run.no, no, first - 1])
    const rows = new EventEncoder().encode(first, drafts)
    await query(INSERT, [no, ...[rows, questionChanges(drafts, first)].map((list) => JSON.stringify(list))])
    if (isOwn) await signRun(query, signer, no, newId)
  })
}

/** What the fork has after what it copies. */
function draftsOf(event: Event, from: string, at: number, edit?: Record<string, unknown>): Draft[] {
  const atMs = Math.max(Date.now(), Date.parse(event.ts))
  const fork: Draft = { type: 'run-fork', from, at, edited: edit !== undefined, path: '1', atMs }
  return edit === undefined ? [fork] : [draftOf(editEvent(event, edit)), fork]
}

interface Source {
  readonly no: number
  readonly seq: number
  readonly goal: string
  readonly strategy: string
}

interface NewFork extends Source {
  readonly changed: number
  readonly forkOf: string
}

async function create(query: Query, id: string, run: NewFork): Promise<number> {
  const { changed, seq, forkOf, goal, strategy } = run
  const search = searchText({ id, goal: JSON.parse(goal) as Goal })
  const [made] = await query<{ no: number }>(CREATE, [id, changed, seq, forkOf, goal, strategy, search])
  if (made === undefined) throw runExists(id)
  return made.no
}

/** The events up to `last`, which may be in the middle of the given row. */
async function copy(query: Query, row: StoredRow, from: number, to: number, last: number): Promise<void> {
  await query(COPY, [from, to, last])
  if (last >= row.seq || last <= row.seq - countOf(row)) return
  const { at, type, path, body, refs } = cut(row, last)
  await query(
    `INSERT INTO thinkon.events (run, seq, at, type, path, body, refs) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [to, last, at, type, path, body, refs],
  )
}

const SOURCE = `
SELECT no, seq, goal, strategy FROM thinkon.runs JOIN thinkon.goals ON run = no WHERE id = $1 FOR KEY SHARE OF runs`

const CREATE = `
WITH made AS (
  INSERT INTO thinkon.runs (id, created, changed, seq, fork_of) VALUES ($1, $2, $2, $3, $4)
  ON CONFLICT (id) DO NOTHING RETURNING no
)
INSERT INTO thinkon.goals (run, goal, strategy, search) SELECT no, $5, $6, $7 FROM made RETURNING run AS no`

const COPY = `
INSERT INTO thinkon.events (run, seq, at, type, path, body, refs)
SELECT $2, seq, at, type, path, body, refs FROM thinkon.events WHERE run = $1 AND seq <= $3`

const INSERT = `
WITH run (no) AS (SELECT $1::bigint),${followQuestions('$3')} ${insertRows('run', '$2')}`

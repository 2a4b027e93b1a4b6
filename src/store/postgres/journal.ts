/** Events of a run, some rows at a time. */
import { unknownRun } from '../../kernel/store.ts'
import type { Event } from '../../protocol/index.ts'
import type { Database, Query } from './connect.ts'
import { readFailure } from './errors.ts'
import { type EventReader, eventReaders, READ_COLUMNS, ROWS_OF, type StoredRow } from './read.ts'

const PAGE = 128
const LAST_SEQ = 2 ** 31 - 1

/** `read` and `pick` of the store. */
export function journals(database: Database) {
  const query = database.read
  const readerOf = eventReaders()

  async function* read(id: string, from = 1, to = LAST_SEQ): AsyncGenerator<Event> {
    const no = await numberOf(query, id)
    yield* inRange(readerOf(query, id, no), no, from, to)
  }

  async function* inRange(reader: EventReader, no: number, from: number, to: number): AsyncGenerator<Event> {
    const wants = (seq: number) => seq >= from && seq <= to
    for (let next = from; next <= to; ) {
      const rows = await query<StoredRow>(PAGE_FROM, [no, next, PAGE], 'page')
      yield* await decode(reader, rows, wants)
      if (rows.length < PAGE) return
      next = (rows.at(-1) as StoredRow).seq + 1
    }
  }

  async function* pick(id: string, seqs: readonly number[], from: number): AsyncGenerator<Event> {
    const no = await numberOf(query, id)
    const reader = readerOf(query, id, no)
    for (let i = 0; i < seqs.length; i += PAGE) {
      const some = seqs.slice(i, i + PAGE)
      const wanted = new Set(some)
      const rows = await query<StoredRow>(ROWS_OF, [no, some])
      yield* await decode(reader, rows, (seq) => wanted.has(seq))
    }
    yield* inRange(reader, no, from, LAST_SEQ)
  }

  async function decode(
    reader: EventReader,
    rows: readonly StoredRow[],
    wants: (seq: number) => boolean,
  ): Promise<Event[]> {
    try {
      return await reader.decode(rows, wants)
    } catch (thrown) {
      throw readFailure(thrown, database.name)
    }
  }

  return { read, pick }
}

export async function numberOf(query: Query, id: string): Promise<number> {
  const [run] = await query<{ no: number }>('SELECT no FROM thinkon.runs WHERE id = $1', [id], 'number')
  if (run === undefined) throw unknownRun(id)
  return run.no
}

/** A row that ends at or after an event has it, or events that come later. */
const PAGE_FROM = `SELECT ${READ_COLUMNS} FROM thinkon.events WHERE run = $1 AND seq >= $2 ORDER BY seq LIMIT $3`

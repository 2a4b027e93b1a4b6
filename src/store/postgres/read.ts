/**
 * Reading a journal: some rows at a time, with all that they refer to, so that they can be decoded without waiting. A row refers to blobs,
 * these to others; and the text of a request may be an edit of that of an earlier row.
 */
import { DecodingBudget } from '../../protocol/decoding-budget.ts'
import type { Event } from '../../protocol/index.ts'
import { EventCodec, type EventRow, type NewRow } from '../event-codec.ts'
import { inflate } from '../inflate.ts'
import type { Query } from './connect.ts'

/** A row of `events`, as READ_COLUMNS has it. */
export interface StoredRow {
  seq: number
  at: number
  type: string
  path: string
  body: string | null
  blob: string | null
  refs: string[] | null
}

export const READ_COLUMNS = 'seq, at, type, path, body, blob, refs'

/** Bytes of blobs and rows that are kept for the next rows, which refer to most of them as well. */
const MAX_KEPT = 32 * 1024 * 1024

/** Of one run, whose number is `no`. */
export class EventReader {
  private readonly query: Query
  private readonly run: string
  private readonly no: number
  private readonly blobs = new Map<string, string | Uint8Array>()
  /** By the `seq` of each of their events. */
  private readonly rows = new Map<number, EventRow>()
  private kept = 0
  private readonly codec = new EventCodec({
    put: () => {},
    get: (hash) => this.blob(hash),
    row: (seq) => this.row(seq),
  })

  constructor(query: Query, run: string, no: number) {
    this.query = query
    this.run = run
    this.no = no
  }

  /** The events of the rows that are wanted. */
  async decode(rows: readonly StoredRow[], wants: (seq: number) => boolean = () => true): Promise<Event[]> {
    if (this.kept > MAX_KEPT) this.clear()
    await this.load(rows)
    return rows.flatMap((row) => [...this.codec.decode(this.run, eventRow(row), row.seq, { wants })])
  }

  /** The first events of a row, up to `last`; null if that is all of it, or none. */
  cut(row: StoredRow, last: number): NewRow | null {
    const count = countOf(row) - (row.seq - last)
    return last >= row.seq || count <= 0 ? null : this.codec.cut(eventRow(row), count)
  }

  private async load(rows: readonly StoredRow[]): Promise<void> {
    for (let added = rows; added.length > 0; ) {
      for (const row of added) this.keep(row)
      await this.loadBlobs(added.flatMap(({ refs }) => refs ?? []))
      added = await this.loadEarlier(added)
    }
  }

  /** The blobs and all that they refer to. Whatever is kept was loaded together with what it refers to. */
  private async loadBlobs(hashes: readonly string[]): Promise<void> {
    const missing = hashes.filter((hash) => !this.blobs.has(hash))
    if (missing.length === 0) return
    const found = await this.query<{ hash: string; body: Buffer; deflated: boolean }>(CLOSURE, [
      missing,
      [...this.blobs.keys()],
    ])
    for (const { hash, body, deflated } of found) {
      this.blobs.set(hash, deflated ? body : body.toString())
      this.kept += body.length
    }
  }

  /** The rows that have the texts of which texts of these are edits. */
  private async loadEarlier(rows: readonly StoredRow[]): Promise<StoredRow[]> {
    const seqs = new Set<number>()
    for (const row of rows) {
      for (const [, like] of this.bodyOf(row).matchAll(LIKE))
        if (!this.rows.has(Number(like))) seqs.add(Number(like))
    }
    return seqs.size === 0 ? [] : this.query<StoredRow>(ROWS_OF, [this.no, [...seqs]])
  }

  private bodyOf({ body, blob }: StoredRow): string {
    return body ?? (blob === null ? '' : textOf(this.blob(blob)))
  }

  private keep(row: StoredRow): void {
    const stored = eventRow(row)
    const count = countOf(row)
    for (let seq = row.seq - count + 1; seq <= row.seq; seq++) this.rows.set(seq, stored)
    this.kept += row.body?.length ?? 0
  }

  private clear(): void {
    this.blobs.clear()
    this.rows.clear()
    this.kept = 0
  }

  private blob(hash: string): string | Uint8Array {
    return this.blobs.get(hash) ?? missing(`blob ${hash}`)
  }

  private row(seq: number): EventRow {
    return this.rows.get(seq) ?? missing(`event ${seq}`)
  }
}

/** Both of an edit (request-texts.ts). A text of a user's may look like one: then a row is loaded that nothing needs. */
const LIKE = /"like":(\d+)/g

const CLOSURE = `
WITH RECURSIVE needed (hash) AS (
  SELECT unnest($1::text[])
  UNION
  SELECT ref FROM needed JOIN thinkon.blobs USING (hash), unnest(blobs.refs) AS ref WHERE ref <> ALL ($2::text[])
)
SELECT hash, body, deflated FROM needed JOIN thinkon.blobs USING (hash)`

/** The rows that have these events. */
export const ROWS_OF = `
SELECT DISTINCT ON (seq) ${READ_COLUMNS} FROM unnest($2::int[]) AS wanted (event)
CROSS JOIN LATERAL (
  SELECT * FROM thinkon.events WHERE run = $1 AND seq >= wanted.event ORDER BY seq LIMIT 1
) AS events ORDER BY seq`

function eventRow({ seq, at, type, path, body, blob }: StoredRow): EventRow {
  return { id: seq, at, type, path, body, blob }
}

/** How many events a row has. */
function countOf({ type }: StoredRow): number {
  return type.split(' ').length
}

function textOf(blob: string | Uint8Array): string {
  return inflate(blob, new DecodingBudget('an event'))
}

function missing(what: string): never {
  throw new TypeError(`${what} is missing`)
}

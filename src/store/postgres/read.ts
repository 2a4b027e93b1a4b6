/** Reading a journal of PostgreSQL: some rows at a time, with the earlier rows that their requests refer to. */
import { DecodingBudget } from '../../protocol/decoding-budget.ts'
import type { Event } from '../../protocol/index.ts'
import type { Conversations } from '../conversations.ts'
import { countOf, EventDecoder, type EventRow } from '../event-codec.ts'
import { RecentConversations } from '../recent-conversations.ts'
import type { Query } from './connect.ts'

/** As READ_COLUMNS has it. */
export interface StoredRow extends EventRow {
  readonly body: string
}

export const READ_COLUMNS = 'seq, at, type, path, body'

/** Of one run, whose number is `no`. */
export class EventReader {
  private readonly query: Query
  private readonly no: number
  private readonly decoder: EventDecoder
  /** Rows that were looked up, by the `seq` of each of their events. */
  private readonly earlier = new Map<number, EventRow>()

  constructor(query: Query, run: string, no: number, conversations: Conversations) {
    this.query = query
    this.no = no
    this.decoder = new EventDecoder({
      run,
      budget: new DecodingBudget(`run ${run}`),
      conversations,
      row: (seq) => this.earlier.get(seq) ?? missing(seq),
    })
  }

  /** The events of the rows that are wanted. */
  async decode(rows: readonly StoredRow[], wants: (seq: number) => boolean = () => true): Promise<Event[]> {
    const events: Event[] = []
    for (const row of rows) events.push(...(await this.decodeRow(row, wants)))
    this.earlier.clear()
    return events
  }

  /** Most requests refer to one that was read before. The chain of references of any other is loaded, and the row is decoded again. */
  private async decodeRow(row: StoredRow, wants: (seq: number) => boolean): Promise<Event[]> {
    for (;;) {
      try {
        return [...this.decoder.decode(row, wants)]
      } catch (thrown) {
        if (!(thrown instanceof MissingRow) || !(await this.load(thrown.seq))) throw thrown
      }
    }
  }

  /** False if there is no such event. */
  private async load(seq: number): Promise<boolean> {
    for (const row of await this.query<StoredRow>(CHAIN, [this.no, seq])) {
      for (let at = row.seq - countOf(row) + 1; at <= row.seq; at++) this.earlier.set(at, row)
    }
    return this.earlier.has(seq)
  }
}

/** Readers whose conversations are kept for the next one of the same run. */
export function eventReaders() {
  const recent = new RecentConversations()
  return (query: Query, run: string, no: number) => new EventReader(query, run, no, recent.of(no))
}

/** A row that is needed and was not loaded. If it is not there, the store is damaged. */
class MissingRow extends TypeError {
  readonly seq: number
  constructor(seq: number) {
    super(`event ${seq} is missing`)
    this.seq = seq
  }
}

function missing(seq: number): never {
  throw new MissingRow(seq)
}

/** The row that has an event, the rows that its requests refer to, and so on. */
const CHAIN = `
WITH RECURSIVE chain (seq, at, type, path, body, refs) AS (
  (SELECT ${READ_COLUMNS}, refs FROM thinkon.events WHERE run = $1 AND seq >= $2 ORDER BY seq LIMIT 1)
  UNION
  SELECT earlier.* FROM chain, unnest(chain.refs) AS ref CROSS JOIN LATERAL (
    SELECT ${READ_COLUMNS}, refs FROM thinkon.events WHERE run = $1 AND seq >= ref ORDER BY seq LIMIT 1
  ) AS earlier WHERE ref < chain.seq
)
SELECT ${READ_COLUMNS} FROM chain`

/** The rows that have these events. */
export const ROWS_OF = `
SELECT DISTINCT ON (seq) ${READ_COLUMNS} FROM unnest($2::int[]) AS wanted (event)
CROSS JOIN LATERAL (
  SELECT * FROM thinkon.events WHERE run = $1 AND seq >= wanted.event ORDER BY seq LIMIT 1
) AS events ORDER BY seq`

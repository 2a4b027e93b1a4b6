/** Which blobs the runs of a store refer to, found run by run. Runs may grow meanwhile: `markNew` marks what is new. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { DecodingBudget } from '../protocol/decoding-budget.ts'
import { inflate } from './inflate.ts'
import { LAST_ID, SEQ_RANGE } from './sqlite-statements.ts'
import { referencesIn } from './stored-references.ts'

const STEP_MS = 40

/** Temporary tables of this connection: what is needed, and how far each run was looked at. */
const TABLES = `
PRAGMA temp_store = MEMORY;
CREATE TEMP TABLE needed (hash TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TEMP TABLE seen (run INTEGER PRIMARY KEY, last INTEGER NOT NULL);
`

/** All that has events, also an import under way, with its last row and the last one that was looked at. */
const RUNS = `
SELECT no, ${LAST_ID} AS last, coalesce(seen.last, no * ${SEQ_RANGE}) AS seen
FROM (SELECT no FROM runs UNION ALL SELECT run FROM unlisted WHERE owner IS NOT NULL) LEFT JOIN seen ON seen.run = no
`

export class Marks {
  /** How many events there were at the beginning. */
  readonly total: number
  private readonly grown: StatementSync
  private readonly rows: StatementSync
  private readonly need: StatementSync
  private readonly isNeeded: StatementSync
  private readonly blob: StatementSync
  private readonly look: StatementSync
  private marked = 0

  constructor(database: DatabaseSync) {
    database.exec(TABLES)
    const sum = database.prepare(`SELECT coalesce(sum(last - seen), 0) AS total FROM (${RUNS})`).get()
    this.total = (sum as { total: number }).total
    this.grown = database.prepare(`SELECT * FROM (${RUNS}) WHERE last > seen`)
    this.rows = database.prepare('SELECT id, body, blob FROM events WHERE id > ? AND id <= ? ORDER BY id')
    this.need = database.prepare('INSERT OR IGNORE INTO needed SELECT hash FROM blobs WHERE hash = ?')
    this.isNeeded = database.prepare('SELECT 1 FROM needed WHERE hash = ?')
    this.blob = database.prepare('SELECT body FROM blobs WHERE hash = ?')
    this.look = database.prepare('INSERT OR REPLACE INTO seen (run, last) VALUES (?, ?)')
  }

  /**
   * Marks what runs refer to and was not looked at yet: what is there when it begins. Yields now and then, how many events it has
   * looked at in all.
   */
  *markNew(): Generator<number> {
    for (const row of this.grown.all()) {
      const { no, last, seen } = row as unknown as { no: number; last: number; seen: number }
      let at = seen
      while (at < last) {
        const next = this.markSome(at, last)
        this.marked += next - at
        at = next
        yield this.marked
      }
      this.look.run(no, at)
    }
  }

  unmarked(hashes: readonly string[]): string[] {
    return hashes.filter((hash) => this.isNeeded.get(hash) === undefined)
  }

  /** Looks at some events after the given one, up to `end`; returns the last of them. */
  private markSome(after: number, end: number): number {
    const untilMs = performance.now() + STEP_MS
    let last = end
    for (const row of this.rows.iterate(after, end)) {
      const { id, body, blob } = row as unknown as { id: number; body: string | null; blob: string | null }
      this.mark(blob === null ? referencesIn(body as string) : [blob])
      if (performance.now() > untilMs) {
        last = id
        break
      }
    }
    return last
  }

  /** Marks blobs and what they refer to. */
  private mark(hashes: string[]): void {
    for (let hash = hashes.pop(); hash !== undefined; hash = hashes.pop()) {
      if (Number(this.need.run(hash).changes) === 0) continue
      const { body } = this.blob.get(hash) as { body: string | Uint8Array }
      const text = inflate(body, new DecodingBudget(`the blob ${hash}`))
      for (const one of referencesIn(text)) hashes.push(one)
    }
  }
}

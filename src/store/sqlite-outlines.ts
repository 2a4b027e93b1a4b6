import type { DatabaseSync, StatementSync } from 'node:sqlite'

const TABLE = 'CREATE TABLE IF NOT EXISTS outlines (run INTEGER PRIMARY KEY, outline TEXT NOT NULL)'

/** What owners keep of their runs' outlines. Stores have the table from the first outline on: most runs are too short to have one. */
export class SqliteOutlines {
  private readonly database: DatabaseSync
  private sql: { get: StatementSync; put: StatementSync } | null = null

  constructor(database: DatabaseSync) {
    this.database = database
  }

  get(run: number): string | null {
    const { database } = this
    if (this.sql === null && database.prepare(IS_THERE).get() === undefined) return null
    const row = this.statements().get.get(run) as { outline: string } | undefined
    return row?.outline ?? null
  }

  put(run: number, outline: string): void {
    if (this.sql === null) this.database.exec(TABLE)
    this.statements().put.run(run, outline)
  }

  private statements() {
    this.sql ??= {
      get: this.database.prepare('SELECT outline FROM outlines WHERE run = ?'),
      put: this.database.prepare('INSERT OR REPLACE INTO outlines (run, outline) VALUES (?, ?)'),
    }
    return this.sql
  }
}

const IS_THERE = "SELECT 1 FROM sqlite_master WHERE name = 'outlines'"

/** Which spans of open runs have arrived: in a file, so that a process that resumes a run sends the rest, and nothing twice. */
import { dirname } from 'node:path'
import { makeDatabaseFile, makeFolders } from '../../files/private-files.ts'
import { DatabaseSync } from '../../files/sqlite.ts'
import type { Span } from '../../views/trace-span.ts'

export interface SentRecord {
  /** All spans that ended with this event or before have arrived, or were dropped; 0 if nothing is known. */
  sentUpTo(run: string): number
  arrived(spans: readonly Span[]): void
  close(): void
}

/** What can't be written is not remembered: spans may then arrive twice. */
export function openSentRecord(file: string): SentRecord {
  makeFolders(dirname(file))
  makeDatabaseFile(file)
  const database = new DatabaseSync(file)
  database.exec(
    'PRAGMA busy_timeout = 2000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE IF NOT EXISTS sent (run TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID',
  )
  const read = database.prepare('SELECT seq FROM sent WHERE run = ?')
  const write = database.prepare(
    'INSERT INTO sent (run, seq) VALUES (?, ?) ON CONFLICT (run) DO UPDATE SET seq = max(seq, excluded.seq)',
  )
  const forget = database.prepare('DELETE FROM sent WHERE run = ?')
  return {
    sentUpTo: (run) => Number(read.get(run)?.seq ?? 0),
    arrived(spans) {
      for (const [run, { seq, hasEnded }] of lastOf(spans)) {
        // Of a run that has ended nothing is sent any more.
        if (hasEnded) forget.run(run)
        else write.run(run, seq)
      }
    },
    close: () => database.close(),
  }
}

function lastOf(spans: readonly Span[]): Map<string, { seq: number; hasEnded: boolean }> {
  const last = new Map<string, { seq: number; hasEnded: boolean }>()
  for (const { run, seq, parentSpanId } of spans) last.set(run, { seq, hasEnded: parentSpanId === undefined })
  return last
}

/** Outlines of runs, which their owners derive from the journals. One that does not match its checksum counts as missing. */
import type { DatabaseSync } from 'node:sqlite'
import { outlineChecksum } from './checksums.ts'

export function sqliteOutlines(database: DatabaseSync) {
  const get = database.prepare('SELECT outline, crc FROM outlines WHERE run = ?')
  const put = database.prepare('INSERT OR REPLACE INTO outlines (run, outline, crc) VALUES (?, ?, ?)')
  return {
    get(run: number): string | null {
      const row = get.get(run) as { outline: string; crc: number } | undefined
      return row !== undefined && outlineChecksum(run, row.outline) === row.crc ? row.outline : null
    },
    put(run: number, outline: string): void {
      put.run(run, outline, outlineChecksum(run, outline))
    },
  }
}

// Where the stores of the suites are: in memory, or in a file of a folder that goes with the test.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inflateRawSync } from 'node:zlib'
import type { Store } from '../../src/kernel/store.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'

/** A place for a store, which outlives those that open it. */
export interface Place {
  open(): Store
  remove(): void
  /** All that is on disk, as bytes read as Latin-1, and what is compressed there. */
  bytes(): string
}

export function memoryPlace(): Place {
  const store = memoryStore()
  return { open: () => store, remove() {}, bytes: () => '' }
}

export function sqlitePlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-conformance-'))
  return {
    open: () => sqliteStore(join(folder, 'store.db'), { synchronous: 'normal' }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
    bytes: () => {
      const files = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'latin1'))
      return [...files, ...compressedTexts(join(folder, 'store.db'))].join('\n')
    },
  }
}

function compressedTexts(file: string): string[] {
  const database = new DatabaseSync(file, { readOnly: true })
  const rows = database.prepare(`SELECT body FROM events WHERE typeof(body) = 'blob'`).all()
  database.close()
  return rows.map(({ body }) => inflateRawSync(body as Uint8Array).toString())
}

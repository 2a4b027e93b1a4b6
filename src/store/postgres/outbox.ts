import type { SharedStore } from '../../kernel/store.ts'
import type { Database } from './connect.ts'

/** Signals of a cluster's runs that the engine was not told of. A signal's own row says so, in the commit that it comes with. */
export const OUTBOX = `
ALTER TABLE thinkon.inbox ADD COLUMN rung boolean NOT NULL DEFAULT true;
CREATE INDEX inbox_unrung ON thinkon.inbox (id) WHERE NOT rung AND NOT taken;
`

const AT_MOST = 100

const UNRUNG = `
SELECT runs.id AS run, path, name, number FROM thinkon.inbox JOIN thinkon.runs ON no = run
WHERE NOT rung AND NOT taken AND at < $1 ORDER BY inbox.id LIMIT ${AT_MOST}`

const RUNG = `
UPDATE thinkon.inbox SET rung = true FROM thinkon.runs
WHERE runs.id = $1 AND run = no AND path = $2 AND name = $3 AND number = $4 AND NOT rung`

interface UnrungRow {
  readonly run: string
  readonly path: string
  readonly name: string
  readonly number: number
}

export function outbox(database: Database): Pick<SharedStore, 'unrung' | 'rung'> {
  return {
    async unrung(atMs) {
      const rows = await database.read<UnrungRow>(UNRUNG, [atMs], 'unrung')
      return rows.map(({ run, ...signal }) => ({ run, signal }))
    },
    async rung(run, path, name, number) {
      await database.query(RUNG, [run, path, name, number], 'rung')
    },
  }
}

/** The list of runs in PostgreSQL: asking for some of them, and deleting one. */
import { plainText, type RunQuery, type RunRow, statusesOf } from '../../kernel/run-query.ts'
import { type NewRun, runLocked, unknownRun } from '../../kernel/store.ts'
import { goalText } from '../../protocol/goal.ts'
import { rowOf, type StoredRun } from '../stored-run.ts'
import type { Database } from './connect.ts'
import { withReadErrors } from './errors.ts'
import { LIVING_OWNERS, ownerIsDead, untilCertain } from './owners.ts'
import { ASKS } from './questions.ts'

/** `has`, `row`, `list`, `count` and `delete` of the store. */
export function runLists(database: Database) {
  async function select<Row>(what: string, query: RunQuery): Promise<Row[]> {
    const { where, values } = conditionsOf(query)
    return database.read<Row>(`SELECT ${what} FROM ${RUNS} ${where}`, values)
  }

  return {
    async has(id: string): Promise<boolean> {
      const found = await database.read('SELECT 1 FROM thinkon.runs WHERE id = $1', [id])
      return found.length > 0
    },
    row(id: string): Promise<RunRow> {
      return withReadErrors(database, async () => {
        const [row] = await database.read<ListedRun>(`SELECT * FROM ${RUNS} WHERE id = $1`, [id])
        if (row === undefined) throw unknownRun(id)
        return rowOf(row, row.owned)
      })
    },
    list(query: RunQuery = {}): Promise<RunRow[]> {
      return withReadErrors(database, async () => {
        const rows = await select<ListedRun>('*', query)
        return rows.map((row) => rowOf(row, row.owned))
      })
    },
    async count(query: RunQuery = {}): Promise<number> {
      const { limit: _, ...all } = query
      const [row] = await database.read<{ count: number }>(...counting(all))
      return row?.count ?? 0
    },
    delete: (id: string) => deleteRun(database, id),
  }
}

interface ListedRun extends StoredRun {
  readonly owned: boolean
}

/** In place of the tables. A run of workers counts as owned while it rests or is due: they continue it. */
const RUNS = `(
  SELECT no, id, goal, strategy, status, seq, owner, created, changed, fork_of, search, ${ASKS} AS asks,
    CASE host WHEN 'local' THEN coalesce(owner IN ${LIVING_OWNERS}, false) ELSE status = 'running' END AS owned
  FROM thinkon.runs JOIN thinkon.goals ON run = no
) AS runs`

/** What is searched: PostgreSQL's own idea of upper and lower case depends on where it was installed. */
export function searchText({ id, goal }: Pick<NewRun, 'id' | 'goal'>): string {
  return storable(`${plainText(id)}${BETWEEN}${plainText(goalText(goal))}`)
}

const BETWEEN = '\n\u0001\n'

/** PostgreSQL has no NUL. */
function storable(text: string): string {
  return text.replaceAll('\0', '\u0002')
}

function counting(query: RunQuery): [text: string, values: unknown[]] {
  const { conditions, values } = selected(query)
  return [`SELECT count(*) AS count FROM ${RUNS} ${conditions}`, values]
}

function conditionsOf(query: RunQuery): { where: string; values: unknown[] } {
  const { conditions, values } = selected(query)
  const n = values.push(query.limit ?? null, query.offset ?? 0)
  return { where: `${conditions} ORDER BY no DESC LIMIT $${n - 1} OFFSET $${n}`, values }
}

function selected(query: RunQuery): { conditions: string; values: unknown[] } {
  const conditions: string[] = []
  const values: unknown[] = []
  const add = (condition: (parameter: string) => string, value: unknown) => {
    values.push(value)
    conditions.push(condition(`$${values.length}`))
  }
  const statuses = statusesOf(query)
  if (statuses !== null) {
    // The first is for the index: a run that has not ended is stored as running or waiting.
    const isOpen = (status: string) => status === 'running' || status === 'waiting' || status === 'stopped'
    const stored = statuses.flatMap((status) => (isOpen(status) ? ['running', 'waiting'] : [status]))
    add((p) => `status = ANY (${p}::text[])`, stored)
    const listed = `CASE WHEN status NOT IN ('running', 'waiting') THEN status
      WHEN status = 'waiting' OR asks IS NOT NULL THEN 'waiting' WHEN owned THEN 'running' ELSE 'stopped' END`
    add((p) => `${listed} = ANY (${p}::text[])`, statuses)
  }
  if (query.search !== undefined) add((p) => `strpos(search, ${p}) > 0`, storable(plainText(query.search)))
  if (query.strategy !== undefined) add((p) => `strategy = ${p}`, query.strategy)
  if (query.forkOf !== undefined) add((p) => `fork_of = ${p}`, query.forkOf)
  return { conditions: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`, values }
}

/**
 * Deletes a run. It is gone with this one small commit; its events, however many, are `unlisted` and left to the sweep. Its number is
 * never used again.
 */
async function deleteRun(database: Database, id: string): Promise<void> {
  let run: RunOwner | undefined
  const remove = async () => (await database.query(DELETE, [id]))[0] ?? null
  const gone = await untilCertain(database.query, remove, async () => {
    ;[run] = await database.read<RunOwner>('SELECT owner, owner_name FROM thinkon.runs WHERE id = $1', [id])
    return run?.owner ?? null
  })
  if (gone !== null) return
  if (run === undefined) throw unknownRun(id)
  throw runLocked(id, run.owner_name ?? 'another process')
}

interface RunOwner {
  readonly owner: number | null
  readonly owner_name: string | null
}

const DELETE = `
WITH gone AS (
  DELETE FROM thinkon.runs WHERE id = $1
    AND (owner IS NULL OR ${ownerIsDead('owner')})
  RETURNING no
),
goal AS (DELETE FROM thinkon.goals USING gone WHERE run = no),
inbox AS (DELETE FROM thinkon.inbox USING gone WHERE run = no),
questions AS (DELETE FROM thinkon.questions USING gone WHERE run = no),
unlisted AS (INSERT INTO thinkon.unlisted (run) SELECT no FROM gone)
SELECT no FROM gone`

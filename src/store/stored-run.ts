/** Rows of runs and signals as databases have them, and as the port has them. */
import { type RowStatus, type RunRow, standingOf } from '../kernel/run-query.ts'
import { type Answerer, core4Problem, ENDED, type Goal, isObject, type Signal } from '../protocol/index.ts'

export interface StoredRun {
  id: string
  goal: string
  strategy: string
  status: RowStatus
  seq: number
  owner: string | null
  created: number
  changed: number
  fork_of: string | null
  /** Who answers its open questions; a person if several do. */
  asks: Answerer | null
}

/** Throws if the row is not one that a store writes: a store may come from elsewhere. */
export function rowOf(row: StoredRun, owned: boolean): RunRow {
  if (!STATUSES.has(row.status)) throw new TypeError('there is no such status')
  return {
    id: row.id,
    goal: goalOf(row.goal),
    strategy: row.strategy,
    ...standingOf(row.status, owned, row.asks),
    seq: row.seq,
    createdAt: new Date(row.created).toISOString(),
    changedAt: new Date(row.changed).toISOString(),
    forkOf: row.fork_of,
    owned,
  }
}

const STATUSES: ReadonlySet<string> = new Set(['running', 'waiting', ...ENDED])

function goalOf(json: string): Goal {
  const goal = JSON.parse(json)
  if (typeof goal === 'string' || (isObject(goal) && core4Problem(goal) === null)) return goal as Goal
  throw new TypeError('there is no such goal')
}

export function signalOf(row: { path: string; name: string; number: number; value: string }): Signal {
  return { path: row.path, name: row.name, number: row.number, value: JSON.parse(row.value) }
}

/** Commits for a while to runs that other processes may write to as well; started by cluster-store.ts. */
import { once } from 'node:events'
import type { Draft, SharedTransaction } from '../src/kernel/store.ts'
import { connect, type Database, type Query } from '../src/store/postgres/connect.ts'
import { storeOn } from '../src/store/postgres/store-on.ts'

/** What a process is to do; `runs` of `writers` are the same for all processes unless they are its own. */
export interface Load {
  readonly url: string
  readonly process: number
  readonly runs: readonly string[]
  /** For each run. */
  readonly writers: number
  readonly forMs: number
  readonly flush: boolean
}

export interface Counted {
  readonly transactions: number
  readonly roundTrips: number
  readonly ms: number
}

const load: Load = JSON.parse(process.argv[2] as string)
let roundTrips = 0
const database = await connect(load.url)
const store = storeOn(counting(database))
let transactions = 0

/** About what the host writes when a step begins or ends: an event that is a record, and notes of the clock, the books and what it holds. */
function step(tx: SharedTransaction, path: string, n: number): void {
  tx.append(event(n), { path, n, kind: 'start' })
  tx.setNote('clock', { activeMs: n, lastMs: n, openSteps: 1, openQuestions: 0, process: 'p', processMs: n })
  for (const at of ['1', path]) tx.setNote(`book ${at}`, { ...BOOK, used: n })
  tx.setNote(`hold ${path} ${n}`, { held: { calls: 1, tokens: 1_000 }, by: 'worker' })
}

const BOOK = {
  limits: null,
  startedMs: 0,
  usage: { calls: 1, inputTokens: 1, outputTokens: 1 },
  kept: { calls: 0 },
}

function event(n: number): Draft {
  const data = `${n} ${'a reply of a model, of some length; '.repeat(30)}`
  return { type: 'note', path: '1', atMs: Date.now(), n, name: 'bench', data }
}

async function write(run: string, writer: number, untilMs: number): Promise<void> {
  const path = `1.${load.process}.${writer}`
  for (let n = 1; Date.now() < untilMs; n++) {
    await store.transact(run, (tx) => step(tx, path, n), load.flush)
    transactions++
  }
}

function counting(inner: Database): Database {
  const counted =
    (query: Query): Query =>
    (text, values, name) => {
      roundTrips++
      return query(text, values, name)
    }
  return {
    ...inner,
    query: counted(inner.query),
    read: counted(inner.read),
    transaction(action) {
      // BEGIN and COMMIT
      roundTrips += 2
      return inner.transaction((query) => action(counted(query)))
    },
  }
}

process.stdout.write('ready\n')
await once(process.stdin, 'data')
roundTrips = 0
const start = performance.now()
const untilMs = Date.now() + load.forMs
await Promise.all(
  load.runs.flatMap((run) => Array.from({ length: load.writers }, (_, i) => write(run, i, untilMs))),
)
const counted: Counted = { transactions, roundTrips, ms: performance.now() - start }
process.stdout.write(`${JSON.stringify(counted)}\n`)
await store.close()
process.exit()

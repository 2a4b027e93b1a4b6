import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startPostgresServer } from '../src/cluster/postgres-server.ts'
import { connect, type Database } from '../src/store/postgres/connect.ts'
import { migrate } from '../src/store/postgres/migrate.ts'
import { storeOn } from '../src/store/postgres/store-on.ts'
import type { Counted, Load } from './cluster-store-child.ts'
import type { Figures } from './index.ts'
import { rounded } from './measure.ts'
import { written } from './written.ts'

export const about =
  'transactions of the shared store in PostgreSQL, of one run and of many, from one process and from three'

const CHILD = join(import.meta.dirname, 'cluster-store-child.ts')
const FOR_MS = 3_000

interface Case {
  readonly processes: number
  readonly runs: number
  /** Per run and process. */
  readonly writers: number
  readonly flush?: boolean
}

/** `own`: each process has runs of its own. */
const CASES: Record<string, Case & { own?: boolean }> = {
  oneWriter: { processes: 1, runs: 1, writers: 1 },
  oneWriterUnflushed: { processes: 1, runs: 1, writers: 1, flush: false },
  tenWriters: { processes: 1, runs: 1, writers: 10 },
  threeProcesses: { processes: 3, runs: 1, writers: 1 },
  threeProcessesTenWriters: { processes: 3, runs: 1, writers: 10 },
  manyRuns: { processes: 1, runs: 30, writers: 1 },
  threeProcessesManyRuns: { processes: 3, runs: 10, writers: 1, own: true },
}

export async function run(): Promise<Figures> {
  const server = await startPostgresServer()
  const database = await connect(server.url)
  await migrate(database)
  const figures: Record<string, unknown> = {}
  const lines: string[] = []
  try {
    for (const [name, one] of Object.entries(CASES)) {
      const figure = await measure(server.url, database, name, one)
      figures[name] = figure
      const { perSecond, roundTrips, walBytes, rows } = figure
      lines.push(
        `${name}: ${perSecond} transactions/s, ${roundTrips} round trips, ${walBytes} bytes of log, ${rows} rows each`,
      )
    }
  } finally {
    await database.close()
    await server.end()
  }
  return { figures, lines }
}

async function measure(url: string, database: Database, name: string, one: Case & { own?: boolean }) {
  const { processes, runs, writers, flush = true, own = false } = one
  const store = storeOn(await connect(url))
  const loads: Load[] = []
  for (let process = 0; process < processes; process++) {
    const ids = Array.from({ length: runs }, (_, i) => `${name}-${own ? process : 0}-${i}`)
    for (const id of ids)
      await store.transact({ id, goal: 'bench', strategy: 'bench' }, (tx) => tx.setNote('clock', null))
    loads.push({ url, process, runs: ids, writers, forMs: FOR_MS, flush })
  }
  await store.close()
  const before = await written(database)
  const counted = await Promise.all((await Promise.all(loads.map(started))).map((begin) => begin()))
  const after = await written(database)
  const sum = (of: (one: Counted) => number) => counted.reduce((total, each) => total + of(each), 0)
  const transactions = sum((each) => each.transactions)
  return {
    perSecond: Math.round(sum(({ transactions: done, ms }) => (done / ms) * 1_000)),
    roundTrips: rounded(sum((each) => each.roundTrips) / transactions),
    walBytes: Math.round((after.wal - before.wal) / transactions),
    rows: rounded((after.rows - before.rows) / transactions),
  }
}

/** A process that waits to begin. */
async function started(load: Load): Promise<() => Promise<Counted>> {
  const child = spawn(process.execPath, [CHILD, JSON.stringify(load)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  await once(lines, 'line')
  return async () => {
    const said = once(lines, 'line')
    child.stdin.write('go\n')
    const [counted] = await said
    await once(child, 'exit')
    return JSON.parse(counted)
  }
}

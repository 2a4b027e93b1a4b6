/**
 * What PostgreSQL pays for the parts of a step: the processor's time of all its processes, the bytes that it logs, the memory of a
 * connection. `simulate.ts` has these figures in its table; processor time says the same on a busy machine, wall time does not.
 */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { startPostgresServer } from '../src/cluster/postgres-server.ts'
import type { Draft } from '../src/kernel/store.ts'
import { sharedLimits } from '../src/store/postgres/call-limits.ts'
import { connect, type Database } from '../src/store/postgres/connect.ts'
import { migrate } from '../src/store/postgres/migrate.ts'
import { storeOn } from '../src/store/postgres/store-on.ts'
import type { Figures } from './index.ts'
import { rounded } from './measure.ts'

export const about = 'what PostgreSQL pays for the parts of a step (for simulate)'

const ROUNDS = 400
const LISTENERS = 100

export async function run(): Promise<Figures> {
  const server = await startPostgresServer({ settings: { max_connections: '400' } })
  const database = await connect(server.url)
  try {
    await migrate(database)
    const postmaster = await postmasterOf(database)
    const measure = (name: string, work: () => Promise<unknown>, count = ROUNDS) =>
      costOf(name, database, postmaster, work, count)
    const costs = [
      await measure('an empty statement', () => database.query('SELECT 1')),
      ...(await stepCosts(database, measure)),
      await slotCost(database, measure),
      ...(await notifyCosts(server.url, database, measure)),
      await measure('a connection', () => connectOnce(server.url), 50),
    ]
    const memory = await connectionMemory(server.url, database)
    const lines = costs.map(
      ({ name, cpuMs, walBytes }) => `${name}: ${cpuMs} ms CPU, ${walBytes} bytes of WAL`,
    )
    return {
      figures: { costs, connectionMb: memory },
      lines: [...lines, `an idle connection that has worked: ${memory} MB of its own`],
    }
  } finally {
    await database.close()
    await server.end()
  }
}

interface Cost {
  readonly name: string
  readonly cpuMs: number
  readonly walBytes: number
}

type Measure = (name: string, work: () => Promise<unknown>, count?: number) => Promise<Cost>

/** An append to a run as a step makes it: an event of 2 KB, on disk. */
async function stepCosts(database: Database, measure: Measure): Promise<Cost[]> {
  const store = storeOn(database)
  const create = (id: string) =>
    store.create({ id, goal: 'a goal', strategy: 'minimal' }, draftOf({ type: 'run-start' }))
  const append = (id: string, epoch: number) =>
    store.append(id, epoch, [draftOf({ type: 'progress', detail: randomBytes(1_000).toString('hex') })], true)
  const epoch = await create('one')
  const one = await measure('an append to a run', () => append('one', epoch))
  // Each touches pages that no other has touched since the checkpoint.
  for (let i = 0; i < ROUNDS + 20; i++) await create(`spread-${i}`)
  await database.query('CHECKPOINT')
  let i = 0
  const spread = await measure('an append to a run that rested', () => append(`spread-${i++}`, 1))
  return [one, spread]
}

function draftOf(body: object): Draft {
  return { path: '1', atMs: Date.now(), ...body } as unknown as Draft
}

async function slotCost(database: Database, measure: Measure): Promise<Cost> {
  const limits = sharedLimits(database)
  const limiter = limits.limiterFor('openai', { maxConcurrent: 100, requestsPerMinute: 1_000_000 })
  const { signal } = new AbortController()
  const cost = await measure('a slot, taken and given back', async () =>
    (await limiter.acquire(signal, 0))(10),
  )
  await limits.close()
  return cost
}

/** One notification, with as many processes listening. */
async function notifyCosts(url: string, database: Database, measure: Measure): Promise<Cost[]> {
  const costs: Cost[] = []
  const clients: pg.Client[] = []
  for (const listeners of [0, LISTENERS]) {
    while (clients.length < listeners) {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query('LISTEN thinkon_bench')
      clients.push(client)
    }
    const notify = () => database.query(`SELECT pg_notify('thinkon_bench', 'run')`)
    costs.push(await measure(`a notification that ${listeners} processes hear`, notify))
  }
  await Promise.all(clients.map((client) => client.end()))
  return costs
}

async function connectOnce(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.end()
}

async function connectionMemory(url: string, database: Database): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
  for (const table of ['runs', 'events', 'inbox', 'owners'])
    await client.query(`SELECT * FROM thinkon.${table} LIMIT 1`)
  await database.query('SELECT 1')
  const smaps = readFileSync(`/proc/${rows[0].pid}/smaps_rollup`, 'utf8')
  const kilobytes = [...smaps.matchAll(/^Private_\w+:\s+(\d+) kB/gm)].reduce(
    (sum, [, kb]) => sum + Number(kb),
    0,
  )
  await client.end()
  return rounded(kilobytes / 1_024, 1)
}

async function costOf(
  name: string,
  database: Database,
  postmaster: number,
  work: () => Promise<unknown>,
  count: number,
): Promise<Cost> {
  for (let i = 0; i < 20; i++) await work()
  await delay(300)
  const before = { cpuMs: cpuMsOf(postmaster), wal: await walOf(database) }
  for (let i = 0; i < count; i++) await work()
  await delay(300)
  const walBytes = Math.round(((await walOf(database)) - before.wal) / count)
  return { name, cpuMs: rounded((cpuMsOf(postmaster) - before.cpuMs) / count, 3), walBytes }
}

async function postmasterOf(database: Database): Promise<number> {
  const [row] = await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return Number(/^\d+ \(.*\) \w (\d+)/.exec(readFileSync(`/proc/${row?.pid}/stat`, 'utf8'))?.[1])
}

async function walOf(database: Database): Promise<number> {
  const [row] = await database.query<{ bytes: number }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint AS bytes`,
  )
  return row?.bytes ?? 0
}

/** Of the server and its children, those included that have ended. */
function cpuMsOf(postmaster: number): number {
  const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  let ticks = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const fields = statOf(pid)
    if (fields === undefined) continue
    const isOurs = Number(pid) === postmaster || Number(fields[1]) === postmaster
    if (isOurs) ticks += Number(fields[11]) + Number(fields[12])
    if (Number(pid) === postmaster) ticks += Number(fields[13]) + Number(fields[14])
  }
  return (ticks * 1_000) / ticksPerSecond
}

/** What follows the name: state, parent, … */
function statOf(pid: string): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
  } catch {
    return undefined
  }
}

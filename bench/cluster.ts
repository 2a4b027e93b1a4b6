/**
 * A cluster: the cost of a block with one model call and one tool call over a transaction with one insert, measured next to
 * it, and the time from the kill -9 of a worker to the next event of its run.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { postgresFolder } from '../src/cluster/dev-folder.ts'
import { startDevWorkers } from '../src/cluster/dev-workers.ts'
import { cluster } from '../src/cluster.ts'
import { createEngine, type Engine } from '../src/index.ts'
import { gathered } from '../src/kernel/store.ts'
import type { Event } from '../src/protocol/index.ts'
import { connect, type Database } from '../src/store/postgres/connect.ts'
import { work } from './cluster-work.ts'
import type { Figures } from './index.ts'
import { median, rounded } from './measure.ts'
import { UNLIMITED } from './overhead-work.ts'
import { written } from './written.ts'

export const about = 'cluster: cost of a block, and time to take over from a dead worker'

const WORKERS = 2
const ROUNDS = 5
const BLOCKS = 200
const INSERTS = 300
const KILLS = 10
const GOALS = { sequentialRatio: 5, failoverMs: 1_500 }

export async function run(): Promise<Figures> {
  const workspace = mkdtempSync(join(tmpdir(), 'thinkon-bench-'))
  const script = join(import.meta.dirname, 'cluster-worker.ts')
  const running = await startDevWorkers({
    workspace,
    workers: WORKERS,
    worker: [process.execPath, script, workspace],
  })
  const { postgres } = running
  const engine = createEngine({ ...work, host: cluster({ postgres }) }) as Engine
  const database = await connect(postgres)
  try {
    await sequential(engine)
    const before = await written(database)
    const ratios: { blockMs: number; insertMs: number }[] = []
    for (let round = 0; round < ROUNDS; round++)
      ratios.push({ insertMs: await insertMs(database), blockMs: await sequential(engine) })
    const after = await written(database)
    const sequentialMs = median(ratios.map(({ blockMs }) => blockMs))
    const sequentialRatio = median(ratios.map(({ blockMs, insertMs }) => blockMs / insertMs))
    const transactionMs = median(ratios.map(({ insertMs }) => insertMs))
    const steps = ROUNDS * BLOCKS * 2
    const rowsPerStep = (after.rows - before.rows - ROUNDS * INSERTS) / steps
    const walPerStep = (after.wal - before.wal) / steps
    const failovers: number[] = []
    for (let kill = 0; kill < KILLS; kill++) failovers.push(await failover(engine, database, kill))
    const failoverMs = median(failovers)
    return {
      figures: {
        sequentialRatio: rounded(sequentialRatio),
        sequentialMs: rounded(sequentialMs),
        transactionMs: rounded(transactionMs),
        failoverMs: Math.round(failoverMs),
        failoverMostMs: Math.round(Math.max(...failovers)),
        rowsPerStep: rounded(rowsPerStep, 1),
        walPerStep: Math.round(walPerStep),
      },
      lines: [
        `a block with one model call and one tool call: ${rounded(sequentialMs)} ms, ${rounded(sequentialRatio)} × a transaction with one insert (goal ${GOALS.sequentialRatio})`,
        `from kill -9 of a worker to the next event of its run: median ${Math.round(failoverMs)} ms of ${KILLS} (goal ${GOALS.failoverMs}), at most ${Math.round(Math.max(...failovers))} ms`,
        `a step: ${rounded(rowsPerStep, 1)} rows, ${Math.round(walPerStep)} bytes of log`,
      ],
    }
  } finally {
    await engine.close()
    await database.close()
    await running.end()
    rmSync(postgresFolder(running.folder), { recursive: true, force: true })
    rmSync(workspace, { recursive: true, force: true })
  }
}

/** Per block, from the first block of the run to its end. */
async function sequential(engine: Engine): Promise<number> {
  const run = await start(engine, { blocks: BLOCKS })
  const { status } = await run.outcome
  if (status !== 'completed') throw new Error(`a run ended as ${status}`)
  const events = await gathered(await engine.events(run.id))
  const first = events.find(({ type }) => type === 'block-start') as Event
  return (atMs(events.at(-1) as Event) - atMs(first)) / BLOCKS
}

async function failover(engine: Engine, database: Database, kill: number): Promise<number> {
  const id = `killed-${kill}-${Date.now()}`
  const run = await start(engine, { blocks: 60, callMs: 50 }, id)
  for (;;) {
    await pause(50 + 17 * kill)
    const [row] = await database.query<{ owner_name: string | null; seq: number }>(OWNER, [id])
    const pid = /^process (\d+) /.exec(row?.owner_name ?? '')?.[1]
    if (pid === undefined || row === undefined || row.seq < 5) continue
    process.kill(Number(pid), 'SIGKILL')
    break
  }
  const killedMs = Date.now()
  await run.outcome
  const events = await gathered(await engine.events(id))
  const resumed = events.find((event) => event.type === 'run-resume' && atMs(event) >= killedMs)
  const next = events.find(({ seq }) => seq > (resumed?.seq ?? 0))
  return atMs(next as Event) - killedMs
}

const OWNER = 'SELECT owner_name, seq FROM thinkon.runs WHERE id = $1'

function start(engine: Engine, options: object, id?: string) {
  const given = { strategy: 'bench-workers', options, budget: UNLIMITED, ...(id !== undefined && { id }) }
  return engine.start('bench', given as never)
}

/** Of a transaction with one insert. */
async function insertMs(database: Database): Promise<number> {
  await database.query('CREATE TABLE IF NOT EXISTS bench_rows (id bigserial PRIMARY KEY, body text)')
  const startMs = performance.now()
  for (let i = 0; i < INSERTS; i++)
    await database.query('INSERT INTO bench_rows (body) VALUES ($1)', ['x'.repeat(200)], 'bench insert')
  return (performance.now() - startMs) / INSERTS
}

function atMs({ ts }: Event): number {
  return Date.parse(ts)
}

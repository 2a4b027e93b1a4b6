/**
 * Clusters of 1, 2 and 3 workers and the local host, which take turns at the same work. All parts are on this machine and share its cores:
 * `ceiling2` is what two processes without any of it gain over one, in the same rounds, and no cluster can gain more.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevCluster } from '../src/cluster/dev.ts'
import { postgresFolder } from '../src/cluster/dev-folder.ts'
import { createEngine, type Engine } from '../src/index.ts'
import { restate } from '../src/restate.ts'
import { connect, type Database } from '../src/store/postgres/connect.ts'
import { BLOCKS, BURN_MS, BURNS, CALL_MS, TREE_BLOCKS, work } from './cluster-work.ts'
import type { Figures } from './index.ts'
import { rounded, rounds } from './measure.ts'
import { UNLIMITED } from './overhead-work.ts'
import { written } from './written.ts'

export const about = 'clusters of 1, 2 and 3 workers against the local host, on the same blocks and calls'

const COUNTS = [1, 2, 3] as const
const ROUNDS = 5
/** They take seconds each. */
const BURN_ROUNDS = 3
/** Until V8 has compiled what is run often: workers take half of the time then. */
const WARM_UP = 5
const LEVELS = 4

interface Contender {
  readonly engine: Engine
  /** Of a cluster. */
  readonly database: Database | null
  end(): Promise<void>
}

export async function run(): Promise<Figures> {
  const contenders = new Map<string, Contender>()
  const burners = [burner(), burner()] as const
  try {
    contenders.set('local', local())
    for (const count of COUNTS) contenders.set(named(count), await cluster(count))
    const solve = async (strategy: string, { engine }: Contender) => {
      const start = await engine.start('bench', { strategy, budget: UNLIMITED })
      const { status } = await start.outcome
      if (status !== 'completed') throw new Error(`${strategy} ended as ${status}`)
    }
    for (let i = 0; i < WARM_UP; i++) for (const one of contenders.values()) await solve('bench-chain', one)
    const each = (strategy: string, list = [...contenders]) =>
      Object.fromEntries(list.map(([name, one]) => [name, () => solve(strategy, one)]))
    const perStep = await stepCosts(contenders.get(named(1)) as Contender, (one) => solve('bench-chain', one))
    const sequential = await rounds(ROUNDS, each('bench-chain'))
    const parallel = await rounds(ROUNDS, each('bench-tree'))
    const burned = await rounds(BURN_ROUNDS, {
      ...each('bench-burn', [...contenders].slice(1)),
      one: () => burners[0](BURNS),
      two: () => Promise.all(burners.map((burns) => burns(BURNS / 2))),
    })
    return figuresOf(sequential, parallel, burned, perStep)
  } finally {
    for (const burns of burners) burns.end()
    for (const one of contenders.values()) await one.end()
  }
}

type Times = Record<string, number>

function figuresOf(sequential: Times, parallel: Times, burned: Times, perStep: Costs): Figures {
  const names = ['local', ...COUNTS.map(named)]
  const of = (times: Times, blocks: number, modelMs: number) =>
    Object.fromEntries(names.map((name) => [name, rounded(((times[name] ?? 0) / 1e3 - modelMs) / blocks)]))
  const sequentialMs = of(sequential, BLOCKS, BLOCKS * CALL_MS)
  const parallelMs = of(parallel, TREE_BLOCKS, LEVELS * CALL_MS)
  const gain = (one: string, more: string) => rounded((burned[one] ?? 0) / (burned[more] ?? 1))
  const speedup2 = gain(named(1), named(2))
  const speedup3 = gain(named(1), named(3))
  const ceiling2 = gain('one', 'two')
  const listed = (ms: Record<string, number>) => names.map((name) => `${name} ${ms[name]}`).join(', ')
  return {
    figures: {
      sequentialMs: sequentialMs[named(1)],
      speedup2,
      ceiling2,
      speedup3,
      sequential: sequentialMs,
      parallel: parallelMs,
      ...perStep,
    },
    lines: [
      `ms a block over the model's time, ${BLOCKS} one after the other: ${listed(sequentialMs)} (goal 15)`,
      `ms a block over the model's time, a tree of ${TREE_BLOCKS}: ${listed(parallelMs)}`,
      `${BURNS} calls of a tool of ${BURN_MS} ms CPU: 2 workers ${speedup2} × one (goal 1.6), 3 workers ${speedup3} ×; ` +
        `two bare processes ${ceiling2} × one`,
      `a block of one step: ${perStep.rows} rows, ${perStep.walBytes} bytes of log, ${perStep.storedBytes} bytes of tables and indexes`,
    ],
  }
}

function named(count: number): string {
  return `workers${count}`
}

function local(): Contender {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-bench-'))
  const engine = createEngine({ ...work, store: join(folder, 'runs.db') })
  return {
    engine,
    database: null,
    async end() {
      await engine.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function cluster(workers: number): Promise<Contender> {
  const workspace = mkdtempSync(join(tmpdir(), 'thinkon-bench-'))
  const script = join(import.meta.dirname, 'cluster-worker.ts')
  const running = await startDevCluster({ workspace, workers, worker: [process.execPath, script, workspace] })
  const { ingress, postgres } = running
  const engine = createEngine({ ...work, host: restate({ ingress, postgres }) })
  const database = await connect(postgres)
  return {
    engine,
    database,
    async end() {
      await engine.close()
      await database.close()
      await running.end()
      rmSync(postgresFolder(running.folder), { recursive: true, force: true })
      rmSync(workspace, { recursive: true, force: true })
    },
  }
}

interface Costs {
  readonly rows: number
  readonly walBytes: number
  readonly storedBytes: number
}

/** What PostgreSQL writes for a block with one step. */
async function stepCosts(one: Contender, solve: (one: Contender) => Promise<void>): Promise<Costs> {
  const database = one.database as Database
  const before = await written(database)
  for (let i = 0; i < ROUNDS; i++) await solve(one)
  const after = await written(database)
  const each = (of: 'rows' | 'wal' | 'stored') => (after[of] - before[of]) / (ROUNDS * BLOCKS)
  return {
    rows: rounded(each('rows'), 1),
    walBytes: Math.round(each('wal')),
    storedBytes: Math.round(each('stored')),
  }
}

/** A process that burns. */
function burner(): ((times: number) => Promise<void>) & { end(): void } {
  const script = join(import.meta.dirname, 'cluster-burn.ts')
  const child: ChildProcess = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ready = once(child.stdout as NodeJS.ReadableStream, 'data')
  const burns = async (times: number) => {
    await ready
    const done = once(child.stdout as NodeJS.ReadableStream, 'data')
    child.stdin?.write(`${times}\n`)
    await done
  }
  return Object.assign(burns, { end: () => child.stdin?.end() })
}

// PostgreSQL, worker processes and a client: what the tests drive, kill and count.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cluster } from '../../src/cluster.ts'
import { createEngine, type Engine } from '../../src/index.ts'
import { gathered } from '../../src/kernel/store.ts'
import type { Event, Outcome } from '../../src/protocol/index.ts'
import { violations } from '../conformance/invariants.ts'
import { freshDatabase } from '../postgres.ts'
import { type Effect, effectsOn, readEffects, repeated, strategiesOf } from './effects.ts'
import type { WorkerSettings } from './worker-process.ts'

export interface WorkerProcess {
  readonly pid: number
  /** Resolves with its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>
  send(signal: NodeJS.Signals): void
}

export interface TestCluster {
  readonly postgres: string
  readonly engine: Engine
  readonly workers: readonly WorkerProcess[]
  startWorker(settings?: WorkerSettings): Promise<WorkerProcess>
  events(run: string): Promise<Event[]>
  effects(): Effect[]
  /** The outcome of the run, whose journal is whole and in which nothing was done twice. */
  finished(run: string): Promise<Outcome>
  end(): Promise<void>
}

export async function openCluster(
  workers: number,
  settings: WorkerSettings = {},
  database?: string,
): Promise<TestCluster> {
  const postgres = database ?? (await freshDatabase())
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-cluster-'))
  const log = join(folder, 'effects.log')
  const started: WorkerProcess[] = []
  const engine = createEngine({
    ...effectsOn(null),
    strategies: strategiesOf() as never,
    host: cluster({ postgres }),
  }) as Engine

  async function startWorker(own: WorkerSettings = settings): Promise<WorkerProcess> {
    const script = join(import.meta.dirname, 'worker-process.ts')
    const child = spawn(process.execPath, [script, postgres, log, JSON.stringify(own)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const worker = workerOf(child)
    started.push(worker)
    await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), worker.ended])
    return worker
  }

  const events = async (run: string) => gathered(await engine.events(run))
  const test: TestCluster = {
    ...{ postgres, engine, workers: started, startWorker, events },
    effects: () => readEffects(log),
    async finished(run) {
      const outcome = await (await engine.resume(run)).outcome
      const all = await events(run)
      const problems = [...violations(all), ...repeated(all, readEffects(log))]
      if (problems.length > 0) throw new Error(problems.join('\n'))
      return outcome
    },
    async end() {
      await engine.close()
      for (const worker of started) worker.send('SIGKILL')
      await Promise.all(started.map(({ ended }) => ended))
      rmSync(folder, { recursive: true, force: true })
    },
  }
  try {
    await Promise.all(Array.from({ length: workers }, () => startWorker()))
    return test
  } catch (thrown) {
    await test.end()
    throw thrown
  }
}

function workerOf(child: ChildProcess): WorkerProcess {
  return {
    pid: child.pid as number,
    ended: once(child, 'exit').then(([code, signal]) => code ?? signal),
    send(signal) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    },
  }
}

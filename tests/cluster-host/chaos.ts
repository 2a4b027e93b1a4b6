// Accidents in the middle of runs on two workers: after each, all runs end as they would have without it. The gate has a few rounds, the soak
// many.

import { setTimeout as pause } from 'node:timers/promises'
import { queryDatabase, restartPostgres } from '../postgres.ts'
import { openCluster, type TestCluster } from './cluster.ts'

export type Accident = (cluster: TestCluster, round: number) => Promise<void>

const RUNS = 6
const CHAIN = { steps: 6, ms: 25 }
/** Between the start of the runs and the accident. */
const MOMENT_MS = 300

/** A worker is gone, and another one comes. */
async function kill({ workers, startWorker }: TestCluster): Promise<void> {
  const [victim] = workers.slice(-2)
  victim?.send('SIGKILL')
  await startWorker()
}

/** A worker hangs for longer than its heartbeat is valid, and wakes. */
async function hang({ workers }: TestCluster): Promise<void> {
  const [victim] = workers.slice(-2)
  victim?.send('SIGSTOP')
  await pause(18_000)
  victim?.send('SIGCONT')
}

/** The sessions that hold the locks of all processes are ended. */
async function endLockSessions({ postgres }: TestCluster): Promise<void> {
  await queryDatabase(
    postgres,
    `SELECT pg_terminate_backend(pid) FROM pg_locks
     WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND classid > 0
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  )
}

/** The server ends at once, and comes back. */
async function restartServer(): Promise<void> {
  await restartPostgres('KILL')
}

export const ACCIDENTS: Readonly<Record<string, Accident>> = {
  'kill -9 of a worker': kill,
  'a worker that hangs': hang,
  'the end of lock sessions': endLockSessions,
  'kill -9 of PostgreSQL': restartServer,
}

/** Throws if a run did not end as it should. Returns how many writes were interrupted. */
export async function survive(accident: Accident, rounds: number): Promise<number> {
  const cluster = await openCluster(2)
  let interrupted = 0
  try {
    for (let round = 0; round < rounds; round++) {
      const ids = Array.from({ length: RUNS }, (_, at) => `run-${round}-${at}`)
      for (const id of ids)
        await cluster.engine.start(`goal of ${id}`, { id, strategy: 'chain', options: CHAIN })
      await pause(MOMENT_MS + 37 * round)
      await accident(cluster, round)
      for (const id of ids) {
        const { status, result } = await cluster.finished(id)
        const [, lost] = /^6 steps, (\d+) interrupted$/.exec(result) ?? []
        if (status !== 'completed' || lost === undefined) throw new Error(`${id}: ${status} ${result}`)
        interrupted += Number(lost)
      }
    }
    return interrupted
  } finally {
    await cluster.end()
  }
}

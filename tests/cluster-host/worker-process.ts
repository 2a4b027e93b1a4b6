// A worker: `node worker-process.ts <connection string> <log> <options as JSON>`. Says `ready` when runs are assigned to it; ends on SIGTERM
// when it is drained.

import { clusterWorker } from '../../src/cluster.ts'
import { effectsOn, strategiesOf } from './effects.ts'

export interface WorkerSettings {
  /** Of its own strategies. */
  readonly strategies?: number
  readonly version?: string
  readonly restAfterMs?: number
  readonly runs?: number
  readonly drainMs?: number
}

const [postgres = '', log = '', given = '{}'] = process.argv.slice(2)
const { strategies, version, restAfterMs = 100, runs, drainMs = 60_000 } = JSON.parse(given) as WorkerSettings

const worker = await clusterWorker({
  ...{ postgres, restAfterMs, ...effectsOn(log) },
  strategies: strategiesOf(strategies) as never,
  ...(version !== undefined && { version }),
  ...(runs !== undefined && { capacity: { runs } }),
  onProblem: (problem) => process.stderr.write(`${process.pid}: ${problem}\n`),
})
process.once('SIGTERM', async () => {
  await worker.drain(AbortSignal.timeout(drainMs))
  await worker.close()
  process.exit(0)
})
process.stdout.write('ready\n')

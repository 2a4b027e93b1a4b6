/** A worker of workers.ts; started by it. */
import { clusterWorker } from '../src/cluster.ts'
import { workersSettings } from '../src/config/workers-settings.ts'
import { work } from './workers-work.ts'

const { postgres } = workersSettings({ config: {}, workspace: process.argv[2] as string })
const worker = await clusterWorker({ ...work, postgres })
process.once('SIGTERM', async () => {
  await worker.drain(AbortSignal.abort())
  await worker.close()
  process.exit(0)
})
process.stdout.write(`${JSON.stringify({ state: 'serving' })}\n`)

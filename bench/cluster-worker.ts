/** A worker of cluster.ts; started by it. */
import { clusterWorker } from '../src/cluster.ts'
import { clusterSettings } from '../src/config/cluster-settings.ts'
import { work } from './cluster-work.ts'

const { postgres } = clusterSettings({ config: {}, workspace: process.argv[2] as string })
const worker = await clusterWorker({ ...work, postgres })
process.once('SIGTERM', async () => {
  await worker.drain(AbortSignal.abort())
  await worker.close()
  process.exit(0)
})
process.stdout.write(`${JSON.stringify({ state: 'serving' })}\n`)

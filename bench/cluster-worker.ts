/** A worker of cluster.ts; started by it. */
import { clusterSettings } from '../src/config/cluster-settings.ts'
import { restateWorker } from '../src/restate.ts'
import { work } from './cluster-work.ts'

const LOST = 75

const workspace = process.argv[2] as string
const { worker: own, ...parts } = clusterSettings({ config: {}, workspace })
const worker = await restateWorker({
  ...work,
  ...parts,
  ...own.listen,
  address: own.address as string,
  onWait: () => {},
  onLost: () => process.exit(LOST),
})
process.once('SIGTERM', async () => {
  await worker.drain()
  process.exit(0)
})

// A worker with the programs of the tests, started and ended as `thinkon worker` is: `cluster-worker.ts <log> <workspace>`.

import { clusterSettings } from '../../src/config/cluster-settings.ts'
import { registerPatiently } from '../../src/hosts/restate/register.ts'
import { startWorker } from '../../src/hosts/restate/worker.ts'
import { openShared } from '../../src/store/open-shared.ts'
import { join } from '../../src/store/postgres/claims.ts'
import { programs } from './programs.ts'

const LOST = 75

const [log, workspace] = process.argv.slice(2) as [string, string]
const { admin, ingress, postgres, worker: own } = clusterSettings({ config: {}, workspace })
const { store, database } = await openShared(postgres)
const { claims } = await join(database, { onLost: () => process.exit(LOST) })
const worker = await startWorker({
  ...{ store, claims, admin, ingress, kernel: programs(log), path: '/test' },
  ...own.listen,
})
process.once('SIGTERM', async () => {
  await worker.drain()
  process.exit(0)
})
await registerPatiently(admin, `${own.address}/test`)

// A worker in a process of its own: `worker-process.ts <port> <postgres> <log> <admin> <ingress>`. Ends when its input does, so that it
// does not outlive the test, and when it has lost its connection to PostgreSQL.

import { startWorker } from '../../src/hosts/restate/worker.ts'
import { join } from '../../src/store/postgres/claims.ts'
import { connect } from '../../src/store/postgres/connect.ts'
import { storeOn } from '../../src/store/postgres/store-on.ts'
import { programs } from './programs.ts'

process.stdin.resume().on('end', () => process.exit())
const [port, postgres, log, admin, ingress] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
]
const database = await connect(postgres)
const { claims } = await join(database, { onLost: () => process.exit(1) })
const store = storeOn(database)
await startWorker({ store, claims, kernel: programs(log), admin, ingress, port: Number(port) })
process.stdout.write('ready\n')

// A worker in a process of its own: `worker-process.ts <port> <store> <log> <admin>`. Ends when its input does, so that it
// does not outlive the test.

import { startWorker } from '../../src/hosts/restate/worker.ts'
import { sqliteSharedStore } from '../../src/store/sqlite-shared.ts'
import { programs } from './programs.ts'

const [port, file, log, admin] = process.argv.slice(2) as [string, string, string, string]
const store = sqliteSharedStore(file, { synchronous: 'normal' })
await startWorker({ store, kernel: programs(log), admin, port: Number(port) })
process.stdin.resume().on('end', () => process.exit())
process.stdout.write('ready\n')

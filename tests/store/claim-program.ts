/** A worker that claims a step and keeps it: `node claim-program.ts <database> <run> <path> <n>`. Says on its first line how. */
import { join } from '../../src/store/postgres/claims.ts'
import { connect } from '../../src/store/postgres/connect.ts'

const [url = '', run = '', path = '', n = ''] = process.argv.slice(2)
const database = await connect(url)
const { claims } = await join(database, { onLost: () => process.exit(3) })
process.stdout.write(`${await claims.take({ run, path, n: Number(n) })}\n`)

/** Takes over the runs that its messages name, and answers how that ended: `node taker.ts <store>`. */
import { ThinkonError } from '../../src/index.ts'
import { sqliteStore } from '../../src/stores.ts'

const store = sqliteStore(process.argv[2] as string)
process.on('message', (run: string) => process.send?.(taken(run)))
process.send?.('ready')

function taken(run: string): string {
  try {
    store.acquire(run)
    return 'owner'
  } catch (thrown) {
    return ThinkonError.isInstance(thrown) ? thrown.code : String(thrown)
  }
}

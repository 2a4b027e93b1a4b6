import type { RunKey } from '../kernel/run-key.ts'
import type { SharedStore } from '../kernel/store.ts'
import { connect, type Database } from './postgres/connect.ts'
import { migrate } from './postgres/migrate.ts'
import { storeOn } from './postgres/store-on.ts'
import { Signer } from './signatures.ts'

export interface OpenedShared {
  readonly store: SharedStore
  /** What workers claim effects in. It is closed with the store. */
  readonly database: Database
}

/** The store that the processes of a cluster share. `url`: the connection string of a PostgreSQL. `key` signs the forks that are made. */
export async function openShared(url: string, key?: RunKey): Promise<OpenedShared> {
  const signer = key === undefined ? null : new Signer(key)
  const database = await connect(url)
  try {
    await migrate(database)
  } catch (thrown) {
    await database.close()
    throw thrown
  }
  return { store: storeOn(database, { signer }), database }
}

/**
 * The store on PostgreSQL: many processes of many machines, one owner for each run.
 *
 * With `synchronous: 'full'` (the default) replies are on the server's disk before anyone sees them; everything else survives `kill -9` of
 * the process. With `'normal'` replies do, too, and no more: a crash of PostgreSQL may lose the last of them.
 */

import type { AssignableStore } from '../../kernel/run-assignment.ts'
import { type RunKey, runKey } from '../../kernel/run-key.ts'
import {
  type Arguments,
  checkArguments,
  type Fields,
  fields,
  oneOf,
  text,
  wholeAmount,
} from '../../protocol/check-arguments.ts'
import { Signer } from '../signatures.ts'
import { connect } from './connect.ts'
import { migrate } from './migrate.ts'
import { storeOn } from './store-on.ts'

export interface PostgresOptions {
  synchronous?: 'full' | 'normal'
  /** Signs the runs that are written: see EngineOptions. The same for all processes that work on them. */
  key?: RunKey
  /** Connections at most, besides one that says that this process lives. Default: 10. */
  maxConnections?: number
}

const POSTGRES_STORE: Arguments = {
  checks: {
    url: text,
    options: fields({
      synchronous: oneOf(['full', 'normal']),
      key: runKey,
      maxConnections: wholeAmount,
    } satisfies Fields<PostgresOptions>),
  },
  needs: { url: 'the connection string' },
}

/** Makes the tables where they are missing. `url`: `postgres://user:password@host:5432/database`. Needs the package `pg`. */
export async function postgresStore(url: string, options: PostgresOptions = {}): Promise<AssignableStore> {
  checkArguments('postgresStore', POSTGRES_STORE, [url, options])
  const signer = options.key === undefined ? null : new Signer(options.key)
  const database = await connect(url, options)
  try {
    await migrate(database)
  } catch (thrown) {
    await database.close()
    throw thrown
  }
  return storeOn(database, { synchronous: options.synchronous, signer })
}

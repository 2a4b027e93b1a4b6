/** The program that is killed, on PostgreSQL: `node postgres-program.ts <connection string> <folder> [die at event]`. */

import type { Outcome } from '../../src/index.ts'
import type { AsyncStore } from '../../src/kernel/store.ts'
import { postgresStore } from '../../src/store/postgres/postgres.ts'
import { solveOn } from './program.ts'

export async function solve([url = '', folder = '', dieAt]: readonly string[]): Promise<Outcome> {
  const store = await postgresStore(url)
  return solveOn(dieAt === undefined ? store : mortal(store, Number(dieAt)), folder)
}

/** Kills this process as soon as that event is committed. */
function mortal(store: AsyncStore, dieAt: number): AsyncStore {
  return {
    ...store,
    async append(run, epoch, drafts, flush) {
      const first = await store.append(run, epoch, drafts, flush)
      if (first + drafts.length > dieAt) process.kill(process.pid, 'SIGKILL')
      return first
    },
  }
}

if (import.meta.main) process.stdout.write(JSON.stringify(await solve(process.argv.slice(2))))

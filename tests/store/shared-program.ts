/**
 * Writes to a run that others write to as well: `node shared-program.ts <store> <run> <name> <writers> <times>`. Each writer counts a note
 * up and records it, so many times, and says so on a line when it is committed. What fails is tried again: nothing is recorded twice.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { postgresStore } from '../../src/store/postgres/postgres.ts'
import { countUp } from './shared-counting.ts'

const [url = '', run = '', name = '', writers = '', times = ''] = process.argv.slice(2)
const store = await postgresStore(url)

async function write(path: string): Promise<void> {
  for (let n = 1; n <= Number(times); n++) {
    const count = await persistently(() => store.transact(run, (tx) => countUp(tx, path, n), true))
    process.stdout.write(`${path} ${n} ${count}\n`)
  }
}

async function persistently<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt()
    } catch {
      await pause(20)
    }
  }
}

await Promise.all(Array.from({ length: Number(writers) }, (_, i) => write(`${name}.${i + 1}`)))
await store.close()

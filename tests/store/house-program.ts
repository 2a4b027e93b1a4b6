/**
 * What the tests of keeping house do in a process of its own: `node house-program.ts <store> <what> …`.
 *
 * - `work <runs>`: runs that say the same things again and again, each ended and released, and one that lasts and says all of it; says `done`.
 * - `prune`: deletes every run that nobody works on, and sweeps; says `pruning` when it begins, `done` at the end.
 * - `import <file> <id>`: says `importing` when it begins, `done` at the end.
 */
import { createReadStream } from 'node:fs'
import { whenFree } from '../../src/kernel/when-free.ts'
import { ThinkonError } from '../../src/protocol/index.ts'
import { importRun } from '../../src/store/import-run.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { END, START, saying, TOPICS } from './house-events.ts'

const [file = '', what, ...args] = process.argv.slice(2)
const store = sqliteStore(file, { synchronous: 'normal' })
const say = (text: string) => process.stdout.write(`${text}\n`)

if (what === 'work') {
  const lasting = `${process.pid}-lasting`
  const owned = await whenFree(() => store.create({ id: lasting, goal: 'g', strategy: 's' }, { ...START }))
  for (let i = 0; i < Number(args[0]); i++) {
    const id = `${process.pid}-${i}`
    const epoch = await whenFree(() => store.create({ id, goal: 'g', strategy: 's' }, { ...START }))
    for (const draft of saying(TOPICS[i % TOPICS.length] as string))
      await whenFree(() => store.append(id, epoch, [draft], false))
    await whenFree(() => store.append(id, epoch, [{ ...END }], false))
    await whenFree(() => store.release(id, epoch))
    for (const draft of saying(TOPICS[i % TOPICS.length] as string))
      await whenFree(() => store.append(lasting, owned, [draft], false))
    await new Promise(setImmediate)
  }
} else if (what === 'prune') {
  say('pruning')
  for (const { id } of store.list()) {
    try {
      store.delete(id)
    } catch (error) {
      // It is being worked on, or the other process was faster.
      if (!ThinkonError.isInstance(error) || !/RUN_LOCKED|UNKNOWN_RUN/.test(error.code)) throw error
    }
  }
  for (const _ of store.sweep());
} else {
  say('importing')
  await importRun(store, createReadStream(args[0] as string), { as: args[1] as string })
}
store.close()
say('done')

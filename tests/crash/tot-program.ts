/** As program.ts: a Tree of Thoughts on the abacus, with whole layers under way at once. */

import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEngine, type Model, type Outcome } from '../../src/index.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { crashAt } from '../../src/testing/index.ts'
import { shippedAbacus } from '../../tests/abacus.ts'

export async function solve([folder = '', dieAt]: readonly string[]): Promise<Outcome> {
  const log = (line: string) => appendFileSync(join(folder, 'effects.log'), `${line}\n`)

  const abacus = shippedAbacus()
  // The calls of a layer begin together and end one after the other, each in a commit of its own: between any two of these ends
  // the layer is half done, on a slow machine as on a fast one.
  let last = Promise.resolve()
  const model: Model = {
    ...abacus,
    async call(request, io) {
      log(`model ${io.path} ${io.n}`)
      last = last.then(() => new Promise((resolve) => setTimeout(resolve, 5)))
      await last
      return abacus.call(request, io)
    },
  }

  const store = sqliteStore(join(folder, 'runs.db'), { synchronous: 'normal' })
  log('--- process')
  const engine = createEngine({
    model,
    store: dieAt === undefined ? store : crashAt(store, Number(dieAt), { how: 'kill' }),
  })
  const run = await engine.start('Make 24 from 1, 5, 5, 5 and 7', {
    id: 'crash',
    strategy: 'tot',
    seed: 'crash',
  })
  const outcome = await run.outcome
  await engine.close()
  store.close()
  return outcome
}

if (import.meta.main) process.stdout.write(JSON.stringify(await solve(process.argv.slice(2))))

/** As program.ts: a Tree of Thoughts on the abacus, which takes its time, so that whole layers are under way at once. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEngine, type Model } from '../../src/index.ts'
import { abacusModel } from '../../src/models/embedded/abacus/index.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { crashAt } from '../../src/testing/index.ts'

const [folder = '', dieAt] = process.argv.slice(2)
const log = (line: string) => appendFileSync(join(folder, 'effects.log'), `${line}\n`)

const abacus = abacusModel()
const model: Model = {
  ...abacus,
  async call(request, io) {
    log(`model ${io.path} ${io.n}`)
    // Siblings end one after the other, and not in the order in which they began.
    await new Promise((resolve) => setTimeout(resolve, 2 + ((io.n * 7) % 5) * 3))
    return abacus.call(request, io)
  },
}

const store = sqliteStore(join(folder, 'runs.db'), { synchronous: 'normal' })
log('--- process')
const engine = createEngine({
  model,
  store: dieAt === undefined ? store : crashAt(store, Number(dieAt), { how: 'kill' }),
})
const run = await engine.start('Make 24 from 4, 9, 10 and 13', {
  id: 'crash',
  strategy: 'tot',
  seed: 'crash',
})
process.stdout.write(JSON.stringify(await run.outcome))
await engine.close()

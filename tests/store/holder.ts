/** A process that works on a run for ever: `node holder.ts <store> <start|resume> <run>`. Says so on its first line. It never follows a run. */
import { createEngine, type Model, ThinkonError } from '../../src/index.ts'

const [store = '', verb, id = ''] = process.argv.slice(2)
const model: Model = {
  id: 'never',
  call: () => new Promise((_, reject) => setTimeout(reject, 600_000, new Error('too late'))),
}
const engine = createEngine({ model, store })
try {
  await (verb === 'start' ? engine.start('a run that is held', { id }) : engine.resume(id, { follow: false }))
  process.stdout.write('holding\n')
} catch (error) {
  process.stdout.write(`${JSON.stringify(ThinkonError.isInstance(error) ? error.toJSON() : String(error))}\n`)
  await engine.close()
}

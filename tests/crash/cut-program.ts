/**
 * A reply in four pieces, each cut off at its cap: `node cut-program.ts <prose|value> <folder> [die at event]`. Every request
 * leaves a line in `effects.log`. Prints its outcome.
 */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEngine, type Model, type Outcome, type Strategy } from '../../src/index.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { crashAt } from '../../src/testing/index.ts'

export const PIECES = [
  'One is the first, ',
  'two is the second, ',
  'three is the third, ',
  'and that is all.',
]
const VALUE = '{"said":"all of it"}'

export async function solve([what, folder = '', dieAt]: readonly string[]): Promise<Outcome> {
  const log = (line: string) => appendFileSync(join(folder, 'effects.log'), `${line}\n`)
  const usage = { inputTokens: 10, outputTokens: 100 }
  const model: Model = {
    id: 'cut',
    async call({ messages, settings }) {
      const said = messages.find(({ role }) => role === 'assistant')?.content ?? ''
      const piece = PIECES.filter((one) => said.includes(one)).length
      const cap = settings?.maxOutputTokens ?? 0
      log(`model ${piece} ${cap}`)
      const isCut = what === 'prose' ? piece < PIECES.length - 1 : cap < 400
      const text = what === 'prose' ? (PIECES[piece] as string) : isCut ? VALUE.slice(0, 9) : VALUE
      return { text, usage, ...(isCut && { cutOff: true }) }
    },
  }
  const strategy: Strategy = {
    name: 'one-ask',
    version: 1,
    options: (given) => given,
    async solve(context) {
      const messages = [{ role: 'user' as const, content: 'Say it all.' }]
      const schema = what === 'prose' ? {} : { schema: { type: 'object' } }
      const settings = { maxOutputTokens: 100 }
      const reply = await context.one(
        context.model({ kind: 'test/say', version: 1, role: 'plan', messages, settings, ...schema }),
      )
      return reply.text
    },
  }
  const store = sqliteStore(join(folder, 'runs.db'), { synchronous: 'normal' })
  log('--- process')
  const engine = createEngine({
    model,
    strategies: [strategy],
    store: dieAt === undefined ? store : crashAt(store, Number(dieAt), { how: 'kill' }),
  })
  const run = await engine.start('say it', { strategy: 'one-ask', id: 'crash' })
  const outcome = await run.outcome
  await engine.close()
  store.close()
  return outcome
}

if (import.meta.main) process.stdout.write(JSON.stringify(await solve(process.argv.slice(2))))

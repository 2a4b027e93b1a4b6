/**
 * A strategy over another: `node pair-program.ts <outer> <inner> <folder> [die at event]`. Every effect leaves a line in
 * `effects.log` before it begins. Prints its outcome.
 */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEngine, type Model, type Outcome } from '../../src/index.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { crashAt } from '../../src/testing/index.ts'
import { type Pair, pairUnderTest } from '../conformance/pairs.ts'
import { countedTools, TREE } from '../conformance/tasks.ts'

export async function solve([outer, inner, folder = '', dieAt]: readonly string[]): Promise<Outcome> {
  const { name, options = {}, model: scriptFor } = pairUnderTest({ outer, inner } as Pair)
  const log = (line: string) => appendFileSync(join(folder, 'effects.log'), `${line}\n`)

  const script = scriptFor(TREE)
  const model: Model = {
    id: 'pair',
    call(request, io) {
      log(`model ${io.path} ${io.n}`)
      return script.call(request, io)
    },
  }
  const tools = countedTools().tools.map((tool) => ({
    ...tool,
    run: (...[input, io]: Parameters<typeof tool.run>) => {
      log(`${tool.access} ${io.path} ${io.n}`)
      return tool.run(input, io)
    },
  }))

  const store = sqliteStore(join(folder, 'runs.db'), { synchronous: 'normal' })
  log('--- process')
  const engine = createEngine({
    model,
    tools,
    store: dieAt === undefined ? store : crashAt(store, Number(dieAt), { how: 'kill' }),
  })
  const run = await engine.start(TREE.goal, { strategy: name, options, id: 'crash' })
  const outcome = await run.outcome
  await engine.close()
  store.close()
  return outcome
}

if (import.meta.main) process.stdout.write(JSON.stringify(await solve(process.argv.slice(2))))

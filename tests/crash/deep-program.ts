/** A fractal recursion of ten levels: `node deep-program.ts <folder> [die at event]`. Prints its outcome. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEngine, type Model, type Outcome } from '../../src/index.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { crashAt } from '../../src/testing/index.ts'

const LEVELS = 10

export async function solve([folder = '', dieAt]: readonly string[]): Promise<Outcome> {
  const model: Model = {
    id: 'deep',
    async call({ kind, input }, { path, n }) {
      appendFileSync(join(folder, 'effects.log'), `model ${path} ${n}\n`)
      const { level, done } = input as { level: number; done: string[] }
      const value =
        kind === 'fractal/think'
          ? level < LEVELS
            ? { type: 'TODO', description: 'one level down' }
            : { type: 'RETURN', description: 'the bottom' }
          : done.length === 0
            ? { type: 'CALL', description: `level ${level + 1}` }
            : { type: 'RETURN', description: `${level} over ${done[0]}` }
      return { text: JSON.stringify(value), value, usage: { inputTokens: 1, outputTokens: 1 } }
    },
  }

  const store = sqliteStore(join(folder, 'runs.db'), { synchronous: 'normal' })
  appendFileSync(join(folder, 'effects.log'), '--- process\n')
  const engine = createEngine({
    model,
    store: dieAt === undefined ? store : crashAt(store, Number(dieAt), { how: 'kill' }),
  })
  const run = await engine.start('ten levels', {
    strategy: 'fractal',
    id: 'crash',
    options: { maxDepth: LEVELS },
  })
  const outcome = await run.outcome
  await engine.close()
  store.close()
  return outcome
}

if (import.meta.main) process.stdout.write(JSON.stringify(await solve(process.argv.slice(2))))

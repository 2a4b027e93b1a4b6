/**
 * A Think that reads files in one conversation: `node killed-program.ts <folder> [die at event]`. Starts the run or resumes it; every
 * request is appended to `requests.log` before it is answered.
 */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEngine, type Model } from '../../src/index.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { crashAt, ScriptedModel } from '../../src/testing/index.ts'
import { goalOf, readFile, scriptOf } from './fractal-world.ts'

const ROOT = { name: 'reader', chars: 800, files: ['a', 'b', 'c', 'd', 'e', 'f'] }

export async function solve([folder = '', dieAt]: readonly string[]): Promise<string> {
  const scripted = new ScriptedModel(scriptOf(ROOT) as never)
  const model: Model = {
    id: 'killed',
    call(request, io) {
      const { input: _, ...bytes } = request
      appendFileSync(join(folder, 'requests.log'), `${io.path}/${io.n} ${JSON.stringify(bytes)}\n`)
      return scripted.call(request, io)
    },
  }
  const store = sqliteStore(join(folder, 'runs.db'), { synchronous: 'normal' })
  const engine = createEngine({
    model,
    tools: [readFile],
    // Little enough for a compaction on the way.
    promptTokens: 4_000,
    store: dieAt === undefined ? store : crashAt(store, Number(dieAt), { how: 'kill' }),
  })
  const run = await engine.start(goalOf(ROOT), {
    id: 'killed',
    strategy: 'fractal',
    options: { check: 'never' },
  })
  const { result } = await run.outcome
  await engine.close()
  store.close()
  return result
}

if (import.meta.main) process.stdout.write(await solve(process.argv.slice(2)))

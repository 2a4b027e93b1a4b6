/**
 * The program of sources-crash.test.ts: `node sources-program.ts <folder> [die at event]`. Calls a tool of ours and one of the AI SDK at the
 * same time. Every effect leaves a line in `effects.log` before it begins.
 */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { tool as aiTool } from 'ai'
import { z } from 'zod'
import { createEngine, type Model, type Outcome, tool } from '../../src/index.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { crashAt } from '../../src/testing/index.ts'

export async function solve([folder = '', dieAt]: readonly string[]): Promise<Outcome> {
  const log = (line: string) => appendFileSync(join(folder, 'effects.log'), `${line}\n`)

  const look = tool({
    name: 'look',
    description: 'looks',
    access: 'read',
    input: z.object({ at: z.string() }),
    output: z.object({ seen: z.string() }),
    run: async ({ at }, { path, n }) => {
      log(`read ${path} ${n}`)
      await after(5)
      return { seen: at }
    },
  })
  const send = aiTool({
    description: 'sends',
    inputSchema: z.object({ to: z.string() }),
    execute: async ({ to }, { toolCallId }) => {
      const [, path, n] = toolCallId.split('/')
      log(`write ${path} ${n}`)
      await after(20)
      return { sent: to }
    },
  })
  const model: Model = {
    id: 'crash',
    async call({ input }, { path, n }) {
      log(`model ${path} ${n}`)
      const { timeline } = input as { timeline: string }
      const calls = [
        { name: 'look', input: { at: 'home' } },
        { name: 'send', input: { to: 'home' } },
      ]
      const move = timeline.includes('look → ') ? { do: 'return', result: 'done' } : { do: 'tool', calls }
      return { text: JSON.stringify(move), usage: { inputTokens: 1, outputTokens: 1 } }
    },
  }

  const store = sqliteStore(join(folder, 'runs.db'), { synchronous: 'normal' })
  log('--- process')
  const engine = createEngine({
    model,
    tools: [look, { send }],
    store: dieAt === undefined ? store : crashAt(store, Number(dieAt), { how: 'kill' }),
  })
  const run = await engine.start('a run that is killed', { id: 'crash', strategy: 'minimal' })
  const outcome = await run.outcome
  await engine.close()
  store.close()
  return outcome
}

if (import.meta.main) process.stdout.write(JSON.stringify(await solve(process.argv.slice(2))))

/**
 * The program that is killed: `node program.ts <folder> [die at event]`. Starts the run or resumes it, and prints its
 * outcome. Every effect leaves a line in `effects.log` before it begins, so that a test can count what was done twice.
 */

import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEngine, type Model, type Outcome, ThinkonError, type Tool } from '../../src/index.ts'
import type { AnyStore } from '../../src/kernel/store.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { crashAt } from '../../src/testing/index.ts'

const RUN = 'crash'

interface Input {
  goal: string
  path: string
  level: number
  done: string[]
  timeline: string
}

/** Two levels of three children each, tools that read and write, and a question at the end. */
function move({ goal, level, done, timeline }: Input): unknown {
  if (level === 0) {
    if (done.length === 0) return { do: 'call', goals: ['left', 'middle', 'right'] }
    if (!timeline.includes('publish?'))
      return { do: 'ask', question: { text: 'publish?', choices: ['yes', 'no'] } }
    return {
      do: 'return',
      result: `${done.join(', ')}; ${timeline.includes('"yes"') ? 'published' : 'kept'}`,
    }
  }
  if (level === 1) {
    if (done.length === 0) return { do: 'call', goals: [`${goal} a`, `${goal} b`, `${goal} c`] }
    return { do: 'return', result: `${goal}(${done.join(' ')})` }
  }
  if (!timeline.includes('look → ')) {
    const calls = [
      { name: 'look', input: { at: goal } },
      ...(goal.endsWith('b') ? [{ name: 'send', input: { to: goal } }] : []),
    ]
    return { do: 'tool', calls }
  }
  return { do: 'return', result: goal }
}

export async function solve([folder = '', dieAt]: readonly string[]): Promise<Outcome> {
  const store = sqliteStore(join(folder, 'runs.db'), { synchronous: 'normal' })
  return solveOn(dieAt === undefined ? store : crashAt(store, Number(dieAt), { how: 'kill' }), folder)
}

/** The same on a store, which is closed then. */
export async function solveOn(store: AnyStore, folder: string): Promise<Outcome> {
  const log = (line: string) => appendFileSync(join(folder, 'effects.log'), `${line}\n`)

  const model: Model = {
    id: 'crash',
    async call(request, io) {
      const input = request.input as Input
      log(`model ${io.path} ${io.n}`)
      await new Promise((resolve) => setTimeout(resolve, 4 + (input.path.length % 3)))
      const text = JSON.stringify(move(input))
      return { text, usage: { inputTokens: 10, outputTokens: 5 } }
    },
  }

  const tool = (name: string, access: 'read' | 'write'): Tool => ({
    name,
    description: name,
    access,
    async run(_input, io) {
      log(`${access} ${io.path} ${io.n}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
      return 'ok'
    },
  })

  log('--- process')
  const engine = createEngine({ model, tools: [tool('look', 'read'), tool('send', 'write')], store })
  // The killer's watch starts with the first event: what comes before is Node's start, and hardly ever the same.
  const begun = ({ seq }: { seq?: number }) => seq === 1 && process.stderr.write('begun\n')
  const run = await engine.start('a run that is killed', {
    id: RUN,
    strategy: 'minimal',
    onEvent: begun as never,
  })
  for await (const event of run.events) {
    if (event.type !== 'signal-asked') continue
    // A process that died after asking may have left the answer in the inbox.
    await run.answer('yes', { question: event.seq }).catch(unlessAnswered)
  }
  const outcome = await run.outcome
  await engine.close()
  await store.close()
  return outcome
}

if (import.meta.main) process.stdout.write(JSON.stringify(await solve(process.argv.slice(2))))

function unlessAnswered(thrown: unknown): void {
  if (!ThinkonError.isInstance(thrown) || thrown.code !== 'QUESTION_NOT_OPEN') throw thrown
}

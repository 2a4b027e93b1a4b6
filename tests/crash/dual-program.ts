/**
 * A dual engine that is killed: `node dual-program.ts <folder> [die at event, or -] [silent]`. Its plan is reviewed, a tool fails
 * and is reflected on, a long history is compacted, a plan runs within the plan. Reviews are continued as they come; with
 * `silent` nobody answers here. Every effect leaves a line in `effects.log` before it begins. Prints its outcome.
 */

import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEngine, type Model, type Outcome, type Tool } from '../../src/index.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { crashAt } from '../../src/testing/index.ts'
import { answerAll } from '../answers.ts'

const RUN = 'crash'
const PAGES = 14

interface Input {
  readonly request: string
  readonly name: string
  readonly iteration: number
  readonly history: readonly { readonly text: string }[]
  readonly text: string
  readonly done: readonly string[]
}

const task = (name: string) => ({ subtask_name: name, subtask_goal: name })
const plan = (...names: string[]) => ({
  action: 'plan',
  main_task: 'all',
  main_task_goal: 'done',
  tasks: names.map(task),
})
const finish = (result: string) => ({ action: 'finish', result })

/** By what it is told alone. */
function answer(kind: string, input: Input): unknown {
  switch (kind) {
    case 'dual/plan':
      return input.request === 'the parts' ? plan('left', 'right') : plan('read', 'split', 'send')
    case 'dual/decide':
      return decide(input)
    case 'dual/reflect':
      return { advice: `after ${input.iteration}`, spinning: false }
    case 'dual/compact':
      return { summary: `${input.text.length} characters` }
    case 'dual/summarize':
      return { result: input.done.join('; ') }
    default:
      throw new Error(`nobody foresaw ${kind}`)
  }
}

function decide({ name, iteration, history }: Input): unknown {
  if (name === 'read') {
    if (iteration === 2) return { action: 'require_tool', tool: 'broken', params: {} }
    if (iteration <= PAGES) return { action: 'require_tool', tool: 'page', params: { iteration } }
    return finish(`read ${PAGES - 1} pages`)
  }
  if (name === 'split') {
    if (iteration === 1) return { action: 'request_plan_and_execution', plan_request_payload: 'the parts' }
    return finish(`split: ${history[0]?.text}`)
  }
  if ((name === 'send' || name === 'left') && iteration === 1)
    return { action: 'require_tool', tool: 'send', params: { to: name } }
  return finish(`${name} is done`)
}

export async function solve([folder = '', dieAt = '-', silent]: readonly string[]): Promise<Outcome> {
  const log = (line: string) => appendFileSync(join(folder, 'effects.log'), `${line}\n`)

  const model: Model = {
    id: 'crash',
    async call(request, io) {
      log(`model ${io.path} ${io.n}`)
      await new Promise((resolve) => setTimeout(resolve, 2))
      const value = answer(request.kind, request.input as Input)
      return { text: JSON.stringify(value), value, usage: { inputTokens: 10, outputTokens: 5 } }
    },
  }

  const tool = (name: string, access: 'read' | 'write', run: (input: unknown) => unknown): Tool => ({
    name,
    description: name,
    access,
    async run(input, io) {
      log(`${access} ${io.path} ${io.n}`)
      return run(input)
    },
  })

  const store = sqliteStore(join(folder, 'runs.db'), { synchronous: 'normal' })
  log('--- process')
  const engine = createEngine({
    model,
    tools: [
      tool('page', 'read', (input) => `${JSON.stringify(input)} ${'word '.repeat(600)}`),
      tool('send', 'write', () => 'sent'),
      tool('broken', 'read', () => {
        throw new Error('it broke')
      }),
    ],
    promptTokens: 8_000,
    store: dieAt === '-' ? store : crashAt(store, Number(dieAt), { how: 'kill' }),
  })
  const run = await engine.start('read, split and send', {
    id: RUN,
    strategy: 'dual',
    options: { review: 'manual' },
  })
  if (silent === undefined) await answerAll(run, 'continue')
  else
    for await (const event of run.events)
      if (event.type === 'signal-asked' && event.question !== undefined)
        process.stderr.write(`asked ${event.name}\n`)
  const outcome = await run.outcome
  await engine.close()
  store.close()
  return outcome
}

if (import.meta.main) process.stdout.write(JSON.stringify(await solve(process.argv.slice(2))))

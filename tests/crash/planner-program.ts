/**
 * A planner that has a slow command executed: `node planner-program.ts <folder> [die at event]`. The command leaves a line in
 * `work/ran.log` when it begins, so that a test can count how often it ran. Prints its outcome.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createEngine, type Outcome } from '../../src/index.ts'
import type { ModelRequest } from '../../src/protocol/index.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { crashAt, ScriptedModel } from '../../src/testing/index.ts'
import { openTools } from '../../src/tools/open-tools.ts'

const execute = (goal: string, command: string, expected_observations: readonly string[]) => ({
  type: 'plan-next',
  plan_type: 'EXECUTE',
  new_block: { goal, plan: [], done: [] },
  executor_call: { command, inputs: {}, expected_observations },
})
const slow = execute('run it', 'shell: echo began >> ran.log; sleep 0.6; echo ended >> ran.log', [
  'exit code 0',
])
const check = execute('look what is there', 'shell: test -e ran.log && cat ran.log || echo nothing', [])

/** By what it is told alone. After an interruption it would do the same again, until it is told that it may not. */
const model = new ScriptedModel(({ kind, input }: ModelRequest) => {
  const { think, told } = input as { think: { done: readonly string[] }; told: readonly string[] }
  const last = think.done.at(-1)
  if (kind === 'planner/plan') return last === undefined || told.length === 0 ? slow : check
  if (last?.startsWith('[failed')) return { type: 'go-on', reason: 'it has to be looked at' }
  const result =
    '### Completion\nCompleted: run\n\n### Deliverables\n-\n\n### Metrics\n-\n\n### Constraints\nkept'
  return { type: 'plan-return', status: 'completed', result }
})

export async function solve([folder = '', dieAt]: readonly string[]): Promise<Outcome> {
  const workspace = join(folder, 'work')
  mkdirSync(workspace, { recursive: true })
  const store = sqliteStore(join(folder, 'runs.db'), { synchronous: 'normal' })
  const engine = createEngine({
    model,
    tools: () => openTools({ workspace }),
    store: dieAt === undefined ? store : crashAt(store, Number(dieAt), { how: 'kill' }),
  })
  const approval = { workspace, asks: 'yes' as const }
  const run = await engine.start('run the slow command', {
    strategy: 'planner',
    id: 'crash',
    workspace,
    approval,
  })
  const outcome = await run.outcome
  await engine.close()
  store.close()
  return outcome
}

if (import.meta.main) process.stdout.write(JSON.stringify(await solve(process.argv.slice(2))))

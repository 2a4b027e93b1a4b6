/**
 * Example C of the planner document: one command covers the goal, so the Planner answers EXECUTE. The file is really written, and
 * each expected observation is checked by code. The model is scripted.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtinTools, createEngine } from 'thinkon'
import { ScriptedModel } from 'thinkon/testing'

const goal = {
  intent: 'Create login.html, a skeleton',
  deliverable: 'the file login.html',
  metric: 'it contains a form',
  constraint: 'the syntax of HTML5',
}
const html = '<!DOCTYPE html>\n<title>Login</title>\n<form><input name="user"></form>'
const executor_call = {
  command: `shell: cat > login.html << 'EOF'\n${html}\nEOF`,
  inputs: {},
  expected_observations: ['exit code 0', 'login.html exists', 'the file contains "<form"'],
}
const result =
  '### Completion\nCompleted: the skeleton is there.\n\n### Deliverables\n- login.html, with a form\n\n### Metrics\n- passed: it contains a form\n\n### Constraints\nkept'

const model = new ScriptedModel([
  { type: 'plan-next', plan_type: 'EXECUTE', new_block: { goal, plan: [], done: [] }, executor_call },
  { type: 'plan-return', status: 'completed', result },
])

const workspace = mkdtempSync(join(tmpdir(), 'thinkon-example-'))
const engine = createEngine({ model, tools: builtinTools({ workspace }) })
const approval = { workspace, asks: 'yes' as const }
const run = await engine.start(goal, { strategy: 'planner', workspace, approval })
const outcome = await run.outcome

console.log(
  `the result of the execution:\n\n${(await engine.state(run.id)).blocks.get('1-1')?.outcome?.result}\n`,
)
console.log(`login.html:\n\n${readFileSync(join(workspace, 'login.html'), 'utf8')}`)
console.log(
  `${outcome.status}, ${outcome.usage.calls} calls: two to the model, the command, the check of its expectations, a look at the file`,
)
model.assertComplete()
await engine.close()
rmSync(workspace, { recursive: true, force: true })

/**
 * Example B of the planner document: build a login page in steps. Each step is executed by a real command and checked in the
 * resulting files. Then once more with an executor that fails: the step is not repeated but split. The model is scripted.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtinTools, createEngine } from 'thinkon'
import { ScriptedModel } from 'thinkon/testing'

const page = {
  intent: 'Build the front end of the login page',
  deliverable: 'login.html + login.css + login.js',
  metric: 'the form can be submitted and is validated',
  constraint: 'no front-end framework',
}
const plan = [
  'Create the skeleton of login.html',
  'Write login.css',
  'Validate the form in login.js',
  'Test it together',
]
const finer = ['Write the head of login.html', 'Write the form of login.html', 'Check login.html']

const file = (name: string, text: string, mark = '>') => `shell: cat ${mark} ${name} << 'EOF'\n${text}\nEOF`
const head = '<!DOCTYPE html>\n<title>Login</title>\n<link rel="stylesheet" href="login.css">'
const form =
  '<form id="login"><input name="user" required><button>OK</button></form>\n<script src="login.js"></script>'
const script = "login.onsubmit = () => login.user.value.trim() !== ''"

/** The command of each step, and what it expects to see then. */
const calls: Record<string, [command: string, ...expected: string[]]> = {
  [plan[0] as string]: [
    file('login.html', `${head}\n${form}`),
    'exit code 0',
    'login.html exists',
    'the file contains "<form"',
  ],
  [plan[1] as string]: [
    file('login.css', 'form { margin: 4em auto }'),
    'exit code 0',
    'login.css contains "form"',
  ],
  [plan[2] as string]: [file('login.js', script), 'exit code 0', 'login.js contains "onsubmit"'],
  [plan[3] as string]: [
    'shell: grep -l login.js login.html && test -s login.css && test -s login.js',
    'exit code 0',
  ],
  [finer[0] as string]: [file('login.html', head), 'exit code 0', 'login.html exists'],
  [finer[1] as string]: [file('login.html', form, '>>'), 'exit code 0', 'login.html contains "<form"'],
  [finer[2] as string]: ['shell: grep -c form login.html', 'exit code 0'],
}
const scaffold = ['scaffold', 'exit code 0'] as const

interface Input {
  think: { plan: string[]; done: string[] }
  told: string[]
}

/** After a failure it would do the same again, is told that it may not, and splits the step. */
function answer(kind: string, { think, told }: Input, withScaffold: boolean): object {
  const failed = think.done.at(-1)?.startsWith('[failed')
  if (kind === 'planner/reflect') {
    if (failed || think.plan.length > 0) return { type: 'go-on' }
    const result = `### Completion\nCompleted: ${think.done.length} parts\n\n### Deliverables\n- login.html, login.css, login.js\n\n### Metrics\n- passed: checked by commands\n\n### Constraints\nkept`
    return { type: 'plan-return', status: 'completed', result }
  }
  const steps = (goal: unknown, items: string[]) => {
    const new_block = { goal, plan: items, done: [] }
    return {
      type: 'plan-next',
      plan_type: 'PLAN_STEPS',
      new_block,
      success_signal: 'submitting the form validates it',
    }
  }
  const [item] = think.plan
  if (item === undefined) return steps(page, plan)
  if (failed && told.length > 0) return steps(`${item} (split)`, finer)
  const [command, ...expected_observations] =
    withScaffold && item === plan[0] ? scaffold : (calls[item] ?? [])
  const new_block = { goal: item, plan: [], done: [] }
  const executor_call = { command, inputs: {}, expected_observations }
  return { type: 'plan-next', plan_type: 'EXECUTE', new_block, executor_call }
}

async function build(withScaffold: boolean): Promise<void> {
  const workspace = mkdtempSync(join(tmpdir(), 'thinkon-example-'))
  const executors = join(workspace, '.thinkon/executors')
  mkdirSync(executors, { recursive: true })
  if (withScaffold) {
    const entry =
      '{ id: scaffold, description: Makes the skeleton of a page, command: echo no template >&2; exit 7 }'
    writeFileSync(join(executors, 'executors.yaml'), `executors:\n  - ${entry}\n`)
  }
  const model = new ScriptedModel(({ kind, input }) => answer(kind, input as Input, withScaffold))
  const engine = createEngine({ model, tools: builtinTools({ workspace }) })
  const approval = { workspace, asks: 'yes' as const }
  const run = await engine.start('Make a login page', { strategy: 'planner', workspace, approval })
  const outcome = await run.outcome
  console.log(withScaffold ? '\nwith an executor that fails:' : 'with only the shell:')
  for (const { path, goal, outcome: end } of (await engine.state(run.id)).blocks.values()) {
    const title = typeof goal === 'string' ? goal : goal.intent
    console.log(
      `${'  '.repeat(path.split('-').length)}${end?.status === 'completed' ? '✓' : '✗'} ${path} ${title}`,
    )
  }
  const files = readdirSync(workspace).filter((name) => name.startsWith('login'))
  console.log(
    `  ${outcome.status}; files: ${files.join(', ')}; refused: ${JSON.stringify(outcome.violations ?? {})}`,
  )
  await engine.close()
  rmSync(workspace, { recursive: true, force: true })
  if (outcome.status !== 'completed') process.exitCode = 1
}

await build(false)
await build(true)

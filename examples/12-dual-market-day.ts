/**
 * The dual engine, with a program in place of the person: the plan is reviewed and changed, tools compute and write, one task
 * plans again, one is skipped while it runs, one is redone, and with it what depends on it. The model is scripted; everything else is real.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtinTools, createEngine } from 'thinkon'
import { dualEngine } from 'thinkon/strategies'
import { ScriptedModel } from 'thinkon/testing'

const task = (subtask_name: string, more: object = {}) => ({
  subtask_name,
  subtask_goal: `${subtask_name}: done and checked`,
  ...more,
})
const use = (tool: string, params: object, human_readable_thought: string) => ({
  action: 'require_tool',
  human_readable_thought,
  tool,
  params,
})
const finish = (result: string) => ({ action: 'finish', human_readable_thought: 'That is it.', result })

interface Input {
  name?: string
  iteration?: number
  request: string
  redo?: string
  revise?: object
  results?: string[]
}

const model = new ScriptedModel((request) => {
  const { name, iteration, redo, results = [], request: words, revise } = request.input as Input
  if (request.kind === 'dual/plan') {
    const tasks = words.startsWith('What sells')
      ? [task('ask the neighbours'), task('look at the sky')]
      : [
          task('choose what to sell'),
          task('get ready', { subtasks: [task('compute the price'), task('polish the apples')] }),
          ...(revise === undefined ? [] : [task('write the sign', { depends_on: ['compute the price'] })]),
        ]
    return { action: 'plan', main_task: words, main_task_goal: 'the stall is open', tasks }
  }
  if (request.kind === 'dual/summarize') return { result: results.join('; ') }
  if (request.kind !== 'dual/decide') return { advice: 'Go on.', spinning: false }
  switch (name) {
    case 'choose what to sell':
      return iteration === 1
        ? { action: 'request_plan_and_execution', plan_request_payload: 'What sells on a market day?' }
        : finish('apples')
    case 'compute the price':
      if (redo !== undefined) return finish(`18 for a dozen, as you said: ${redo}`)
      return iteration === 1
        ? use('calculate', { expression: '12 * 1.25' }, 'Exactly.')
        : finish('15 for a dozen')
    case 'polish the apples':
      return new Promise(() => {})
    case 'write the sign':
      return iteration === 1
        ? use('write_file', { path: 'sign.txt', content: 'Apples!\n' }, 'Paint it.')
        : finish('sign.txt is written')
    default:
      return finish(`${name}: nothing new`)
  }
})

const workspace = mkdtempSync(join(tmpdir(), 'thinkon-market-'))
const dual = dualEngine({
  contextProviders: [{ name: 'weather', provide: () => 'Sunny until five.' }],
  resultHandler: ({ status, tree }) => console.log(`\nthe handler gets: ${status}, "${tree.name}"`),
})
const engine = createEngine({ model, strategies: [dual], tools: builtinTools({ workspace }) })
const run = await engine.start('Open a stall on the market', {
  strategy: 'dual',
  workspace,
  // Without approval, built-in tools that write are denied.
  approval: 'allow-all',
  options: { review: 'manual', concurrency: 2 },
})

let reviews = 0
let redone = false
for await (const event of run.events) {
  if (event.type === 'signal-asked' && event.question !== undefined && event.timeoutMs !== 0) {
    const isPlan = event.name.startsWith('review-plan') && event.path === '1'
    const answer = isPlan && ++reviews === 1 ? 'incomplete: there is no sign' : 'continue'
    if (isPlan) console.log(`${event.question.text}\n› ${answer}\n`)
    await run.answer(answer, { question: event.seq })
  }
  if (event.type !== 'note') continue
  const { action, thought, index, to, reason } = event.data as Record<string, string>
  if (event.name === 'dual/action-begun' && thought) console.log(`${event.path} ${action}: ${thought}`)
  if (event.name !== 'dual/task-changed' || event.path !== '1' || to === 'queueing') continue
  console.log(`task ${index} ${to}${reason ? ` (${reason})` : ''}`)
  const steer = (value: object) => run.signal('1', 'subtask', value)
  if (index === '1-2-2' && to === 'processing')
    await steer({ do: 'skip', subtask_index: '1-2-2', reason: 'they shine enough' })
  // What depends on a redone task is done again after it: the sign is written once more.
  if (index === '1-3' && to === 'completed' && !redone) {
    redone = true
    await steer({ do: 'redo', subtask_index: '1-2-1', user_message: 'a dozen is 18 today' })
  }
}

const { status, result } = await run.outcome
console.log(`${status}: ${result}`)
console.log(`sign.txt: ${readFileSync(join(workspace, 'sign.txt'), 'utf8')}`)
await engine.close()
rmSync(workspace, { recursive: true, force: true })

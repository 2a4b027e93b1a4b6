/** The planner with a scripted model and real executors in a workspace of its own, which is gone when the test has finished. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createEngine, type Engine, type RunOutcome, type StartOptions } from '../../src/index.ts'
import {
  type ApprovalConfig,
  type BlockState,
  type Event,
  type Goal,
  goalTitle,
  type ModelRequest,
  messageText,
} from '../../src/protocol/index.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { openTools } from '../../src/tools/open-tools.ts'

/**
 * Replies in order, by what is asked and of which goal: `plan build it`, `reflect build it`, `act …`, `close …`; `observe`.
 * Reflect, unless told otherwise, ends a block when nothing of its plan is left and its last result is no failure.
 */
export type PlannerScript = Readonly<Record<string, readonly unknown[]>>

export interface PlannerRun {
  readonly engine: Engine
  readonly id: string
  readonly workspace: string
  readonly outcome: RunOutcome
  readonly events: readonly Event[]
  readonly requests: readonly ModelRequest[]
  block(path: string): BlockState
  /** What the n-th request said after its rules, of those that were asked for `plan build it` and the like. */
  prompt(asked: string, n?: number): string
  /** The data of the notes of that name. */
  notes(name: string): unknown[]
  /** The plans that the block had, one after the other. */
  plans(path: string): readonly (readonly string[])[]
  file(name: string): string
}

export interface RunOptions extends Omit<StartOptions, 'approval'> {
  /** Files that are there before it begins. */
  files?: Readonly<Record<string, string>>
  asks?: ApprovalConfig['asks']
  /** Rules of what may be done without asking. */
  allow?: readonly string[]
  model?: ScriptedModel
  /** Where it will happen, told before it begins. */
  onWorkspace?: (workspace: string) => void
}

export async function solvePlanner(
  goal: Goal,
  script: PlannerScript,
  options: RunOptions = {},
): Promise<PlannerRun> {
  const {
    files = {},
    asks = 'yes',
    allow = [],
    model = plannerModel(script),
    onWorkspace,
    ...start
  } = options
  const workspace = makeWorkspace(files)
  onWorkspace?.(workspace)
  const engine = createEngine({ model, tools: () => openTools({ workspace }) })
  onTestFinished(() => engine.close())
  const run = await engine.start(goal, {
    strategy: 'planner',
    workspace,
    approval: { workspace, asks, allow },
    ...start,
  })
  const outcome = await run.outcome
  const events = [...(await engine.events(run.id))]
  const { blocks } = await engine.state(run.id)
  return {
    engine,
    id: run.id,
    workspace,
    outcome,
    events,
    requests: model.calls,
    block(path) {
      const found = blocks.get(path)
      if (found === undefined) throw new Error(`no block ${path}; there are ${[...blocks.keys()].join(', ')}`)
      return found
    },
    prompt(asked, n = 1) {
      const found = model.calls.filter((request) => askedFor(request) === asked)[n - 1]
      if (found === undefined) throw new Error(`no prompt ${n} for "${asked}"`)
      return found.messages.slice(1).map(messageText).join('\n')
    },
    notes: (name) =>
      events.flatMap((event) => (event.type === 'note' && event.name === name ? [event.data] : [])),
    plans: (path) =>
      events.flatMap((event) =>
        event.type === 'todo-set' && event.path === path ? [event.todo as readonly string[]] : [],
      ),
    file: (name) => readFileSync(join(workspace, name), 'utf8'),
  }
}

export function makeWorkspace(files: Readonly<Record<string, string>> = {}): string {
  const workspace = mkdtempSync(join(tmpdir(), 'thinkon-planner-'))
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, name)), { recursive: true })
    writeFileSync(join(workspace, name), text)
  }
  return workspace
}

export function plannerModel(script: PlannerScript): ScriptedModel {
  const left = new Map(Object.entries(script).map(([asked, replies]) => [asked, [...replies]]))
  return new ScriptedModel((request: ModelRequest) => {
    const asked = askedFor(request)
    const replies = left.get(asked)
    if (replies !== undefined && replies.length > 0) return replies.shift()
    if (request.kind === 'planner/reflect') return reflected(request)
    throw new Error(`the script has no reply for "${asked}"`)
  })
}

export function execute(
  goal: Goal,
  command: string,
  expected_observations: readonly string[] = ['exit code 0'],
  more: object = {},
) {
  const new_block = { goal, plan: [], done: [] }
  const executor_call = { command, inputs: {}, expected_observations }
  return { type: 'plan-next', plan_type: 'EXECUTE', new_block, executor_call, ...more }
}

export function steps(goal: Goal, plan: readonly string[], more: object = {}) {
  const new_block = { goal, plan, done: [] }
  return {
    type: 'plan-next',
    plan_type: 'PLAN_STEPS',
    new_block,
    success_signal: 'all of it is there',
    ...more,
  }
}

export function probes(goal: Goal, plan: readonly string[], success_signal?: string) {
  const new_block = { goal, plan, done: [] }
  const signal = success_signal === undefined ? {} : { success_signal }
  return { type: 'plan-next', plan_type: 'PLAN_PROBES', new_block, ...signal }
}

export const goOn = { type: 'go-on', reason: 'there is more' }

export function returned(status: 'completed' | 'partial' | 'failed', text: string, more: object = {}) {
  return { type: 'plan-return', status, result: sections(`${STATUS[status]}: ${text}`), ...more }
}

export function sections(completion: string): string {
  return `### Completion\n${completion}\n\n### Deliverables\n-\n\n### Metrics\n-\n\n### Constraints\nkept`
}

const STATUS = { completed: 'Completed', partial: 'Partly completed', failed: 'Not completed' }

interface Input {
  readonly think?: { readonly goal: Goal; readonly plan: readonly string[]; readonly done: readonly string[] }
}

function askedFor({ kind, input }: ModelRequest): string {
  const goal = (input as Input).think?.goal
  const what = kind.replace('planner/', '')
  return goal === undefined ? what : `${what} ${goalTitle(goal)}`
}

function reflected({ input }: ModelRequest): object {
  const { plan, done } = (input as Required<Input>).think
  if (plan.length > 0 || /^\[(failed|partial|cancelled)/.test(done.at(-1) ?? '')) return goOn
  return returned('completed', `${done.length} results`)
}

// Tasks: what a strategy under test is to do, said without its own words, and how `minimal` is brought to do it.

import type { Model, ModelIo } from '../../src/kernel/model.ts'
import type { Tool } from '../../src/kernel/tool.ts'
import { type Goal, goalTitle, type ModelRequest } from '../../src/protocol/index.ts'
import { ScriptedModel } from '../../src/testing/index.ts'

/** In this order: writes the plan, calls the tools, has the children solved at once, returns the result. */
export interface Task {
  goal: string
  plan?: readonly string[]
  tools?: readonly { name: string; input: unknown }[]
  children?: readonly Task[]
  result?: string
  /** The model does this instead of returning. */
  instead?: (request: ModelRequest, io: ModelIo) => unknown
}

export interface StrategyUnderTest {
  readonly name: string
  /** A model that brings the strategy to do the task, by what a request says alone: it must not keep count. */
  model(task: Task): ScriptedModel
  /** What a run is started with. */
  readonly options?: Record<string, unknown>
  /** What the strategy's closing call comes to, where it makes one; the results of finished parts may follow. */
  readonly closing?: string
  /** An empty text is a result like any other. */
  readonly takesNothing?: true
  /** What a tool said may stand in a prompt twice, each time in a fence: in what happened, and in a child's result. */
  readonly retells?: true
  /** Its results say more than the task's own text, or it has blocks between a task and its parts. */
  readonly wraps?: true
}

interface MinimalInput {
  goal: string
  todo: string | readonly string[]
  done: readonly string[]
  timeline: string
}

export const minimalUnderTest: StrategyUnderTest = {
  name: 'minimal',
  takesNothing: true,
  closing: 'closed with what there was',
  model: (root) =>
    new ScriptedModel((request: ModelRequest, io: ModelIo) => {
      const input = request.input as MinimalInput
      const task = findTask(root, input.goal)
      if (request.kind === 'minimal/close') return { do: 'return', result: 'closed with what there was' }
      if (task.plan && input.todo.length === 0) return { do: 'plan', todo: task.plan }
      if (task.tools && !task.tools.every(({ name }) => saysOf(input.timeline, name))) {
        return { do: 'tool', calls: task.tools }
      }
      if (task.children && input.done.length < task.children.length) {
        return { do: 'call', goals: task.children.map((child) => child.goal) }
      }
      if (task.instead) return task.instead(request, io)
      return { do: 'return', result: task.result ?? '' }
    }),
}

interface FractalInput {
  goal: string
  done: readonly string[]
  tools?: readonly string[]
  seen?: readonly { name: string }[]
}

/** Think calls the tools and plans, Eval calls the children one after the other. */
export const fractalUnderTest: StrategyUnderTest = {
  name: 'fractal',
  closing: 'closed with what there was',
  model: (root) =>
    new ScriptedModel((request: ModelRequest, io: ModelIo) => {
      const input = request.input as FractalInput
      const task = findTask(root, input.goal)
      if (request.kind === 'fractal/close')
        return { type: 'RETURN', description: 'closed with what there was' }
      if (request.kind === 'fractal/think') {
        const next = task.tools?.[input.seen?.length ?? 0]
        if (next !== undefined) return { type: 'TOOL', name: next.name, input: next.input }
        if (task.children) return { type: 'TODO', description: (task.plan ?? ['the parts']).join('\n') }
      }
      const child = task.children?.[input.done.length]
      if (child !== undefined) return { type: 'CALL', description: child.goal }
      if (task.instead) return task.instead(request, io)
      return { type: 'RETURN', description: task.result ?? '' }
    }),
}

interface PlannerInput {
  think: { goal: Goal; plan: readonly string[]; done: readonly string[] }
}

/** Tools are executed one by one; parts are steps of three items; a leaf without tools is thought about by a strategy. */
export const plannerUnderTest: StrategyUnderTest = {
  name: 'planner',
  wraps: true,
  // Nothing was delivered: how far it came is the result.
  closing: 'Partly completed: closed with what there was',
  model: (root) =>
    new ScriptedModel((request: ModelRequest, io: ModelIo) => {
      if (request.kind === 'cot/think') {
        const { problem } = request.input as { problem: string }
        const thinking = findTask(root, problem.replace(/^think about /, '')).result ?? ''
        const planning = [{ description: 'think', status: 'Done', result: thinking }]
        return { current_thinking: thinking, planning, next_thought_needed: false }
      }
      const { goal, done } = (request.input as PlannerInput).think
      const task = findTask(root, goalTitle(goal))
      const parts = [...(task.tools ?? []), ...(task.children ?? [])]
      if (request.kind === 'planner/close')
        return { type: 'plan-return', status: 'partial', result: sections(plannerUnderTest.closing ?? '') }
      if (request.kind === 'planner/reflect') {
        if (done.length < Math.max(1, parts.length)) return { type: 'go-on', reason: 'there is more' }
        return {
          type: 'plan-return',
          status: 'completed',
          result: sections(`Completed: ${task.result ?? ''}`),
        }
      }
      if (task.instead) return task.instead(request, io)
      const tool = task.tools?.[done.length]
      const think = `cot: think about ${task.goal}`
      const call = tool ? { command: tool.name, inputs: tool.input } : { command: think, inputs: {} }
      const executor_call = { ...call, expected_observations: [] }
      if (request.kind === 'planner/act')
        return tool ? executor_call : { cannot: 'there is no room to think about it' }
      const child = task.children?.[done.length - (task.tools?.length ?? 0)]
      const new_block = (text: string, plan: readonly string[]) => ({ goal: text, plan, done: [] })
      if (child === undefined) {
        const block = new_block(`${task.goal}, part ${done.length + 1}`, [])
        return { type: 'plan-next', plan_type: 'EXECUTE', new_block: block, executor_call }
      }
      const plan = ['look at it', 'do it', 'check it']
      return {
        type: 'plan-next',
        plan_type: 'PLAN_STEPS',
        new_block: new_block(child.goal, plan),
        success_signal: 'done',
      }
    }),
}

function sections(completion: string): string {
  return `### Completion\n${completion}\n\n### Deliverables\n-\n\n### Metrics\n-\n\n### Constraints\nkept`
}

interface CotInput {
  problem: string
  plan: readonly { description: string; status: string }[]
}

/** A chain of thought has no tools and calls nobody but by its plan: each tool is a step for `minimal`, each child one for `cot`. */
export const cotUnderTest: StrategyUnderTest = {
  name: 'cot',
  model: (root) =>
    new ScriptedModel((request: ModelRequest, io: ModelIo) => {
      if (request.kind !== 'cot/think') return toolMove(root, request)
      const { problem, plan } = request.input as CotInput
      const task = findTask(root, problem)
      const steps = plan.length > 0 ? plan.map(withoutDoubt) : stepsFor(task)
      const next_thought_needed = steps.some(({ status }) => status === 'Pending')
      if (!next_thought_needed && task.instead) return task.instead(request, io)
      const current_thinking = next_thought_needed ? 'not yet' : (task.result ?? '')
      return { current_thinking, planning: steps, next_thought_needed }
    }),
}

function stepsFor({ goal, tools = [], children = [] }: Task) {
  const used = tools.map(({ name }) => ({ description: `use ${name} for ${goal}`, strategy: 'minimal' }))
  const below = children.map((child) => ({ description: child.goal, strategy: 'cot' }))
  return [...used, ...below].map((step) => ({ ...step, status: 'Pending' }))
}

/** What failed is left out. */
function withoutDoubt<T extends { status: string }>(step: T): T {
  return step.status === 'Verification Needed' ? { ...step, status: 'Done', result: 'left out' } : step
}

function toolMove(root: Task, { kind, input }: ModelRequest): unknown {
  if (kind === 'minimal/close') return { do: 'return', result: 'closed with what there was' }
  const { goal, path, timeline } = input as MinimalInput & { path: string }
  const [, name = '', of = ''] = /^use (\S+) for (.*)$/s.exec(goal) ?? []
  const calls = findTask(root, of).tools?.filter((tool) => tool.name === name)
  const own = timeline.slice(Math.max(0, timeline.indexOf(`[${path}] `)))
  return own.startsWith(`[${path}] `) && saysOf(own, name)
    ? { do: 'return', result: `${name} was used` }
    : { do: 'tool', calls }
}

/**
 * A search has no tools, and children only where a thought takes work of its own: each child is a thought solved by `tot`, and
 * what needs tools is one solved by `fractal`.
 */
export const totUnderTest: StrategyUnderTest = {
  name: 'tot',
  model(root) {
    const fractal = fractalUnderTest.model(root)
    return new ScriptedModel(async (request: ModelRequest, io: ModelIo) => {
      if (request.kind.startsWith('fractal/')) return (await fractal.call(request, io)).value
      const task = findTask(root, (request.input as { problem: string }).problem)
      if (request.kind === 'tot/generate' && task.instead) return task.instead(request, io)
      return thoughtReply(task, request.kind)
    })
  },
}

function thoughtReply(task: Task, kind: string): unknown {
  switch (kind) {
    case 'tot/task-type':
      return { task_type: 'debugging', reason: 'its estimate of the depth counts as it is' }
    case 'tot/decompose':
      return {
        thought_granularity: 'part',
        intermediate_steps: task.plan ?? [],
        depth_estimate: 1,
        constraints: [],
        success_criteria: 'it is there',
      }
    case 'tot/generate':
      return { candidates: thoughtsFor(task) }
    case 'tot/evaluate':
      return { score: 8, confidence: 0.8, reasoning: 'it may do' }
    case 'tot/synthesize':
      return {
        answer: task.result ?? '',
        reasoning_trace: [],
        confidence: 0.9,
        verification: { is_valid: true },
      }
    default:
      throw new Error(`tot does not ask for ${kind}`)
  }
}

function thoughtsFor(task: Task): object[] {
  const solved = (goal: string, strategy: string) => ({ content: '', metadata: { goal, strategy } })
  if (task.tools) return [solved(task.goal, 'fractal')]
  if (!task.children) return [{ content: 'do it' }]
  return task.children.map((child) => solved(child.goal, child.tools ? 'fractal' : 'tot'))
}

interface DualInput {
  goal: string
  request: string
  history: readonly { action: string; failed?: true }[]
}

/**
 * A plan of one task, in whose loop tools are required one after the other and each child is a plan within it: what fails there
 * is seen by the loop, which then finishes all the same.
 */
export const dualUnderTest: StrategyUnderTest = {
  name: 'dual',
  wraps: true,
  model: (root) =>
    new ScriptedModel((request: ModelRequest, io: ModelIo) => {
      const input = request.input as DualInput
      const task = findTask(root, input.goal)
      switch (request.kind) {
        case 'dual/plan': {
          if (task.instead && !task.tools && !task.children) return task.instead(request, io)
          const tasks = [{ subtask_name: task.goal, subtask_goal: task.goal }]
          return { action: 'plan', main_task: task.goal, main_task_goal: 'it is there', tasks }
        }
        case 'dual/decide':
          return dualAction(task, input.history.length, request, io)
        case 'dual/reflect':
          return { advice: '', spinning: false }
        case 'dual/compact':
          return { summary: 'something was done' }
        case 'dual/close':
          return { result: 'closed with what there was' }
        case 'dual/summarize':
          return { result: task.result ?? '' }
        default:
          throw new Error(`dual does not ask for ${request.kind}`)
      }
    }),
}

function dualAction(task: Task, taken: number, request: ModelRequest, io: ModelIo): unknown {
  const tool = task.tools?.[taken]
  if (tool !== undefined) return { action: 'require_tool', tool: tool.name, params: tool.input }
  const child = task.children?.[taken - (task.tools?.length ?? 0)]
  if (child !== undefined) return { action: 'request_plan_and_execution', plan_request_payload: child.goal }
  if (task.instead) return task.instead(request, io)
  return { action: 'finish', result: task.result || '(nothing)' }
}

/** A sample has no tools and no children: it is a block of `fractal`, which has. */
export const bestOfUnderTest: StrategyUnderTest = {
  name: 'best-of',
  wraps: true,
  options: { samples: 1, strategy: 'fractal' },
  model: (root) => fractalUnderTest.model(root),
}

/** A tree with a plan, tools that read and write, parallel children on two levels, and an empty result. */
export const TREE: Task = {
  goal: 'build a house',
  plan: ['ground', 'walls', 'roof'],
  result: 'a house',
  children: [
    { goal: 'ground', result: 'firm ground', tools: [{ name: 'look', input: { at: 'ground' } }] },
    {
      goal: 'walls',
      result: 'four walls',
      children: [
        { goal: 'bricks', result: 'red bricks', tools: [{ name: 'build', input: { what: 'bricks' } }] },
        { goal: 'mortar', result: '' },
      ],
    },
    {
      goal: 'roof',
      instead: () => {
        throw new Error('no tiles')
      },
    },
  ],
}

export interface CountedTools {
  readonly tools: Tool[]
  /** `path name`, in the order in which they were performed to an end. */
  readonly performed: string[]
}

export function countedTools(): CountedTools {
  const performed: string[] = []
  const tool = (name: string, access: Tool['access']): Tool => ({
    name,
    description: `for tests: ${name}`,
    access,
    async run(input, io) {
      performed.push(`${io.path} ${name}`)
      return { seen: input }
    },
  })
  return { tools: [tool('look', 'read'), tool('build', 'write')], performed }
}

/** The model, with what it was asked to an end: `path/number kind`. */
export function counted(model: Model): Model & { readonly performed: string[] } {
  const performed: string[] = []
  return {
    id: model.id,
    performed,
    ...(model.cost && { cost: (usage) => model.cost!(usage) }),
    async call(request, io) {
      const { path, n } = io as unknown as { path: string; n: number }
      const reply = await model.call(request, io)
      performed.push(`${path}/${n} ${request.kind}`)
      return reply
    },
  }
}

export function findTask(task: Task, goal: string): Task {
  const found = search(task, goal)
  if (found === undefined) throw new Error(`no task has the goal "${goal}"`)
  return found
}

function search(task: Task, goal: string): Task | undefined {
  if (task.goal === goal) return task
  for (const child of task.children ?? []) {
    const found = search(child, goal)
    if (found) return found
  }
  return undefined
}

export function saysOf(timeline: string, tool: string): boolean {
  return timeline.includes(`tool: ${tool} →`) || timeline.includes(`error: ${tool} failed`)
}

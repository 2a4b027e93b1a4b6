/** The dual engine with a model that is scripted by task: what is asked, of which task, and what it says. */

import { onTestFinished } from 'vitest'
import { createEngine, type Engine, type Run, type RunOutcome, type StartOptions } from '../../src/index.ts'
import type { ModelIo } from '../../src/kernel/model.ts'
import type { Tool } from '../../src/kernel/tool.ts'
import {
  type BlockState,
  type Event,
  foldEvents,
  type ModelRequest,
  messageText,
} from '../../src/protocol/index.ts'
import type { JsonSchema } from '../../src/schema/check-schema.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { kindOf } from '../answers.ts'
import { inTime, until } from '../conformance/async.ts'

/**
 * Replies by what is asked and of which task or request: `plan tea`, `act boil water`, `reflect boil water`, `compact …`,
 * `close …`, `sum tea`, `risk tea`, `check tea`; each a list, in order, or a function. Without one a task finishes at once, and so on.
 */
export type TaskScript = Readonly<Record<string, readonly unknown[] | TaskReply>>
export type TaskReply = (input: TaskInput, request: ModelRequest, io: ModelIo) => unknown

export interface TaskInput {
  readonly goal: string
  readonly request: string
  readonly name: string
  readonly index: string
  readonly attempt: number
  readonly iteration: number
  readonly redo?: string
  readonly level?: string
  readonly history: readonly { action: string; text: string; data?: string; failed?: true }[]
  readonly actions: readonly string[]
  readonly tools: readonly string[]
  readonly done: readonly string[]
  readonly progress: string
  readonly text: string
}

export interface Asked {
  /** `act boil water` */
  readonly key: string
  readonly input: TaskInput
  readonly prompt: string
}

export interface DualRun {
  readonly engine: Engine
  readonly run: Run
  readonly model: ScriptedModel
  readonly asked: Asked[]
  /** Those that were asked for `act boil water`. */
  of(key: string): Asked[]
  events(): Promise<Event[]>
  /** The data of the notes of that name so far. */
  notes(name: string): Promise<Record<string, unknown>[]>
  block(path: string): Promise<BlockState>
  /** Waits for what the events say. */
  see(what: string, holds: (event: Event) => boolean, times?: number): Promise<Event>
  /** Waits until the model was asked for it so many times. */
  seeAsked(key: string, times?: number): Promise<void>
  outcome(): Promise<RunOutcome>
}

export interface DualSettings extends Omit<StartOptions, 'output'> {
  output?: JsonSchema
  tools?: readonly Tool[]
  /** What a request may take. */
  promptTokens?: number
}

export async function startDual(
  goal: string,
  script: TaskScript,
  settings: DualSettings = {},
): Promise<DualRun> {
  const { tools = [], promptTokens, ...start } = settings
  const asked: Asked[] = []
  const model = taskModel(script, asked)
  const engine = createEngine({ model, tools, ...(promptTokens && { promptTokens }) })
  onTestFinished(() => engine.close())
  const seen: Event[] = []
  const run = await engine.start(goal, {
    strategy: 'dual',
    ...start,
    onEvent: (event) => {
      if ('seq' in event) seen.push(event)
    },
  })
  return {
    engine,
    run,
    model,
    asked,
    of: (key) => asked.filter((one) => one.key === key),
    events: async () => [...(await engine.events(run.id))],
    notes: async (name) =>
      seen.flatMap((event) =>
        event.type === 'note' && event.name === name ? [event.data as Record<string, unknown>] : [],
      ),
    block: async (path) => foldEvents(seen).blocks.get(path) as BlockState,
    async see(what, holds, times = 1) {
      await until(() => seen.filter(holds).length >= times, what)
      return seen.filter(holds)[times - 1] as Event
    },
    seeAsked: (key, times = 1) =>
      until(() => asked.filter((one) => one.key === key).length >= times, `asked for ${key}`),
    outcome: () => inTime(run.outcome, 'it ends'),
  }
}

/** To its end. */
export async function solveDual(goal: string, script: TaskScript, settings: DualSettings = {}) {
  const started = await startDual(goal, script, settings)
  const outcome = await started.outcome()
  return { ...started, outcome, events: await started.events(), replies: started.asked }
}

export function taskModel(script: TaskScript, asked: Asked[] = []): ScriptedModel {
  const left = new Map(
    Object.entries(script).map(([key, part]) => [key, Array.isArray(part) ? [...part] : part]),
  )
  return new ScriptedModel((request: ModelRequest, io: ModelIo) => {
    const input = request.input as TaskInput
    const what = KINDS[request.kind] as string
    const key = `${what} ${input.name ?? input.request ?? input.goal}`
    asked.push({ key, input, prompt: request.messages.map(messageText).join('\n') })
    const next = nextOf(left.get(key)) ?? nextOf(left.get(what)) ?? DEFAULTS[what]
    return typeof next === 'function' ? next(input, request, io) : next
  })
}

/** Nothing when the list is used up. */
function nextOf(part: unknown): unknown {
  return Array.isArray(part) ? part.shift() : part
}

const KINDS: Readonly<Record<string, string>> = {
  'dual/plan': 'plan',
  'dual/decide': 'act',
  'dual/reflect': 'reflect',
  'dual/compact': 'compact',
  'dual/close': 'close',
  'dual/summarize': 'sum',
  'dual/judge-risk': 'risk',
  'check/result': 'check',
}

const DEFAULTS: Readonly<Record<string, unknown>> = {
  act: ({ name }: TaskInput) => finish(`${name} is done`),
  reflect: { advice: '', spinning: false },
  compact: ({ text }: TaskInput) => ({ summary: `summed up ${text.length} characters` }),
  close: { result: 'closed with what there was' },
  sum: ({ done }: TaskInput) => ({ result: done.join('; ') }),
  risk: { risk: 0, reason: 'none' },
  check: { problems: [], fits: true },
}

// --- what the model says

export type PlanPart = string | PlannedTask

interface PlannedTask {
  readonly name: string
  readonly after?: readonly string[]
  readonly parts?: readonly PlanPart[]
}

/** A plan of these tasks. */
export function plan(...tasks: readonly PlanPart[]) {
  return {
    action: 'plan',
    main_task: 'all of it',
    main_task_goal: 'it is all there',
    tasks: tasks.map(planTask),
  }
}

export function planTask(part: PlanPart): Record<string, unknown> {
  const { name, after, parts } = typeof part === 'string' ? ({ name: part } as PlannedTask) : part
  return {
    subtask_name: name,
    subtask_goal: name,
    ...(after && { depends_on: after }),
    ...(parts && { subtasks: parts.map(planTask) }),
  }
}

export function finish(result: string, more: Record<string, unknown> = {}) {
  return { action: 'finish', human_readable_thought: 'it is there', result, ...more }
}

export function use(tool: string, params: Record<string, unknown> = {}) {
  return { action: 'require_tool', human_readable_thought: `needs ${tool}`, tool, params }
}

export function nested(plan_request_payload: string, more: Record<string, unknown> = {}) {
  return { action: 'request_plan_and_execution', plan_request_payload, ...more }
}

export function tool(name: string, run: Tool['run'], access: Tool['access'] = 'read'): Tool {
  return { name, description: `for tests: ${name}`, access, run }
}

// --- what is seen

export function isNote(name: string, data: Record<string, unknown> = {}): (event: Event) => boolean {
  return (event) =>
    event.type === 'note' &&
    event.name === name &&
    Object.entries(data).every(([key, value]) => (event.data as Record<string, unknown>)[key] === value)
}

export function asks(name: string): (event: Event) => boolean {
  return (event) => event.type === 'signal-asked' && kindOf(event.name) === name
}

/** `1-1 completed`, for each change that ends or opens a task. */
export function changes(events: readonly Event[], path = '1'): string[] {
  return events.flatMap((event) => {
    if (event.type !== 'note' || event.name !== 'dual/task-changed' || event.path !== path) return []
    const { index, to } = event.data as { index: string; to: string }
    return to === 'queueing' ? [] : [`${index} ${to}`]
  })
}

/** A plan of one task, `do it`, with these replies to it. */
export function doing(act: TaskScript[string], more: TaskScript = {}): TaskScript {
  return { 'plan all': [plan('do it')], 'act do it': act, ...more }
}

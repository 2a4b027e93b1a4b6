/** The Plan engine: a loop of its own, with tools that only read and an action `plan`. What is wrong with a plan is told. */
import type { Context } from '../../../kernel/strategy.ts'
import { type KnownTool, type ModelReply, type Result, ThinkonError } from '../../../protocol/index.ts'
import { tryValue } from '../../read-value.ts'
import { type PlanAsk, planPrompt } from '../prompts/index.ts'
import {
  fold,
  foldSummaries,
  type History,
  historyText,
  newHistory,
  plainSummary,
  tooLong,
  tooManySummaries,
} from '../react/history.ts'
import { toolsOf } from '../react/loop.ts'
import type { DualOptions } from '../schema.ts'
import { type Plan, type PlanTask, readPlan, readTasks } from './plan-schema.ts'

/** How often what is wrong with a plan is told, and it is asked for again. */
const MAX_AGAIN = 3

export interface PlanRequest {
  /** The user's own words. */
  readonly request: string
  readonly init: string
}

export interface Revision {
  readonly plan: Plan
  readonly words: string
}

export function makePlan(
  context: Context<DualOptions>,
  asked: PlanRequest,
  revise?: Revision,
): Promise<Plan> {
  return ask(context, asked, revise, (value) => {
    const { plan, problems, dropped } = readPlan(value)
    if (dropped > 0) context.emit('dual/plan-warned', { dropped })
    return { found: plan, problems }
  })
}

export interface KnownTasks {
  /** Taken already: they may be depended on. */
  readonly names: Iterable<string>
  /** An empty list is an answer, too. */
  readonly mayBeNone?: boolean
}

/** Further tasks for a plan: parts of one of its tasks, or the rest of it. */
export function makeTasks(
  context: Context<DualOptions>,
  asked: PlanRequest,
  revise: Revision,
  { names, mayBeNone = false }: KnownTasks,
): Promise<readonly PlanTask[]> {
  const known = [...names]
  return ask(context, asked, revise, (value) => {
    const { tasks } = (value ?? {}) as { tasks?: unknown }
    if (mayBeNone && Array.isArray(tasks) && tasks.length === 0) return { found: [], problems: [] }
    const read = readTasks(tasks, { known })
    return { found: read.tasks, problems: read.problems }
  })
}

async function ask<T>(
  context: Context<DualOptions>,
  { request, init }: PlanRequest,
  revise: Revision | undefined,
  read: (value: unknown) => { found: T | null; problems: readonly string[] },
): Promise<T> {
  const tools = context.options.allowToolCall
    ? toolsOf(context).filter(({ access }) => access === 'read')
    : []
  const history = newHistory()
  let problem = ''
  let refusals = 0
  for (let iteration = 1; iteration <= context.options.maxPlanIterations; iteration++) {
    const parts: PlanAsk = {
      request,
      init,
      iteration,
      tools,
      seen: historyText(history),
      problem,
      ...(revise && { revise }),
    }
    const reply = await context.one(context.model(planPrompt(context, parts)))
    const looks = looksOf(reply)
    const unknown = looks.find(({ tool }) => !tools.some(({ name }) => name === tool))
    if (looks.length > 0 && unknown === undefined) {
      const ops = looks.map(({ tool, params }) => context.tool(tool, params))
      const results = await context.all(ops)
      problem = ''
      for (const [i, look] of looks.entries()) {
        const observation = { ...seen(results[i] as Result), ref: `${context.path}/${ops[i]?.n}` }
        history.items.push({ iteration, action: look.tool, params: look.params, thought: '', observation })
      }
      shorten(history)
      continue
    }
    const { found, problems } =
      unknown === undefined ? read(tryValue(reply)) : { found: null, problems: [noSuchLook(unknown, tools)] }
    if (found !== null) return found
    problem = problems.map((line) => `- ${line}`).join('\n')
    context.emit('dual/plan-refused', { problems })
    if (++refusals > MAX_AGAIN) break
  }
  const why = problem === '' ? 'it was never given' : problem.replaceAll('\n', ' ')
  throw new ThinkonError('INVALID_FORMAT', `${context.path}: there is no plan that can be used: ${why}`)
}

function noSuchLook({ tool }: Look, tools: readonly KnownTool[]): string {
  const names = tools.map(({ name }) => name).join(', ') || 'none'
  return `There is no tool ${JSON.stringify(tool)} to look with; there are: ${names}.`
}

/** Without a call: what was seen long ago is kept in a line. */
function shorten(history: History): void {
  for (let long = tooLong(history); long !== null; long = tooLong(history)) {
    fold(history, long.count, plainSummary(history.items.slice(0, long.count)))
    const many = tooManySummaries(history)
    if (many !== null) foldSummaries(history, many.length, null)
  }
}

interface Look {
  readonly tool: string
  readonly params: Readonly<Record<string, unknown>>
}

function looksOf(reply: ModelReply): Look[] {
  if (reply.toolCalls !== undefined && reply.toolCalls.length > 0)
    return reply.toolCalls.map(({ name, input }) => ({ tool: name, params: (input ?? {}) as Look['params'] }))
  const { action, tool, params } = (tryValue(reply) ?? {}) as {
    action?: unknown
    tool?: unknown
    params?: unknown
  }
  if (action !== 'require_tool' || typeof tool !== 'string') return []
  return [{ tool, params: (params ?? {}) as Look['params'] }]
}

function seen(result: Result) {
  if (!result.ok)
    return { text: `it failed (${result.error.code})`, data: result.error.message, failed: true as const }
  return {
    text: 'done',
    data: typeof result.value === 'string' ? result.value : JSON.stringify(result.value),
  }
}

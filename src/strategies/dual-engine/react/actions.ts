/** The actions of the document, and a goal solved by any other strategy. */
import type { Op } from '../../../kernel/durable.ts'
import { errorData, isObject, type Outcome, type Result } from '../../../protocol/index.ts'
import { MEMORIES } from '../memory.ts'
import { prepareBlueprint } from '../plan/prepare-blueprint.ts'
import {
  answerObservation,
  childObservation,
  knowledgeObservation,
  type Observation,
  toolObservation,
} from '../prompts/observation.ts'
import { inheritedOptions } from '../schema.ts'
import { type DualContext, hasHidden, resultOf } from '../scope.ts'
import { REQUIRE_TOOL, WAIT } from './action-names.ts'
import type { Action, Begun, Loop, Params } from './loop.ts'

const TEXT = { type: 'string' }
/** Of a search for a line with all of them. */
const MAX_WORDS = 8

const finish: Action = {
  name: 'finish',
  description:
    'The task is done: "result" is its result, whole. "memories" (mostly none) are facts, lessons and preferences that runs with other goals in this workspace would want to know: each {"text", "kind", "relevance", "importance"}, complete in itself; both numbers 0 to 1: how far beyond this task it matters, and what it would cost not to know it. Results, and what anybody can look up at once, are no memories.',
  params: {
    result: TEXT,
    memories: MEMORIES,
    status: { enum: ['completed', 'partial', 'failed'] },
    reason: TEXT,
  },
  required: ['result'],
  streamFields: ['result'],
  verify: notWhileRunning,
  begin: (params) => ({ ops: [], read: () => ({ text: 'finished', answer: answerOf(params, 'result') }) }),
}

const directlyAnswer: Action = {
  name: 'directly_answer',
  description: 'The task can be answered from what is known: the answer itself, whole.',
  params: { answer: TEXT },
  required: ['answer'],
  streamFields: ['answer'],
  verify: notWhileRunning,
  begin: (params) => ({ ops: [], read: () => ({ text: 'answered', answer: answerOf(params, 'answer') }) }),
}

const requireTool: Action = {
  name: REQUIRE_TOOL,
  description: 'Calls a tool.',
  params: { tool: TEXT, params: { type: 'object' } },
  required: ['tool'],
  streamFields: [],
  allowedBy: 'allowToolCall',
  available: ({ tools }) => tools.length > 0,
  verify({ tool }, { tools }) {
    if (tools.some(({ name }) => name === tool)) return null
    return `There is no tool ${JSON.stringify(tool)}; there are: ${tools.map(({ name }) => name).join(', ')}.`
  },
  begin({ tool, params = {} }, { context }) {
    const op = context.tool(String(tool), params)
    const called = { call: { name: String(tool), input: params }, ref: `${context.path}/${op.n}` }
    return observing(op, (result) => toolObservation(called, result))
  },
}

/** Planning is an action that returns: the plan is carried out below, and its outcome is observed here. */
const requestPlan: Action = {
  name: 'request_plan_and_execution',
  description:
    'Has something planned and carried out below, in several loops, and brings its outcome back here: only where it has parts that each need many steps. Who does it sees what you have found. Say it in "plan_request_payload".',
  params: { plan_request_payload: TEXT },
  required: ['plan_request_payload'],
  streamFields: ['plan_request_payload'],
  allowedBy: 'allowPlanAndExec',
  mayRunInBackground: true,
  available: ({ context }) => context.budget().depth > 1,
  verify: (_, { background }) =>
    background === null ? null : 'Another plan is still being carried out: wait for it, or answer directly.',
  begin({ plan_request_payload: payload }, loop) {
    const { context, options } = loop
    const nested = { ...inheritedOptions(options), nested: true, index: nextIndex(loop) }
    const op = context.call(String(payload), { kind: 'plan', options: nested })
    return observingChild(context, op, requestPlan.name, { plan_request_payload: payload })
  },
}

const solveWith: Action = {
  name: 'solve_with_strategy',
  description:
    'Has a goal solved by another way of reasoning: cot (step by step), tot (search among alternatives), fractal (plan in words), planner (probes and executors).',
  params: { strategy: TEXT, goal: TEXT },
  required: ['strategy', 'goal'],
  streamFields: ['goal'],
  mayRunInBackground: true,
  // Other strategies have all tools: they are not available where only some tools are allowed.
  available: ({ context, options }) =>
    options.strategies.length > 0 && options.tools === undefined && context.budget().depth > 0,
  verify({ strategy }, { options, background }) {
    const { strategies } = options
    if (background !== null)
      return `The action ${background.action.name} is still running: wait for it first.`
    if (strategies.includes(String(strategy))) return null
    return `There is no strategy ${JSON.stringify(strategy)} here; there are: ${strategies.join(', ')}.`
  },
  begin({ strategy, goal }, { context }) {
    const op = context.call(String(goal), { strategy: String(strategy) })
    return observingChild(context, op, solveWith.name, { strategy, goal })
  },
}

const requireBlueprint: Action = {
  name: 'require_ai_blueprint',
  description:
    'Has a task of a known kind carried out by a blueprint, a plan made beforehand. "blueprint_payload" is its name.',
  params: { blueprint_payload: TEXT, params: { type: 'object' } },
  required: ['blueprint_payload'],
  streamFields: ['blueprint_payload'],
  allowedBy: 'allowAIForge',
  available: ({ context }) => hasHidden(context, 'blueprint__fill') && context.budget().depth > 1,
  run: ({ blueprint_payload: name, params }, loop) =>
    useBlueprint(loop, String(name), isObject(params) ? params : undefined),
}

const askForClarification: Action = {
  name: 'ask_for_clarification',
  description: 'Asks the person something that only they can know; the task waits for the answer.',
  params: { question: TEXT, options: { type: 'array', items: TEXT } },
  required: ['question'],
  streamFields: ['question'],
  allowedBy: 'allowUserInteract',
  available: ({ context }) => context.isAttended,
  begin({ question, options }, { context }) {
    const choices = Array.isArray(options) ? options.filter((choice) => typeof choice === 'string') : []
    const asked = { text: String(question), ...(choices.length > 0 && { choices }) }
    return observing(context.ask(asked), answerObservation)
  },
}

const knowledgeEnhance: Action = {
  name: 'knowledge_enhance',
  description: 'Searches what earlier runs remember, and the files of the workspace, for a few words.',
  params: { query: TEXT },
  required: ['query'],
  streamFields: [],
  allowedBy: 'allowRAG',
  available: (loop) => hasHidden(loop.context, 'memory__search') || searches(loop),
  begin({ query }, loop) {
    const { context } = loop
    const begun: { op: Op; call: { name: string; input: unknown } }[] = []
    if (hasHidden(context, 'memory__search')) {
      const input = { query, limit: 8, earlier: true }
      begun.push({
        op: context.ownTool('memory__search', input),
        call: { name: 'memory__search', input },
      })
    }
    if (searches(loop)) {
      const input = { ...lineWith(String(query)), ignoreCase: true, max: 20 }
      begun.push({ op: context.tool('search_files', input), call: { name: 'search_files', input } })
    }
    const called = begun.map(({ op, call }) => ({ call, ref: `${context.path}/${op.n}` }))
    return { ops: begun.map(({ op }) => op), read: (results) => knowledgeObservation(called, results) }
  },
}

const waitForBackground: Action = {
  name: WAIT,
  description: 'Waits until the action that is still running has ended.',
  params: {},
  required: [],
  streamFields: [],
  available: ({ background }) => background !== null,
  verify: (_, { background }) =>
    background === null ? 'No action is running: there is nothing to wait for.' : null,
  begin: () => ({ ops: [], read: () => ({ text: 'waited' }) }),
}

export const ACTIONS: readonly Action[] = [
  finish,
  directlyAnswer,
  requireTool,
  requestPlan,
  requireBlueprint,
  askForClarification,
  knowledgeEnhance,
  solveWith,
  waitForBackground,
]

/** One operation, and how its result is observed. */
function observing<T>(op: Op<T>, observe: (result: Result<T>) => Observation): Begun {
  return { ops: [op], read: ([result]) => observe(result as Result<T>) }
}

/** A child block, whose outcome comes back whole. */
function observingChild(context: DualContext, op: Op<Outcome>, name: string, input: Params): Begun {
  return observing(op, (result) =>
    childObservation({ call: { name, input }, ref: context.pathOf(op) }, result),
  )
}

/** The index of the next plan that the loop asks for: it is a part of the task. */
function nextIndex(loop: Loop): string {
  loop.plans++
  return `${loop.brief.index}-${loop.plans}`
}

function notWhileRunning(_: Params, { background }: Loop): string | null {
  return background === null
    ? null
    : `The action ${background.action.name} is still running: wait for it, then finish.`
}

/** The blueprint's plan is carried out below; the marks are reported with its outcome. */
async function useBlueprint(loop: Loop, name: string, params?: Params): Promise<Observation> {
  const { context, brief } = loop
  const marks: string[] = []
  try {
    const from = { params, by: 'model', task: brief.goal } as const
    const prepared = await prepareBlueprint(loop, name, from, marks)
    const op = context.call(brief.goal, {
      options: { ...inheritedOptions(loop.options), ...prepared, nested: true, index: nextIndex(loop) },
    })
    const result = await resultOf(context, op)
    loop.conversation.say(marks.join('\n'))
    const call = { name: requireBlueprint.name, input: { blueprint_payload: name } }
    return childObservation({ call, ref: context.pathOf(op) }, result)
  } catch (thrown) {
    const { code, message } = errorData(thrown, 'STRATEGY_ERROR')
    if (code === 'LIMIT' || code === 'LOOP') throw thrown
    const text = [...marks, `the blueprint could not be used (${code})`].join('\n')
    return { text, data: message, failed: true }
  }
}

function answerOf(params: Params, field: string): NonNullable<Observation['answer']> {
  const result = String(params[field])
  const { status, reason } = params
  if (status !== 'partial' && status !== 'failed') return result
  return { status, result, ...(typeof reason === 'string' && { reason }) }
}

/** A line that has all the words, in any order. */
function lineWith(query: string): { pattern: string; regex?: true } {
  const words = query.split(/\s+/).filter((word) => word !== '')
  if (words.length < 2) return { pattern: query.trim() }
  const has = (word: string) => `(?=.*${word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')})`
  return { pattern: `^${words.slice(0, MAX_WORDS).map(has).join('')}`, regex: true }
}

function searches({ tools }: Loop): boolean {
  return tools.some(({ name }) => name === 'search_files')
}

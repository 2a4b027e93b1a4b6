/**
 * Fractal Thinkon: Think gives a result or a plan; Eval calls the next sub-goal or returns. Solve is the document's
 * pseudo-code (section 8), line by line. S_n is `context.block`; M is the timeline.
 *
 * The strong invariant is the kernel's K1: when `context.call` has been awaited, the child's result is in `done`.
 */
import { Conversation } from '../../kernel/brief/conversation.ts'
import { READ_RESULT } from '../../kernel/brief/shown-result.ts'
import { valueText } from '../../kernel/brief/value-text.ts'
import type { Op } from '../../kernel/durable.ts'
import { degradedEndingOf, endsEarly } from '../../kernel/ending.ts'
import type { Answer, CallOptions, Context, Solver } from '../../kernel/strategy.ts'
import { doneText, type ModelReply, type Outcome, ThinkonError } from '../../protocol/index.ts'
import { callTools } from '../call-tools.ts'
import { checkedResult } from '../closing/checked-result.ts'
import { readValue, tryReply } from '../read-value.ts'
import { ownSections, toolsSection } from '../sections.ts'
import type { FractalNotes } from './notes.ts'
import {
  closeBrief,
  evalBrief,
  type Observation,
  type SentBack,
  thinkBrief,
  thinkSections,
} from './prompts.ts'
import {
  checkOptions,
  type Decision,
  decisionSchema,
  type FractalOptions,
  limitsOf,
  OPTIONS_SCHEMA,
  type Thought,
  type ToolTurn,
  thoughtSchema,
} from './schema.ts'

type FractalContext = Context<FractalOptions, FractalNotes>

export const fractal: Solver<FractalOptions, FractalNotes> = {
  options: checkOptions,
  optionsSchema: OPTIONS_SCHEMA,
  maxRepeats: ({ maxRepeats }) => maxRepeats,
  limits: limitsOf,
  calls: ({ strategies }) => strategies,
  async solve(context) {
    const work: Work = {
      conversation: new Conversation(thinkSections(context), `${context.path} results`),
      seen: [],
      called: [],
    }
    try {
      return await solve(context, work)
    } catch (thrown) {
      return endEarly(context, work, thrown)
    }
  },
}

interface Work {
  /** Of Think. */
  readonly conversation: Conversation
  /** What its tools gave. */
  readonly seen: Observation[]
  /** The sub-goals that Eval called. */
  readonly called: Op<Outcome>[]
}

/** Solve(S_n) */
async function solve(context: FractalContext, work: Work): Promise<Answer> {
  const thought = await think(context, work)
  if (thought.type === 'RETURN') {
    return checkedResult(context, thought.description, {
      parts: work.seen.length,
      material: [toolsSection(context)],
      mendsFiles: context.tools.length > 0,
      again: (wrong) => thinkAgain(context, work, wrong),
    })
  }
  if (isDeepest(context)) return tooDeep(context, thought)
  context.plan(thought.description)
  const result = await direct(context, work)
  return checkedResult(context, result, {
    material: ownSections(context),
    mendsFiles: context.tools.length > 0,
    again: (wrong) => direct(context, work, { result, wrong }),
  })
}

/** Calls one sub-goal after another until Eval returns; `back` is a result that it returned before. */
async function direct(context: FractalContext, { called }: Work, back?: SentBack): Promise<string> {
  for (;;) {
    const decision = await evaluate(context, back)
    if (decision.type === 'RETURN') return decision.description

    const op = context.call(decision.description, callOptions(context, decision))
    called.push(op)
    const child = await context.one(op)
    // Plan optimisation: the better plan was archived like any result; Eval only adopts it.
    if (decision.adopt === 'todo' && child.status === 'completed') context.plan(child.result)
  }
}

/** Who solves the sub-goal: another strategy where Eval says so, or whom the run's routes choose for blocks like it. */
function callOptions(context: FractalContext, { strategy }: Decision): CallOptions {
  const { maxBlockTimeMs: timeMs, strategies } = context.options
  const budget = timeMs === undefined ? {} : { budget: { timeMs } }
  if (strategy && strategies.includes(strategy)) return { ...budget, strategy }
  return { ...budget, kind: context.budget().depth <= 1 ? 'leaf' : 'plan' }
}

/** Think_LLM(P_t, S_n, M, Tools): a small loop of tool calls that ends with a result or a plan. */
async function think(context: FractalContext, { conversation, seen }: Work): Promise<Thought> {
  for (;;) {
    const mayCall = context.tools.length > 0 && seen.length < context.options.maxToolCalls
    const brief = thinkBrief(context, conversation, seen, isDeepest(context), mayCall)
    const reply = await context.one(context.model(brief))
    const calls = mayCall ? toolTurns(reply) : []
    if (calls.length === 0) {
      const thought = thoughtSchema.check(readValue(reply))
      conversation.reply(reply)
      if (thought.type !== 'TOOL') return thought
      throw new ThinkonError(
        'INVALID_FORMAT',
        `Think asked for the tool ${thought.name}, and may call none now`,
      )
    }
    const answered = await callTools(context, calls)
    conversation.reply(reply)
    for (const { call, result } of answered) seen.push({ name: call.name, input: call.input, result })
    conversation.answer(answered)
  }
}

/** The result once more: a plan is no answer then. */
async function thinkAgain(context: FractalContext, work: Work, wrong: string): Promise<string> {
  work.conversation.say(wrong, { keep: true })
  const { type, description } = await think(context, work)
  if (type === 'RETURN') return description
  throw new ThinkonError('INVALID_FORMAT', 'Think was to correct its result, and planned')
}

/** Eval_LLM(P_e, S_n, M): reads `todo` and `done`, and changes neither. */
async function evaluate(context: FractalContext, back?: SentBack): Promise<Decision> {
  const reply = await context.one(context.model(evalBrief(context, back)))
  return decisionSchema(context.options).check(readValue(reply))
}

/** Native tool calls, or the one that a model without them asks for in JSON. */
function toolTurns(reply: ModelReply): { id?: string; name: string; input: unknown }[] {
  if (reply.toolCalls !== undefined && reply.toolCalls.length > 0) return [...reply.toolCalls]
  const value = readValue(reply) as Partial<ToolTurn> | null
  if (typeof value !== 'object' || value?.type !== 'TOOL' || typeof value.name !== 'string') return []
  return [{ name: value.name, input: value.input ?? {} }]
}

function isDeepest(context: FractalContext): boolean {
  const { maxDepth = Number.POSITIVE_INFINITY } = context.options
  return context.level >= maxDepth || context.budget().depth === 0
}

/** It was told that it must return, and plans all the same: the plan is what there is. */
function tooDeep(context: FractalContext, { description }: Thought): Answer {
  const reason = `${context.path}: the limit of depth (--max-depth) is reached, and this is only a plan`
  context.emit('fractal/limit', { limit: 'depth', plan: description })
  return { status: 'partial', result: description, reason, code: 'LIMIT', limit: 'depth' }
}

/**
 * Section 6: a limit, a loop, an unreadable reply or a model's error ends this branch with what there is; the parent learns of
 * all of them in `done`. A limit or a loop closes with a summary before the results, for which the block kept something back.
 */
async function endEarly(context: FractalContext, work: Work, thrown: unknown): Promise<Answer> {
  if (!ThinkonError.isInstance(thrown)) throw thrown
  const { code, message } = thrown
  context.emit(NOTES[code] ?? 'fractal/failed', { code, message })
  const parts = finishedParts(context, work)
  const found = parts.length > 0 ? parts : foundByTools(work)
  const mayClose = endsEarly(thrown) && (found.length > 0 || context.block.done.length > 0)
  const summary = mayClose ? await summarize(context, message, parts.length > 0) : null
  if (summary === null) return degradedEndingOf(thrown, found.join(BETWEEN))
  return degradedEndingOf(thrown, [...new Set([summary, ...parts])].join(BETWEEN))
}

/** The results of the sub-goals, each as it was last done. One that failed has none. */
function finishedParts(context: FractalContext, { called }: Work): string[] {
  const ended = called.flatMap((op) => context.outcomeOf(op) ?? [])
  const parts = ended
    .filter(({ status, result }) => status !== 'failed' && result.trim() !== '')
    .map(doneText)
  return [...new Set(parts)]
}

function foundByTools({ seen }: Work): string[] {
  return seen.flatMap(({ name, input, result }) =>
    result.ok && name !== READ_RESULT ? `${name} ${JSON.stringify(input)}: ${valueText(result.value)}` : [],
  )
}

const BETWEEN = '\n\n'

async function summarize(
  context: FractalContext,
  reason: string,
  partsFollow: boolean,
): Promise<string | null> {
  const brief = closeBrief(context, reason, partsFollow)
  const [reply] = await context.all([context.model(brief, { closing: true })])
  const decision = reply?.ok ? tryReply(decisionSchema(context.options), reply.value) : null
  return decision?.type === 'RETURN' ? decision.description : null
}

const NOTES: Partial<Record<string, keyof FractalNotes>> = {
  LIMIT: 'fractal/limit',
  LOOP: 'fractal/loop',
  INVALID_FORMAT: 'fractal/format-error',
}

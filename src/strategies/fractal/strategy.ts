/**
 * Fractal Thinkon: Think gives a result or a plan; Eval calls the next sub-goal or returns. Solve is the document's
 * pseudo-code (section 8), line by line. S_n is `context.block`; M is the timeline.
 *
 * The strong invariant is the kernel's K1: when `context.call` has been awaited, the child's result is in `done`.
 */
import { Conversation } from '../../kernel/brief/conversation.ts'
import { endingOf, endsEarly } from '../../kernel/ending.ts'
import type { Answer, CallOptions, Context, Solver } from '../../kernel/strategy.ts'
import { type ModelReply, type Result, ThinkonError } from '../../protocol/index.ts'
import { checkedResult } from '../closing/checked-result.ts'
import { readValue, tryReply } from '../read-value.ts'
import { resultsSection, toolsSection } from '../sections.ts'
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
  type Thought,
  type ToolTurn,
  thoughtSchema,
} from './schema.ts'

type FractalContext = Context<FractalOptions, FractalNotes>

export const fractal: Solver<FractalOptions, FractalNotes> = {
  options: checkOptions,
  maxRepeats: ({ maxRepeats }) => maxRepeats,
  limits: limitsOf,
  calls: ({ strategies }) => strategies,
  async solve(context) {
    try {
      return await solve(context)
    } catch (thrown) {
      return endEarly(context, thrown)
    }
  },
}

/** Solve(S_n) */
async function solve(context: FractalContext): Promise<Answer> {
  const thinking: Thinking = {
    conversation: new Conversation(thinkSections(context), `${context.path} results`),
    seen: [],
  }
  const thought = await think(context, thinking)
  if (thought.type === 'RETURN') {
    return checkedResult(context, thought.description, {
      parts: thinking.seen.length,
      material: [toolsSection(context)],
      again: (wrong) => thinkAgain(context, thinking, wrong),
    })
  }
  if (isDeepest(context)) return tooDeep(context, thought)
  context.plan(thought.description)
  const result = await direct(context)
  return checkedResult(context, result, {
    material: [toolsSection(context), resultsSection(context)],
    again: (wrong) => direct(context, { result, wrong }),
  })
}

/** Calls one sub-goal after another until Eval returns; `back` is a result that it returned before. */
async function direct(context: FractalContext, back?: SentBack): Promise<string> {
  for (;;) {
    const decision = await evaluate(context, back)
    if (decision.type === 'RETURN') return decision.description

    const child = await context.one(context.call(decision.description, callOptions(context, decision)))
    // Plan optimisation: the better plan was archived like any result; Eval only adopts it.
    if (decision.adopt === 'todo' && child.status === 'completed') context.plan(child.result)
  }
}

/** Who solves the sub-goal: another strategy where Eval says so, or whom the run's routes choose for blocks like it. */
function callOptions(context: FractalContext, { strategy }: Decision): CallOptions {
  const { maxBlockTimeMs: timeMs, strategies } = context.options
  const budget = timeMs === undefined ? {} : { budget: { timeMs } }
  if (strategy !== undefined && strategies.includes(strategy)) return { ...budget, strategy }
  return { ...budget, kind: context.budget().depth <= 1 ? 'leaf' : 'plan' }
}

interface Thinking {
  readonly conversation: Conversation
  /** What its tools gave. */
  readonly seen: Observation[]
}

/** Think_LLM(P_t, S_n, M, Tools): a small loop of tool calls that ends with a result or a plan. */
async function think(context: FractalContext, { conversation, seen }: Thinking): Promise<Thought> {
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
    const ops = calls.map(({ name, input }) => context.tool(name, input))
    const ended = await context.all(ops)
    conversation.reply(reply)
    for (const [i, call] of calls.entries()) {
      const result = ended[i] as Result
      seen.push({ name: call.name, input: call.input, result })
      conversation.answer([{ call, result, ref: `${context.path}/${ops[i]?.n}` }])
    }
  }
}

/** The result once more: a plan is no answer then. */
async function thinkAgain(context: FractalContext, thinking: Thinking, wrong: string): Promise<string> {
  thinking.conversation.say(wrong, { keep: true })
  const { type, description } = await think(context, thinking)
  if (type === 'RETURN') return description
  throw new ThinkonError('INVALID_FORMAT', 'Think was to correct its result, and planned')
}

/** Eval_LLM(P_e, S_n, M): reads `todo` and `done`, and changes neither. */
async function evaluate(context: FractalContext, back?: SentBack): Promise<Decision> {
  return decisionSchema.check(readValue(await context.one(context.model(evalBrief(context, back)))))
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
 * Section 6: a limit, a loop or an unreadable reply ends this branch with what there is. A limit or a loop closes with a
 * summary, for which the block kept something back; the parent learns of all of them in `done`.
 */
async function endEarly(context: FractalContext, thrown: unknown): Promise<Answer> {
  if (!ThinkonError.isInstance(thrown)) throw thrown
  const { code, message } = thrown
  context.emit(NOTES[code] ?? 'fractal/failed', { code, message })
  if (!endsEarly(thrown) || context.block.done.length === 0) throw thrown
  const [reply] = await context.all([context.model(closeBrief(context, message), { closing: true })])
  const decision = reply?.ok ? tryReply(decisionSchema, reply.value) : null
  if (decision?.type !== 'RETURN') throw thrown
  return endingOf(thrown, decision.description)
}

const NOTES: Partial<Record<string, keyof FractalNotes>> = {
  LIMIT: 'fractal/limit',
  LOOP: 'fractal/loop',
  INVALID_FORMAT: 'fractal/format-error',
}

/**
 * The minimal strategy: the model says what to do next, the kernel does it, until the model returns. It exists to test and to
 * show the kernel: a model's reply can reach every operation of a Context, with nothing in between.
 */
import { Conversation } from '../../kernel/brief/conversation.ts'
import type { Op } from '../../kernel/durable.ts'
import { endingOf } from '../../kernel/ending.ts'
import type { Answer, Context, Solver } from '../../kernel/strategy.ts'
import { isObject, type ModelReply, ThinkonError } from '../../protocol/index.ts'
import { callTools } from '../call-tools.ts'
import { readValue } from '../read-value.ts'
import { childResults } from '../sections.ts'
import { closeBrief, nextBrief, openingSections, type ToolResult } from './prompts.ts'
import { checkOptions, type MinimalOptions, type Move, moveSchema, OPTIONS_SCHEMA } from './schema.ts'

type MinimalContext = Context<MinimalOptions>

export const minimal: Solver<MinimalOptions> = {
  options: checkOptions,
  optionsSchema: OPTIONS_SCHEMA,
  maxRepeats: ({ maxRepeats }) => maxRepeats,
  async solve(context) {
    const loop: Loop = {
      conversation: new Conversation(openingSections(context), `${context.path} results`),
      results: [],
      told: 0,
    }
    try {
      for (;;) {
        tellResults(context, loop)
        const reply = await context.one(context.model(nextBrief(context, loop.conversation, loop.results)))
        const move = moveOf(reply, context)
        if (move.do === 'return') return answerOf(move)
        loop.conversation.reply(reply, { keep: move.do === 'plan' })
        await make(move, context, loop)
      }
    } catch (thrown) {
      return endEarly(context, loop, thrown)
    }
  },
}

interface Loop {
  readonly conversation: Conversation
  /** Of tools, for programs behind the model port. */
  readonly results: ToolResult[]
  /** How many results of children the conversation has. */
  told: number
}

function moveOf(reply: ModelReply, context: MinimalContext): Move {
  const { toolCalls = [] } = reply
  if (toolCalls.length > 0) return { do: 'tool', calls: [...toolCalls] }
  return moveSchema.check(withTextResult(readValue(reply), context))
}

/** Where the run's result is a value, models also give it as it is: its text is the result. */
function withTextResult(move: unknown, { output }: MinimalContext): unknown {
  if (output === null || !isObject(move) || move.do !== 'return') return move
  const { result } = move
  return typeof result === 'string' ? move : { ...move, result: JSON.stringify(result ?? undefined) }
}

/** Also of those that a person has had done again. */
function tellResults(context: MinimalContext, loop: Loop): void {
  const results = childResults(context)
  for (const { about, text, path } of results.slice(loop.told)) {
    const call = { name: 'sub-goal', input: about }
    loop.conversation.answer([{ call, result: { ok: true, value: text }, ref: path }])
  }
  loop.told = results.length
}

function answerOf({ status = 'completed', result, reason }: Extract<Move, { do: 'return' }>): Answer {
  return reason === undefined ? { status, result } : { status, result, reason }
}

async function make(
  move: Exclude<Move, { do: 'return' }>,
  context: MinimalContext,
  { conversation, results }: Loop,
): Promise<void> {
  switch (move.do) {
    case 'plan':
      context.plan(move.todo)
      conversation.say('The plan is written.', { line: '' })
      return
    case 'call': {
      const { goals, first, budget } = move
      const ops = goals.map((goal) => context.call(goal, { kind: 'plan', ...(budget && { budget }) }))
      if (first) await cancelSlower(ops, context)
      await context.all(ops)
      return
    }
    case 'tool': {
      const answered = await callTools(context, move.calls)
      for (const { call, result } of answered) results.push({ name: call.name, result })
      conversation.answer(answered)
      return
    }
    case 'ask': {
      if (!context.isAttended) {
        conversation.say('Nobody is there to answer: decide yourself, and say what you assumed.')
        return
      }
      const { question, timeoutMs } = move
      const answer = await context.one(context.ask(question, timeoutMs === undefined ? {} : { timeoutMs }))
      // An answer is said by the kernel, like all that a person says.
      if (answer === undefined) conversation.say('No answer came in time.')
      return
    }
    case 'note':
      context.emit(move.name, move.data)
      conversation.say('It is noted.', { line: '' })
      return
    default:
      move satisfies never
  }
}

async function cancelSlower(ops: readonly Op[], context: MinimalContext): Promise<void> {
  const winner = await context.first(ops)
  for (const [index, op] of ops.entries())
    if (index !== winner) await context.cancel(op, 'another was faster')
}

/** At a limit the block closes with a summary, for which it kept one call back. Anything else ends it with what is done. */
async function endEarly(context: MinimalContext, loop: Loop, thrown: unknown): Promise<Answer> {
  if (!ThinkonError.isInstance(thrown) || thrown.code !== 'LIMIT') throw thrown
  tellResults(context, loop)
  const request = closeBrief(context, loop.conversation, thrown.message)
  const [reply] = await context.all([context.model(request, { closing: true })])
  const move = reply?.ok ? closingMove(reply.value, context) : null
  if (move?.do !== 'return') throw thrown
  return endingOf(thrown, move.result)
}

function closingMove(reply: ModelReply, context: MinimalContext): Move | null {
  try {
    return moveSchema.check(withTextResult(readValue(reply), context))
  } catch {
    return null
  }
}

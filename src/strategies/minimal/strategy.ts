/**
 * The minimal strategy: the model says what to do next, the kernel does it, until the model returns. It exists to test and to
 * show the kernel: a model's reply can reach every operation of a Context, with nothing in between.
 */
import type { Op } from '../../kernel/durable.ts'
import { endingOf } from '../../kernel/ending.ts'
import type { Answer, Context, Solver } from '../../kernel/strategy.ts'
import { type Result, ThinkonError } from '../../protocol/index.ts'
import { readValue, tryReply } from '../read-value.ts'
import { closePrompt, nextPrompt, type ToolResult } from './prompts.ts'
import { checkOptions, type MinimalOptions, type Move, moveSchema } from './schema.ts'

export const minimal: Solver<MinimalOptions> = {
  options: checkOptions,
  maxRepeats: ({ maxRepeats }) => maxRepeats,
  async solve(context) {
    const results: ToolResult[] = []
    try {
      for (;;) {
        const move = await nextMove(context, results)
        if (move.do === 'return') return answerOf(move)
        await make(move, context, results)
      }
    } catch (thrown) {
      return endEarly(context, thrown)
    }
  },
}

async function nextMove(context: Context<MinimalOptions>, results: readonly ToolResult[]): Promise<Move> {
  const reply = await context.one(context.model(nextPrompt(context, results)))
  const { toolCalls = [] } = reply
  if (toolCalls.length > 0)
    return { do: 'tool', calls: toolCalls.map(({ name, input }) => ({ name, input })) }
  return moveSchema.check(readValue(reply))
}

function answerOf({ status = 'completed', result, reason }: Extract<Move, { do: 'return' }>): Answer {
  return reason === undefined ? { status, result } : { status, result, reason }
}

async function make(
  move: Exclude<Move, { do: 'return' }>,
  context: Context<MinimalOptions>,
  results: ToolResult[],
): Promise<void> {
  switch (move.do) {
    case 'plan':
      context.plan(move.todo)
      return
    case 'call': {
      const { goals, first, budget } = move
      const ops = goals.map((goal) => context.call(goal, { kind: 'plan', ...(budget && { budget }) }))
      if (first) await cancelSlower(ops, context)
      await context.all(ops)
      return
    }
    case 'tool': {
      const ended = await context.all(move.calls.map(({ name, input }) => context.tool(name, input)))
      results.push(...move.calls.map(({ name }, i) => ({ name, result: ended[i] as Result })))
      return
    }
    case 'ask': {
      const { question, timeoutMs } = move
      await context.one(context.ask(question, timeoutMs === undefined ? {} : { timeoutMs }))
      return
    }
    case 'note':
      context.emit(move.name, move.data)
      return
    default:
      move satisfies never
  }
}

async function cancelSlower(ops: readonly Op[], context: Context<MinimalOptions>): Promise<void> {
  const winner = await context.first(ops)
  for (const [index, op] of ops.entries())
    if (index !== winner) await context.cancel(op, 'another was faster')
}

/** At a limit the block closes with a summary, for which it kept one call back. Anything else ends it with what is done. */
async function endEarly(context: Context<MinimalOptions>, thrown: unknown): Promise<Answer> {
  if (!ThinkonError.isInstance(thrown) || thrown.code !== 'LIMIT') throw thrown
  const [reply] = await context.all([context.model(closePrompt(context, thrown.message), { closing: true })])
  const move = reply?.ok ? tryReply(moveSchema, reply.value) : null
  if (move?.do !== 'return') throw thrown
  return endingOf(thrown, move.result)
}

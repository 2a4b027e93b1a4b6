/**
 * The minimal strategy: the model says what to do next, the kernel does it, until the model returns. It exists to test the
 * kernel and to show it: every operation of a Context can be reached from a model's reply, and nothing else is in the way.
 */
import type { Answer, Context, Strategy } from '../../kernel/strategy.ts'
import { type LimitName, type Result, ThinkonError } from '../../protocol/index.ts'
import { readValue } from '../read-value.ts'
import { closePrompt, nextPrompt, type ToolResult } from './prompts.ts'
import { checkOptions, type MinimalOptions, type Move, moveSchema } from './schema.ts'

export const minimal: Strategy<MinimalOptions> = {
  name: 'minimal',
  version: 1,
  options: checkOptions,
  async solve(context) {
    const results: ToolResult[] = []
    try {
      for (;;) {
        const move = await nextMove(context, results)
        if (move.do === 'return') {
          const { status = 'completed', result, reason } = move
          return reason === undefined ? { status, result } : { status, result, reason }
        }
        await make(move, context, results)
      }
    } catch (thrown) {
      if (ThinkonError.isInstance(thrown) && thrown.code === 'LIMIT') return close(context, thrown)
      throw thrown
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
      const ops = move.goals.map((goal) =>
        context.call(goal, { kind: 'plan', ...(move.budget && { budget: move.budget }) }),
      )
      if (!move.first) {
        await context.all(ops)
        return
      }
      const winner = await context.first(ops)
      for (const [index, op] of ops.entries()) {
        if (index !== winner) await context.cancel(op, 'another was faster')
      }
      await context.all(ops)
      return
    }
    case 'tool': {
      const ended = await context.all(move.calls.map(({ name, input }) => context.tool(name, input)))
      results.push(...move.calls.map(({ name }, i) => ({ name, result: ended[i] as Result })))
      return
    }
    case 'ask':
      await context.one(
        context.ask(move.question, move.timeoutMs === undefined ? {} : { timeoutMs: move.timeoutMs }),
      )
      return
    case 'note':
      context.emit(move.name, move.data)
      return
    default:
      move satisfies never
  }
}

/** A limit is reached: one call was kept back for a summary; without it, what is done speaks for itself. */
async function close(context: Context<MinimalOptions>, reached: ThinkonError): Promise<Answer> {
  const [reply] = await context.all([context.model(closePrompt(context, reached.message), { closing: true })])
  if (!reply?.ok) throw reached
  const move = moveSchema.check(readValue(reply.value))
  if (move.do !== 'return') throw reached
  const limit = reached.data.limit as LimitName
  return { status: 'partial', result: move.result, reason: reached.message, code: 'LIMIT', limit }
}

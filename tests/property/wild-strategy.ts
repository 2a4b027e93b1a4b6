// A strategy that does with its Context whatever can be done, at random: starts operations without waiting for them, races
// some, cancels some, lets errors through or not, and leaves things running when it returns. What it knows it notes down,
// so that a replay finds any difference.

import type { Op } from '../../src/kernel/durable.ts'
import type { Context, Strategy } from '../../src/kernel/strategy.ts'
import type { ModelRequest } from '../../src/protocol/index.ts'

interface WildOptions {
  moves: number
}

export const wild: Strategy<WildOptions> = {
  name: 'wild',
  version: 1,
  options: ({ moves }) => ({ moves: Number(moves) }),
  async solve(context) {
    const open: Op[] = []
    for (let move = 0; move < context.options.moves; move++) {
      await makeMove(context, open)
      if (move % 2 === 1) context.emit('known', known(context))
    }
    if (pick(context, 8) === 0) throw new Error('a wild error')
    if (pick(context, 8) === 0) return { status: 'partial', result: 'half', reason: 'enough' }
    return pick(context, 5) === 0 ? '' : `done ${context.path}`
  },
}

async function makeMove(context: Context<WildOptions>, open: Op[]): Promise<void> {
  const started = open.length > 0
  switch (pick(context, started ? 13 : 7)) {
    case 0:
      context.plan([`plan ${pick(context, 9)}`])
      return
    case 1:
      open.push(context.model(request(context, 'wild/ask')))
      return
    case 2:
      open.push(context.tool(['look', 'build', 'nothing'][pick(context, 3)] as string, pick(context, 3)))
      return
    case 3:
      open.push(context.model(request(context, 'wild/close'), { closing: true }))
      return
    case 4: {
      const timeoutMs = [0, 1, 2, undefined][pick(context, 4)]
      open.push(context.ask({ text: 'well?', fallback: 'no' }, timeoutMs === undefined ? {} : { timeoutMs }))
      return
    }
    case 5:
    case 6: {
      const budget =
        pick(context, 3) === 0 ? { budget: { calls: pick(context, 12), depth: pick(context, 3) } } : {}
      open.push(context.call(`goal ${pick(context, 5)}`, budget))
      return
    }
    case 7:
    case 8: {
      const index = await context.first(open)
      if (pick(context, 2) === 0) open.splice(index, 1)
      return
    }
    case 9:
      await context.cancel(open[pick(context, open.length)] as Op, 'on a whim')
      return
    case 10: {
      const op = open.splice(pick(context, open.length), 1)[0] as Op
      try {
        await context.one(op)
      } catch (error) {
        context.emit('caught', String(error))
        if (pick(context, 4) === 0) throw error
      }
      return
    }
    default:
      await context.all(open.splice(0, 1 + pick(context, open.length)))
  }
}

function known(context: Context<WildOptions>): unknown {
  const { block, path, level } = context
  return {
    done: [...block.done],
    todo: block.todo,
    path,
    level,
    now: context.now(),
    budget: context.budget(),
    random: context.random(),
    timeline: context.timeline(600),
    above: context.ancestors.map((ancestor) => ancestor.todo),
  }
}

function request(context: Context<WildOptions>, kind: string): ModelRequest {
  const content = [`Goal: ${JSON.stringify(context.block.goal)}`, context.timeline(400)]
  return { kind, version: 1, role: 'plan', messages: [{ role: 'user', content }] }
}

function pick(context: Context<WildOptions>, count: number): number {
  return Math.floor(context.random() * count)
}

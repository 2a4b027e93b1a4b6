/** The work that `workers` measures: blocks of one model call and one tool call each, one after the other. */
import { type Model, type Strategy, tool } from '../src/index.ts'
import { request } from './overhead-work.ts'

interface Options {
  readonly blocks: number
  /** How long a model call takes. */
  readonly callMs: number
}

const model: Model = {
  id: 'bench',
  async call({ input }) {
    const callMs = Number(input)
    if (callMs > 0) await new Promise((resolve) => setTimeout(resolve, callMs))
    return { text: 'done', usage: { inputTokens: 100, outputTokens: 25 } }
  },
}

const note = tool({ name: 'note', description: 'takes no time', access: 'read', run: () => 'noted' })

const chain: Strategy<Options> = {
  name: 'bench-workers',
  version: 1,
  options: (given) => ({ blocks: 100, callMs: 0, ...given }),
  async solve(context) {
    const { blocks, callMs } = context.options
    if (context.level > 0) {
      await context.one(context.model({ ...request(context.path, []), input: callMs }))
      await context.one(context.tool('note', {}))
      return 'done'
    }
    for (let i = 0; i < blocks; i++)
      await context.one(context.call(`part ${i}`, { options: { blocks, callMs } }))
    return 'done'
  },
}

export const work = { model, tools: [note], strategies: [chain] as unknown as Strategy[] }

/**
 * The work that `cluster` measures, the same on every host: blocks of one model call each, one after the other or as a tree, and calls of
 * a tool that needs its thread's CPU.
 */
import { type Model, type Strategy, tool } from '../src/index.ts'
import { request } from './overhead-work.ts'

/** How long the model takes. */
export const CALL_MS = 20
export const BLOCKS = 30
const LEVELS = 3
const CHILDREN = 4
export const TREE_BLOCKS = (CHILDREN ** (LEVELS + 1) - 1) / (CHILDREN - 1)
export const BURNS = 16
export const BURN_MS = 250

const model: Model = {
  id: 'bench',
  async call() {
    await new Promise((resolve) => setTimeout(resolve, CALL_MS))
    return { text: 'done', usage: { inputTokens: 100, outputTokens: 25 } }
  },
}

/** `level` of a block: none are called below 0. */
type Options = { level: number }
const options = (given: Readonly<Record<string, unknown>>): Options => ({ level: LEVELS, ...given })

/** A root that calls blocks, one after the other. */
const chain: Strategy<Options> = {
  name: 'bench-chain',
  version: 1,
  options,
  async solve(context) {
    if (context.level > 0) return (await context.one(context.model(request(context.path, [])))).text
    for (let i = 0; i < BLOCKS; i++) await context.one(context.call(`part ${i}`))
    return 'done'
  },
}

/** A model call, then the blocks below, all at once. */
const tree: Strategy<Options> = {
  name: 'bench-tree',
  version: 1,
  options,
  async solve(context) {
    const { level } = context.options
    const { text } = await context.one(context.model(request(context.path, [])))
    const calls = Array.from({ length: level > 0 ? CHILDREN : 0 }, (_, i) =>
      context.call(`part ${i} of ${context.path}`, { options: { level: level - 1 } }),
    )
    await context.all(calls)
    return text
  },
}

/** All calls at once. */
const burning: Strategy<Options> = {
  name: 'bench-burn',
  version: 1,
  options,
  async solve(context) {
    await context.all(Array.from({ length: BURNS }, () => context.tool('burn', {})))
    return 'done'
  },
}

/** So much of the CPU, however long the machine takes to give it. */
export function burn(): void {
  const start = process.threadCpuUsage()
  for (let usedMs = 0; usedMs < BURN_MS; ) {
    for (let i = 0; i < 10_000; i++) Math.sqrt(i)
    const { user, system } = process.threadCpuUsage(start)
    usedMs = (user + system) / 1_000
  }
}

/** Says who did it. */
const burns = tool({
  name: 'burn',
  description: 'needs CPU',
  access: 'read',
  run() {
    burn()
    return String(process.pid)
  },
})

export const work = { model, tools: [burns], strategies: [chain, tree, burning] as Strategy[] }

/**
 * The work that `overhead` measures, by hand and with Thinkon. Both build the prompt, await the model, parse its JSON, check the
 * fields and append the result; Thinkon also records every step. Three shapes:
 *
 * - `linear`: 200 calls in one block, one after the other.
 * - `tree`: 341 blocks of one call each, four below each block of the four upper levels; siblings run at once.
 * - `chain`: 256 blocks, each inside the one before it: two calls, the next block, one more call; the last makes one. 766 calls,
 *   one after the other.
 */
import type { Context, Model, Strategy } from '../src/index.ts'
import type { ModelRequest } from '../src/protocol/index.ts'

const CALLS = 200
const LEVELS = 4
const CHILDREN = 4
const CHAIN_BLOCKS = 256

/** Limits that are never reached. */
export const UNLIMITED = { calls: 1e9, tokens: 1e12, depth: 1e6 }

export function treeBlocks(levels = LEVELS): number {
  return (CHILDREN ** (levels + 1) - 1) / (CHILDREN - 1)
}

const RULES =
  'You work on one goal. Answer with one JSON object: {"type":"RETURN","description":"…"} when it is reached, ' +
  '{"type":"CALL","description":"…"} for the next step. Say nothing else.\n'
const KEEP = 10

function prompt(goal: string, done: readonly string[]): string {
  let text = `${RULES}Goal: ${goal}\nDone so far (${done.length}):\n`
  for (let i = Math.max(0, done.length - KEEP); i < done.length; i++) text += `${i + 1}. ${done[i]}\n`
  return `${text}What next?`
}

const REPLY = JSON.stringify({
  type: 'RETURN',
  description: 'This step is done: the value is forty-two, and it was checked.',
})

/**
 * Both answer at once. One reads its prompt, like any model: it counts the tokens. For the other a prompt is never more than
 * concatenated, which costs next to nothing in JavaScript: the harder ruler.
 */
export const MODELS = {
  reading: {
    id: 'bench',
    async call({ messages }) {
      const inputTokens = Buffer.byteLength(messages[0]?.content as string) >> 2
      return { text: REPLY, usage: { inputTokens, outputTokens: 25 } }
    },
  },
  unread: {
    id: 'bench',
    async call() {
      return { text: REPLY, usage: { inputTokens: 100, outputTokens: 25 } }
    },
  },
} satisfies Record<string, Model>

export type Ruler = keyof typeof MODELS

export function check(text: string): string {
  const value = JSON.parse(text)
  if (typeof value !== 'object' || value === null) throw new Error('not an object')
  if (value.type !== 'RETURN' && value.type !== 'CALL') throw new Error('wrong type')
  if (typeof value.description !== 'string') throw new Error('no description')
  return value.description
}

export function request(goal: string, done: readonly string[]): ModelRequest {
  return {
    kind: 'bench/next',
    version: 1,
    role: 'plan',
    messages: [{ role: 'user', content: prompt(goal, done) }],
  }
}

export const NO_IO = {
  path: '1',
  n: 1,
  signal: new AbortController().signal,
  onDelta() {},
  part: () => Promise.reject(),
}

/** By hand: the minimum that any program must do. `record` is called with each reply before it is used. */
export interface ByHand {
  readonly model: Model
  readonly record?: (text: string) => void
}

async function askByHand({ model, record }: ByHand, goal: string, done: readonly string[]): Promise<string> {
  const reply = await model.call(request(goal, done), NO_IO)
  record?.(reply.text)
  return check(reply.text)
}

async function linearByHand(hand: ByHand): Promise<string> {
  const done: string[] = []
  for (let i = 0; i < CALLS; i++) done.push(await askByHand(hand, 'count the steps', done))
  return String(done.length)
}

async function treeByHand(hand: ByHand, level = 0): Promise<string> {
  const done: string[] = []
  if (level < LEVELS) {
    const children = Array.from({ length: CHILDREN }, () => treeByHand(hand, level + 1))
    done.push(...(await Promise.all(children)))
  }
  return askByHand(hand, `the part at level ${level}`, done)
}

async function chainByHand(hand: ByHand, below = CHAIN_BLOCKS - 1): Promise<string> {
  const goal = `the part above ${below} others`
  const done: string[] = []
  if (below > 0) {
    done.push(await askByHand(hand, goal, done))
    done.push(await askByHand(hand, goal, done))
    done.push(await chainByHand(hand, below - 1))
  }
  return askByHand(hand, goal, done)
}

/** The same with Thinkon. */
async function ask<O>(context: Context<O>, goal: string, done: readonly string[]): Promise<string> {
  const reply = await context.one(context.model(request(goal, done)))
  return check(reply.text)
}

const linear: Strategy<{ calls: number }> = {
  name: 'bench-linear',
  version: 1,
  options: (given) => ({ calls: Number(given.calls ?? CALLS) }),
  async solve(context) {
    const done: string[] = []
    for (let i = 0; i < context.options.calls; i++) done.push(await ask(context, 'count the steps', done))
    return String(done.length)
  },
}

const tree: Strategy<{ levels: number }> = {
  name: 'bench-tree',
  version: 1,
  options: (given) => ({ levels: Number(given.levels ?? LEVELS) }),
  async solve(context) {
    if (context.level < context.options.levels) {
      await context.all(
        Array.from({ length: CHILDREN }, () => context.call(`the part at level ${context.level + 1}`)),
      )
    }
    return ask(context, `the part at level ${context.level}`, context.block.done)
  },
}

const chain: Strategy<Record<string, never>> = {
  name: 'bench-chain',
  version: 1,
  options: () => ({}),
  async solve(context) {
    const below = CHAIN_BLOCKS - 1 - context.level
    const goal = `the part above ${below} others`
    const done: string[] = []
    if (below > 0) {
      done.push(await ask(context, goal, done))
      done.push(await ask(context, goal, done))
      const { result } = await context.one(context.call(`the part above ${below - 1} others`))
      done.push(result)
    }
    return ask(context, goal, done)
  },
}

/** Trees one after the other, under one root: a long run of the same shape. */
const forest: Strategy<{ trees: number }> = {
  name: 'bench-forest',
  version: 1,
  options: (given) => ({ trees: Number(given.trees) }),
  async solve(context) {
    const how = { strategy: 'bench-tree', options: { levels: LEVELS + 1 } }
    for (let i = 0; i < context.options.trees; i++) await context.one(context.call(`tree ${i}`, how))
    return 'a forest'
  },
}

export const STRATEGIES = [linear, tree, chain, forest]

export const SHAPES = {
  linear: { calls: CALLS, strategy: linear.name, byHand: linearByHand },
  tree: { calls: treeBlocks(), strategy: tree.name, byHand: treeByHand },
  chain: { calls: 3 * (CHAIN_BLOCKS - 1) + 1, strategy: chain.name, byHand: chainByHand },
} satisfies Record<string, { calls: number; strategy: string; byHand(hand: ByHand): Promise<string> }>

export type Shape = keyof typeof SHAPES

/**
 * The work that `overhead` measures, by hand and with Thinkon. Both build the prompt, await the model, parse its JSON, check the
 * fields and append the result; Thinkon also records every step.
 */
import type { Model, Strategy } from '../src/index.ts'
import type { ModelRequest } from '../src/protocol/index.ts'

const LEVELS = 4
const CHILDREN = 4

/** Limits that are never reached. */
export const UNLIMITED = { calls: 1e9, tokens: 1e12, costUsd: 1e9 }

export function treeBlocks(levels = LEVELS): number {
  return (CHILDREN ** (levels + 1) - 1) / (CHILDREN - 1)
}

const RULES =
  'You work on one goal. Answer with one JSON object: {"type":"RETURN","description":"…"} when it is reached, ' +
  '{"type":"CALL","description":"…"} for the next step. Say nothing else.\n'
const KEEP = 10

export function prompt(goal: string, done: readonly string[]): string {
  let text = `${RULES}Goal: ${goal}\nDone so far (${done.length}):\n`
  for (let i = Math.max(0, done.length - KEEP); i < done.length; i++) text += `${i + 1}. ${done[i]}\n`
  return `${text}What next?`
}

const REPLY = JSON.stringify({
  type: 'RETURN',
  description: 'This step is done: the value is forty-two, and it was checked.',
})

/** Answers at once. Like any model it reads its prompt: it counts the tokens. */
export const instantModel: Model = {
  id: 'bench',
  async call({ messages }) {
    const inputTokens = Buffer.byteLength(messages[0]?.content as string) >> 2
    return { text: REPLY, usage: { inputTokens, outputTokens: 25 } }
  },
}

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
export async function bareLinear(calls: number, record?: (text: string) => void): Promise<number> {
  const done: string[] = []
  for (let i = 0; i < calls; i++) {
    const reply = await instantModel.call(request('count the steps', done), NO_IO)
    record?.(reply.text)
    done.push(check(reply.text))
  }
  return done.length
}

export async function bareTree(level: number, record?: (text: string) => void): Promise<string> {
  const goal = `the part at level ${level}`
  const done: string[] = []
  if (level < LEVELS) {
    const children = Array.from({ length: CHILDREN }, () => bareTree(level + 1, record))
    done.push(...(await Promise.all(children)))
  }
  const reply = await instantModel.call(request(goal, done), NO_IO)
  record?.(reply.text)
  return check(reply.text)
}

/** The same with Thinkon. */
export const linear: Strategy<{ calls: number }> = {
  name: 'bench-linear',
  version: 1,
  options: (given) => ({ calls: Number(given.calls) }),
  async solve(context) {
    const done: string[] = []
    for (let i = 0; i < context.options.calls; i++) {
      const reply = await context.one(context.model(request('count the steps', done)))
      done.push(check(reply.text))
    }
    return String(done.length)
  },
}

export const tree: Strategy<{ levels: number }> = {
  name: 'bench-tree',
  version: 1,
  options: (given) => ({ levels: Number(given.levels ?? LEVELS) }),
  async solve(context) {
    const goal = `the part at level ${context.level}`
    if (context.level < context.options.levels) {
      await context.all(
        Array.from({ length: CHILDREN }, () => context.call(`the part at level ${context.level + 1}`)),
      )
    }
    const reply = await context.one(context.model(request(goal, context.block.done)))
    return check(reply.text)
  },
}

/** Trees one after the other, under one root: a long run of the same shape. */
export const forest: Strategy<{ trees: number }> = {
  name: 'bench-forest',
  version: 1,
  options: (given) => ({ trees: Number(given.trees) }),
  async solve(context) {
    const how = { strategy: 'bench-tree', options: { levels: LEVELS + 1 } }
    for (let i = 0; i < context.options.trees; i++) await context.one(context.call(`tree ${i}`, how))
    return 'a forest'
  },
}

// What the worker process of the tests can do: small strategies, a model that answers at once, and tools that leave a
// line in a file when they begin, end or are stopped, so that what happened can be counted across processes.

import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { EffectIo, Kernel } from '../../src/kernel/durable.ts'
import { createKernel, type StrategyEntry } from '../../src/kernel/kernel.ts'
import type { Model } from '../../src/kernel/model.ts'
import type { Context, Strategy } from '../../src/kernel/strategy.ts'
import type { Tool, ToolIo } from '../../src/kernel/tool.ts'
import { ThinkonError } from '../../src/protocol/index.ts'
import { STRATEGIES } from '../../src/strategies/registry.ts'
import { treeOfThoughts } from '../../src/strategies/tree-of-thoughts/index.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { shippedAbacus } from '../../tests/abacus.ts'

type Numbers = { depth: number; width: number; rounds: number; ms: number }

function strategy(
  name: string,
  solve: (context: Context<Numbers>) => Promise<string>,
): [string, Strategy<Numbers>] {
  const options = (given: Readonly<Record<string, unknown>>) =>
    ({ depth: 0, width: 0, rounds: 0, ms: 5, ...given }) as Numbers
  return [name, { name, version: 1, options, solve }]
}

const strategies = new Map([
  /** A tool call, then children all at once, down to the depth. */
  strategy('tree', async (context) => {
    const { depth, width, ms } = context.options
    await context.one(context.tool('work', { at: context.path, ms }))
    if (depth === 0) return '1'
    const children = Array.from({ length: width }, (_, i) =>
      context.call(`part ${i + 1} of ${context.path}`, { options: { depth: depth - 1, width, ms } }),
    )
    const ends = await context.all(children)
    return String(ends.reduce((sum, end) => sum + (end.ok ? Number(end.value.result) : 0), 1))
  }),
  /** Model calls, tools, children, races and cancels, one round after another. */
  strategy('mixed', async (context) => {
    const { rounds, ms } = context.options
    let sum = 0
    for (let round = 1; round <= rounds; round++) {
      context.plan(`round ${round} of ${rounds}`)
      const [tool, said] = await context.all([
        context.tool('work', { round, ms }),
        context.model({ kind: 'test/say', version: 1, role: 'act', input: { round }, messages: [] }),
      ])
      const slow = context.tool('work', { round, slow: true, ms: 60_000 })
      const child = context.call(`round ${round}`, { strategy: 'tree', options: { ms } })
      const winner = await context.first([slow, child])
      await context.cancel(slow, 'too slow')
      sum += Number(tool?.ok && said?.ok) + winner
    }
    return String(sum)
  }),
  /** Children all at once, down to the depth; at the bottom a tool call. */
  strategy('deep', async (context) => {
    const { depth, width, ms } = context.options
    if (depth === 0) {
      await context.one(context.tool('work', { at: context.path, ms }))
      return context.path
    }
    const children = Array.from({ length: width }, (_, i) =>
      context.call(`part ${i + 1} of ${context.path}`, { options: { depth: depth - 1, width, ms } }),
    )
    return (await context.all(children)).map((end) => (end.ok ? end.value.result : '')).join(' ')
  }),
  /** Three answers, two of them waited for at the same time. */
  strategy('asks', async (context) => {
    const question = { text: 'What?' }
    const both = await context.all([context.ask(question), context.ask(question)])
    const third = await context.one(context.ask(question))
    return [...both.map((end) => (end.ok ? end.value : end.error.code)), third].join(' ')
  }),
  /** A reply that is written until somebody has read some of it. */
  strategy('writes', async (context) => {
    await context.one(context.model({ kind: 'test/write', version: 1, role: 'act', input: {}, messages: [] }))
    return 'written'
  }),
  strategy('pays', async (context) => {
    const [paid] = await context.all([context.tool('pay', { ms: context.options.ms })])
    const [looked] = await context.all([context.tool('work', { ms: context.options.ms })])
    return `${paid?.ok ? 'ok' : paid?.error.code} ${looked?.ok ? 'ok' : looked?.error.code}`
  }),
])

/** A search on programs alone: its agents are steps, which any worker may be asked to perform. */
const programmed = treeOfThoughts({
  name: 'programmed',
  agents: {
    generator: ({ payload }) => ({
      candidates: ['1', '2', '3'].map((digit, i) => ({
        temp_id: `c${i}`,
        content: `${payload.parent_node.depth === 0 ? '' : payload.parent_node.content}${digit}`,
        action_type: 'digit',
      })),
    }),
    evaluator: ({ payload }) => ({
      evaluations: payload.candidates.map(({ id, content }) => ({
        node_id: id,
        score: Number(content.at(-1)) * 3,
        confidence: 1,
        reasoning: '',
      })),
      ranking: [],
      pruning_suggestions: [],
    }),
  },
  verify: (answer) => answer === '333',
  options: { task_type: 'math_reasoning', depth: 3 },
})

const say = new ScriptedModel(({ input, messages: [first] }) => ({
  heard: input,
  ...(first && { asked: first.content }),
}))
const abacus = shippedAbacus({ delayMs: 10 })
/**
 * The strategies that ship are answered by the abacus. While a file next to the log says so, the model is out from a run's
 * second call on.
 */
function modelOf(log: string | null): Model {
  const answered = new Set<string>()
  return {
    id: 'test',
    async call(request, io) {
      const { run } = io as EffectIo
      if (log !== null && answered.has(run) && existsSync(outFile(log)))
        throw new ThinkonError('MODEL_OUTAGE', 'test: 503 closed for now')
      answered.add(run)
      if (log !== null && request.kind === 'test/write')
        while (!existsSync(readFile(log))) {
          io.onDelta('word ')
          await pause(20, null, { signal: io.signal })
        }
      return (request.kind.startsWith('test/') ? say : abacus).call(request, io)
    },
  }
}

/** When it exists, somebody has read what `writes` has written. */
export function readFile(log: string): string {
  return `${log}.read`
}

/** While it exists, the model is out. */
export function outFile(log: string): string {
  return `${log}.out`
}

/** With a log, the tools are real; without one nothing can be performed (for replays and clients). */
export function programs(log: string | null): Kernel {
  const run = async (input: unknown, io: ToolIo) => {
    if (log === null) throw new Error('nothing is to be performed here')
    const { n } = io as ToolIo & { n: number }
    const write = (what: string) =>
      appendFileSync(log, `${what} ${io.run}/${io.path}/${n} ${Date.now()} ${process.pid}\n`)
    write('begin')
    const { ms } = input as { ms: number }
    try {
      await pause(ms, null, { signal: io.signal })
      write('end')
    } catch (error) {
      write('stopped')
      throw error
    }
    return { ms }
  }
  const tools: Tool[] = [
    { name: 'work', description: 'takes its time', access: 'read', run },
    { name: 'pay', description: 'must not happen twice', access: 'write', run },
  ]
  const model = modelOf(log)
  const entries = [...strategies].map(
    ([name, found]) => [name, { version: 1, load: async () => found as Strategy }] as const,
  )
  return createKernel({
    strategies: new Map<string, StrategyEntry>([...STRATEGIES, ...entries, [programmed.name, programmed]]),
    model: () => model,
    tools,
  })
}

export interface LogLine {
  what: 'begin' | 'end' | 'stopped'
  /** run/path/n */
  step: string
  atMs: number
}

export function readLog(log: string): LogLine[] {
  if (!existsSync(log)) return []
  const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => {
    const [what, step, at] = line.split(' ')
    return { what: what as LogLine['what'], step: step as string, atMs: Number(at) }
  })
}

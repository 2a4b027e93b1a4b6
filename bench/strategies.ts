/**
 * What each shipped strategy costs per model call, its prompts included, against the minimal one: the runs of `prompts`, in
 * memory, with a model that has its replies ready. Both sides build prompts of realistic size; see README.md.
 */
import { createEngine, type Model, type UserTool } from '../src/index.ts'
import type { ModelReply } from '../src/protocol/index.ts'
import type { Figures } from './index.ts'
import { rounded, rounds } from './measure.ts'
import { readTool, type Scripted, STRATEGIES } from './prompts.ts'
import { MINIMAL } from './prompts-loops.ts'
import { programModel, REALISTIC, type Sizes } from './prompts-programs.ts'
import { Texts } from './prompts-texts.ts'

export const about = 'µs per model call of each strategy, prompts included, against the minimal strategy'

const BASE = 'minimal'
const GOAL = 3

export async function run(sizes: Sizes = REALISTIC, times = 30): Promise<Figures> {
  const all = { [BASE]: { programs: MINIMAL, hasTools: true }, ...STRATEGIES }
  const runs = new Map<string, Prepared>()
  for (const [name, scripted] of Object.entries(all)) runs.set(name, await prepare(name, scripted, sizes))
  const work = Object.fromEntries([...runs].map(([name, { again }]) => [name, again]))
  // Warm up first: the JIT compiler is not what is measured.
  await rounds(Math.ceil(times / 3), work)
  const took = await rounds(times, work)
  for (const { close } of runs.values()) await close()
  const usPerCall = Object.fromEntries(
    [...runs].map(([name, { calls }]) => [name, rounded((took[name] ?? 0) / calls)]),
  )
  const base = usPerCall[BASE] ?? 1
  const names = Object.keys(STRATEGIES)
  const ratio = Object.fromEntries(names.map((name) => [name, rounded((usPerCall[name] ?? 0) / base)]))
  const calls = Object.fromEntries([...runs].map(([name, one]) => [name, one.calls]))
  return {
    figures: { usPerCall, ratio, calls },
    lines: [
      `${BASE.padEnd(8)} ${base} µs per call (${calls[BASE]} calls)`,
      ...names.map(
        (name) =>
          `${name.padEnd(8)} ${usPerCall[name]} µs per call (${calls[name]} calls): ${ratio[name]} × (goal ${GOAL})`,
      ),
    ],
  }
}

interface Prepared {
  readonly calls: number
  /** The same run once more, in the same engine. */
  again(): Promise<void>
  close(): Promise<void>
}

/** Runs it once with the programs, and keeps what they and the tool replied. */
async function prepare(
  strategy: string,
  { programs, options, hasTools }: Scripted,
  sizes: Sizes,
): Promise<Prepared> {
  const texts = new Texts()
  const goal = texts.plant('goal', sizes.goal)
  const replies = new Map<string, ModelReply>()
  const engine = createEngine({
    model: remembered(programModel(programs, texts, sizes), replies),
    tools: hasTools ? [rememberedTool(readTool(texts, sizes))] : [],
    store: ':memory:',
  })
  const start = { strategy, ...(options && { options: options(sizes) }), seed: 'strategies' }
  const again = async () => {
    const { status, reason } = await (await engine.start(goal, start)).outcome
    if (status !== 'completed') throw new Error(`${strategy} ended ${status}: ${reason}`)
  }
  await again()
  return { calls: replies.size, again, close: () => engine.close() }
}

/** Gives the same reply to the same step of every run. */
function remembered(model: Model, replies: Map<string, ModelReply>): Model {
  return {
    id: model.id,
    // The parts of a structured reply have its usage, and are not remembered.
    free: true,
    async call(request, io) {
      const step = `${io.path}/${io.n}`
      const known = replies.get(step)
      if (known !== undefined) return { ...known }
      const reply = await model.call(request, io)
      replies.set(step, reply)
      return { ...reply }
    },
  }
}

function rememberedTool(tool: UserTool): UserTool {
  const results = new Map<string, unknown>()
  return {
    ...tool,
    async run(input, io) {
      const key = JSON.stringify(input)
      if (!results.has(key)) results.set(key, await tool.run(input, io))
      return results.get(key)
    },
  }
}

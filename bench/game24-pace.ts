/** A search of depth 3, 5 × 5, with a model that takes 20 ms a call, against the same calls by hand. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngine, type Model } from '../src/index.ts'
import type { ModelRequest } from '../src/protocol/index.ts'
import { rounded, rounds } from './measure.ts'
import { NO_IO, UNLIMITED } from './overhead-work.ts'

const CALL_MS = 20
const DEPTH = 3
const WIDTH = 5
const PROBLEM = 'Plan a small garden that needs little water.'
const ROUNDS = 25

/** The answer to each kind of request. Scores differ, so that there is something to choose. */
const REPLIES: Readonly<Record<string, (n: number) => unknown>> = {
  'tot/decompose': () => ({
    thought_granularity: 'paragraph',
    intermediate_steps: ['soil', 'plants', 'paths'],
    depth_estimate: DEPTH,
    constraints: ['little water'],
    success_criteria: 'a plan that a person can follow',
  }),
  'tot/generate': (n) => ({
    candidates: Array.from({ length: WIDTH }, (_, i) => ({
      content: `thought ${n}.${i}: thyme and sage along the southern wall, gravel between`,
      action_type: 'paragraph',
    })),
  }),
  'tot/evaluate': (n) => ({ score: 5 + (n % 5), confidence: 0.8, reasoning: 'sage needs little water' }),
  'tot/synthesize': () => ({
    answer: 'thyme, sage and gravel',
    reasoning_trace: ['soil', 'plants', 'paths'],
    confidence: 0.9,
    verification: { is_valid: true },
  }),
}

function slowModel(): Model & { calls: number } {
  const model = {
    id: 'bench-slow',
    calls: 0,
    async call({ kind }: ModelRequest) {
      const n = model.calls++
      await new Promise((resolve) => setTimeout(resolve, CALL_MS))
      const text = JSON.stringify(REPLIES[kind]?.(n))
      return { text, usage: { inputTokens: 200, outputTokens: 50 } }
    },
  }
  return model
}

export interface Pace {
  /** In memory, against by hand. */
  ratio: number
  journalRatio: number
  handMs: number
  memoryMs: number
  calls: number
}

export async function measurePace(count = ROUNDS): Promise<Pace> {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-game24-'))
  const model = slowModel()
  const memory = createEngine({ model })
  const journal = createEngine({ model, store: join(folder, 'runs.db') })
  const options = {
    search: 'BFS',
    depth: DEPTH,
    branching: WIDTH,
    beam: WIDTH,
    threshold: 0,
    task_type: 'creative_writing',
    generation: 'sequential_proposal',
    evaluation: 'independent_scoring',
  }
  const start = { strategy: 'tot', options, budget: UNLIMITED }
  try {
    const byHandCalls = await callsOf(model, () => byHand(model))
    const calls = await callsOf(model, async () => (await memory.start(PROBLEM, start)).outcome)
    if (calls !== byHandCalls) throw new Error(`${calls} calls, and ${byHandCalls} by hand`)
    const contenders = {
      hand: () => byHand(model),
      inMemory: async () => (await memory.start(PROBLEM, start)).outcome,
      journaled: async () => (await journal.start(PROBLEM, start)).outcome,
    }
    const { hand = 1, inMemory = 0, journaled = 0 } = await rounds(count, contenders)
    return {
      ratio: rounded(inMemory / hand, 3),
      journalRatio: rounded(journaled / hand, 3),
      handMs: rounded(hand / 1e3),
      memoryMs: rounded(inMemory / 1e3),
      calls,
    }
  } finally {
    await memory.close()
    await journal.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function callsOf(model: { calls: number }, work: () => Promise<unknown>): Promise<number> {
  const before = model.calls
  await work()
  return model.calls - before
}

interface Idea {
  readonly path: readonly string[]
  readonly score: number
}

/** What one would write without Thinkon: a decomposition, layers of proposals and scores, a synthesis. */
async function byHand(model: Model): Promise<string> {
  const ask = async (kind: string, about: string, path: readonly string[]) => {
    const content = `${about}\nProblem: ${PROBLEM}\nSo far:\n${path.join('\n')}`
    const request = { kind, version: 1, role: 'plan', messages: [{ role: 'user', content }] } as const
    return JSON.parse((await model.call(request, NO_IO)).text)
  }
  await ask('tot/decompose', 'Say what a step is.', [])
  let beam: Idea[] = [{ path: [], score: 0 }]
  for (let depth = 0; depth < DEPTH; depth++) {
    const proposed = await Promise.all(beam.map(({ path }) => ask('tot/generate', 'Propose 5 steps.', path)))
    const paths = proposed.flatMap(({ candidates }, i) =>
      (candidates as { content: string }[]).map(({ content }) => [...(beam[i] as Idea).path, content]),
    )
    const values = await Promise.all(paths.map((path) => ask('tot/evaluate', 'Score the last step.', path)))
    beam = paths
      .map((path, i) => ({ path, score: values[i].score as number }))
      .sort((a, b) => b.score - a.score)
      .slice(0, WIDTH)
  }
  return (await ask('tot/synthesize', 'Write the answer.', beam[0]?.path ?? [])).answer
}

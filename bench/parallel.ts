/** 66 calls of 20 ms in 6 dependent rounds, against the same graph written by hand with Promise.all. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngine, type Model, type Strategy } from '../src/index.ts'
import type { Figures } from './index.ts'
import { rounded, rounds } from './measure.ts'
import { check, NO_IO, request, UNLIMITED } from './overhead-work.ts'

export const about =
  '66 calls of 20 ms in 6 dependent rounds, against the same graph by hand with Promise.all'

const ROUNDS = 6
const WIDTH = 11
const CALL_MS = 20

const slowModel: Model = {
  id: 'bench-slow',
  async call() {
    await new Promise((resolve) => setTimeout(resolve, CALL_MS))
    return {
      text: '{"type":"RETURN","description":"one part"}',
      usage: { inputTokens: 100, outputTokens: 10 },
    }
  },
}

const graph: Strategy = {
  name: 'bench-graph',
  version: 1,
  options: (given) => given,
  async solve(context) {
    let last: string[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const ops = Array.from({ length: WIDTH }, (_, i) => context.model(request(`part ${i}`, last)))
      const results = await context.all(ops)
      last = results.map((result) => check(result.ok ? result.value.text : ''))
    }
    return last.join(' ')
  },
}

async function byHand(): Promise<string> {
  let last: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const calls = Array.from({ length: WIDTH }, (_, i) => slowModel.call(request(`part ${i}`, last), NO_IO))
    last = (await Promise.all(calls)).map((reply) => check(reply.text))
  }
  return last.join(' ')
}

export async function run(): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-parallel-'))
  const memory = createEngine({ model: slowModel, strategies: [graph] })
  const journal = createEngine({ model: slowModel, strategies: [graph], store: join(folder, 'runs.db') })
  const start = { strategy: 'bench-graph', budget: UNLIMITED }
  try {
    const {
      hand = 1,
      inMemory = 0,
      journaled = 0,
    } = await rounds(12, {
      hand: byHand,
      inMemory: async () => (await memory.start('bench', start)).outcome,
      journaled: async () => (await journal.start('bench', start)).outcome,
    })
    const ratio = rounded(inMemory / hand, 3)
    const journalRatio = rounded(journaled / hand, 3)
    return {
      figures: { ratio, journalRatio, handMs: rounded(hand / 1e3), memoryMs: rounded(inMemory / 1e3) },
      lines: [`in memory ${ratio} × by hand (goal 1.04), with the journal (FULL) ${journalRatio} ×`],
    }
  } finally {
    await memory.close()
    await journal.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

import { beforeAll, expect, it } from 'vitest'
import { createEngine, type Strategy } from '../../index.ts'
import { manualClock } from '../../testing/index.ts'

const reply = { text: 'x', usage: { inputTokens: 1, outputTokens: 1 } }
const model = { id: 'instant', call: async () => reply }
const CALLS = 12_000

const steps: Strategy<{ calls: number }> = {
  name: 'steps',
  version: 1,
  options: (given) => ({ calls: Number(given.calls) }),
  async solve(context) {
    const request = { kind: 'k', version: 1, role: 'plan' as const, messages: [] }
    for (let i = 0; i < context.options.calls; i++) await context.one(context.model(request))
    return ''
  },
}

/** How often others had a turn while the runs were solved. */
async function turnsDuring(nowMs: () => number, runs: number, calls: number): Promise<number> {
  const clock = { ...manualClock(), nowMs, activeMs: nowMs }
  const engine = createEngine({ model, strategies: [steps], clock })
  let turns = 0
  let isOver = false
  const count = () => {
    if (isOver) return
    turns++
    setImmediate(count)
  }
  setImmediate(count)
  for (let i = 0; i < runs; i++) {
    const run = await engine.start('go', {
      strategy: 'steps',
      options: { calls },
      budget: { calls: CALLS * 2 },
    })
    expect((await run.outcome).status).toBe('completed')
  }
  isOver = true
  await engine.close()
  return turns
}

/** What is loaded on first use takes turns of its own. */
beforeAll(() => turnsDuring(() => 500, 1, 1))

it('timers and sockets get a turn between commits that wait for nothing, also where the clock stands still', async () => {
  const turns = await turnsDuring(() => 1_000, 1, CALLS)
  expect(turns).toBeGreaterThanOrEqual(Math.floor(CALLS / 4_096))
  // Each costs more than a commit.
  expect(turns).toBeLessThan(20)
})

it('of several runs together as of one', async () => {
  expect(await turnsDuring(() => 2_000, 60, CALLS / 60)).toBeGreaterThanOrEqual(Math.floor(CALLS / 4_096))
})

it('and sooner where time passes', async () => {
  let ms = 10_000
  // A millisecond each time somebody looks: at least twice for a call.
  expect(await turnsDuring(() => ms++, 1, CALLS)).toBeGreaterThan((2 * CALLS) / 10 / 2)
})

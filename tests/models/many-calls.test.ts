/** One reply may ask for tens of thousands of tool calls. */
import { performance } from 'node:perf_hooks'
import { expect, it } from 'vitest'
import { createEngine, tool } from '../../src/index.ts'
import type { Strategy } from '../../src/kernel/strategy.ts'
import type { Event, Limits } from '../../src/protocol/index.ts'

const USAGE = { inputTokens: 10, outputTokens: 10 }

/** Its first reply makes `count` calls, which differ; its second one ends the run. */
async function solved(count: number, budget: Partial<Limits>, waitMs = 0) {
  let asked = 0
  const model = {
    id: 'many',
    maxReplyBytes: 64 * 1024 * 1024,
    async call() {
      if (asked++ > 0) return { text: '{"do":"return","result":"done"}', usage: USAGE }
      const toolCalls = Array.from({ length: count }, (_, i) => ({ id: `c${i}`, name: 'look', input: { i } }))
      return { text: '', toolCalls, usage: USAGE }
    },
  }
  let looked = 0
  const look = tool({
    name: 'look',
    description: 'looks',
    access: 'read',
    run: async () => {
      looked++
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
      return 'seen'
    },
  })
  const engine = createEngine({ model, tools: look })
  let slowestTurnMs = 0
  let lastMs = performance.now()
  const beat = setInterval(() => {
    slowestTurnMs = Math.max(slowestTurnMs, performance.now() - lastMs)
    lastMs = performance.now()
  }, 1)
  const startMs = performance.now()
  const run = await engine.start('x', { strategy: 'minimal', budget })
  const outcome = await run.outcome
  const ms = performance.now() - startMs
  clearInterval(beat)
  const events: Event[] = [...(await engine.events(run.id))]
  await engine.close()
  return { outcome, events, looked, ms, slowestTurnMs }
}

it('the calls that a limit does not allow are refused as one record', async () => {
  const { outcome, events, looked } = await solved(5_000, { calls: 50 })
  expect(outcome).toMatchObject({ status: 'partial', limit: 'calls' })
  expect(looked).toBeLessThanOrEqual(49)
  const refused = events.filter((event) => event.type === 'tool-end' && !event.result.ok)
  expect(refused).toHaveLength(1)
  const notes = events.filter((event) => event.type === 'note' && event.name === 'tool-calls-refused')
  expect(notes).toMatchObject([{ data: { refused: 5_000 - looked - 1 } }])
})

it.each([
  ['refused', { calls: 1_000 }],
  ['made', { calls: 100_000 }],
])('the time for calls that are %s grows with their number', async (_, budget) => {
  await solved(1_000, budget)
  const once = await solved(10_000, budget)
  const twice = await solved(20_000, budget)
  // Quadratic: 4. A measure of 0.1 s more or less is the machine's.
  expect(twice.ms).toBeLessThan(once.ms * 3 + 300)
})

it('40,000 calls leave other work its turns, and end at the time limit', async () => {
  const { outcome, ms, slowestTurnMs } = await solved(40_000, { calls: 100_000, timeMs: 1_500 }, 20)
  expect(outcome).toMatchObject({ status: 'partial', limit: 'timeMs' })
  expect(ms).toBeLessThan(20_000)
  expect(slowestTurnMs).toBeLessThan(5_000)
})

it('so does the time for calls that a strategy makes at once', async () => {
  const wide = async (count: number) => {
    const strategy: Strategy<object> = {
      name: 'wide',
      version: 1,
      options: () => ({}),
      async solve(context) {
        const results = await context.all(
          Array.from({ length: count }, (_, i) => context.tool('look', { i })),
        )
        return `${results.filter(({ ok }) => ok).length}`
      },
    }
    const look = tool({ name: 'look', description: 'looks', access: 'read', run: async () => 'seen' })
    const model = { id: 'none', call: async () => ({ text: '', usage: USAGE }) }
    const engine = createEngine({ model, tools: look, strategies: [strategy] })
    const startMs = performance.now()
    const run = await engine.start('x', { strategy: 'wide' as never, budget: { calls: 1_000 } })
    expect((await run.outcome).result).toBe('999')
    await engine.close()
    return performance.now() - startMs
  }
  await wide(1_000)
  const once = await wide(10_000)
  expect(await wide(20_000)).toBeLessThan(once * 3 + 300)
})

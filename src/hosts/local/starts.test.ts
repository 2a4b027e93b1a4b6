import { expect, it } from 'vitest'
import { createEngine, type Strategy } from '../../index.ts'
import type { Event } from '../../protocol/index.ts'
import { BLOCKS_PER_TURN, Starts } from './starts.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const MANY = 4 * BLOCKS_PER_TURN

it('begins a few at a time, the deepest of those that wait first, each once', async () => {
  const starts = new Starts()
  const begun: string[] = []
  const block = (name: string, level: number) => ({ level, start: () => void begun.push(name) })
  for (let i = 0; i < BLOCKS_PER_TURN; i++) starts.add(block('first', 1))
  starts.add(block('upper', 1))
  starts.add(block('deeper', 2))
  starts.add(block('deepest', 7))
  starts.add(block('deeper too', 2))
  expect(new Set(begun)).toEqual(new Set(['first']))
  await turn()
  expect(begun.slice(BLOCKS_PER_TURN)).toEqual(['deepest', 'deeper', 'deeper too', 'upper'])
})

it('what begins calls others at once while there is room, and all of any number begin', async () => {
  const starts = new Starts()
  let begun = 0
  const family = (level: number): void =>
    starts.add({
      level,
      start() {
        begun++
        if (level < 6) for (let i = 0; i < 4; i++) family(level + 1)
      },
    })
  family(0)
  expect(begun).toBe(BLOCKS_PER_TURN)
  for (let turns = 0; begun < 5_461; turns++) {
    const before = begun
    await turn()
    expect(begun - before).toBeLessThanOrEqual(BLOCKS_PER_TURN)
    expect(turns).toBeLessThan(30)
  }
  await turn()
  expect(begun).toBe(5_461)
})

const fan: Strategy<{ width: number }> = {
  name: 'fan',
  version: 1,
  options: (given) => ({ width: Number(given.width ?? 0) }),
  async solve(context) {
    const { width } = context.options
    if (width === 0) {
      const request = { kind: 'k', version: 1, role: 'plan' as const, messages: [] }
      return (await context.one(context.model(request))).text
    }
    const children = Array.from({ length: width }, (_, i) => context.call(`${i}`, { options: { width: 0 } }))
    return String((await context.all(children)).filter(({ ok }) => ok).length)
  },
}

const openAtMost = (events: readonly Event[]) => {
  let open = 0
  let most = 0
  for (const { type } of events) {
    if (type === 'block-start') most = Math.max(most, ++open)
    if (type === 'block-end') open--
  }
  return most
}

const budget = { calls: 10 * MANY, tokens: 1e9 }

it('children whose models answer at once are not all open at the same time', async () => {
  const reply = { text: 'x', usage: { inputTokens: 1, outputTokens: 1 } }
  const engine = createEngine({ model: { id: 'fast', call: async () => reply }, strategies: [fan] })
  const run = await engine.start('go', { strategy: 'fan', options: { width: MANY }, budget })
  expect(await run.outcome).toMatchObject({ status: 'completed', result: String(MANY) })
  expect(openAtMost([...(await engine.events(run.id))])).toBeLessThanOrEqual(2 * BLOCKS_PER_TURN + 1)
  await engine.close()
})

it('children whose models take their time all are; a cancel ends also those that have not begun', async () => {
  let called = 0
  const answers: (() => void)[] = []
  const slow = {
    id: 'slow',
    call: () =>
      new Promise<{ text: string; usage: { inputTokens: number; outputTokens: number } }>((resolve) => {
        called++
        answers.push(() => resolve({ text: 'x', usage: { inputTokens: 1, outputTokens: 1 } }))
      }),
  }
  const engine = createEngine({ model: slow, strategies: [fan] })
  const options = { strategy: 'fan', options: { width: MANY }, budget }
  const first = await engine.start('go', options)
  for (let i = 0; called < MANY; i++) {
    await turn()
    expect(i).toBeLessThan(1_000)
  }
  for (const answer of answers) answer()
  expect((await first.outcome).status).toBe('completed')

  called = 0
  const second = await engine.start('go', options)
  expect(called).toBeLessThan(MANY)
  await second.cancel('enough')
  const outcome = await second.outcome
  expect(outcome.status).toBe('cancelled')
  await turn()
  expect(called).toBeLessThan(MANY)
  const events = [...(await engine.events(second.id))]
  const count = (type: Event['type']) => events.filter((event) => event.type === type).length
  expect(count('block-end')).toBe(count('block-start'))
  expect(count('block-start')).toBe(MANY + 1)
  await engine.close()
})

/** What model and tool objects return is not trusted; tests/soak/poison.ts tries many more. */
import { describe, expect, it } from 'vitest'
import { createEngine, type EngineOptions, tool } from '../../src/index.ts'
import type { Model } from '../../src/kernel/model.ts'
import type { Strategy } from '../../src/kernel/strategy.ts'
import type { Event, EventOf } from '../../src/protocol/index.ts'

// biome-ignore lint/suspicious/noExplicitAny: objects without types
type Untyped = any

/** Calls the model and the tool, as often as the budget allows. */
const loop: Strategy<object> = {
  name: 'loop',
  version: 1,
  options: () => ({}),
  async solve(context) {
    const request = {
      kind: 'loop/ask',
      version: 1,
      role: 'act',
      messages: [{ role: 'user', content: 'x'.repeat(300) }],
    } as const
    for (let i = 0; i < 400; i++) {
      await context.one(context.model(request))
      if (context.tools.length > 0)
        await context.one(context.tool('look', { text: `${'x'.repeat(285)}${i}` }))
    }
    return 'done'
  },
}

async function solved(options: EngineOptions, budget = {}) {
  const engine = createEngine({ strategies: [loop], ...options } as EngineOptions)
  const run = await engine.start('x', { strategy: 'loop' as never, budget })
  const outcome = await run.outcome
  const events: Event[] = [...(await engine.events(run.id))]
  const replayed = await engine.replay(run.id)
  await engine.close()
  const notes = events.filter((event): event is EventOf<'note'> => event.type === 'note')
  return { outcome, events, notes, replayed }
}

const reporting = (usage: Untyped): Model => ({ id: 'own', call: async () => ({ text: 'fine', usage }) })
const FINE = { inputTokens: 100, outputTokens: 1 }

describe('a usage that is no usage', () => {
  it.each([
    null,
    undefined,
    {},
    { inputTokens: Number.NaN, outputTokens: 1 },
    { inputTokens: '50', outputTokens: -1 },
    { inputTokens: 0, outputTokens: 0 },
  ])('does not disable the limit of tokens: %o', async (usage) => {
    const { outcome, events, replayed } = await solved({ model: reporting(usage) }, { tokens: 15_000 })
    expect(outcome).toMatchObject({ status: 'partial', limit: 'tokens' })
    const ends = events.filter((event) => event.type === 'model-end' && event.result.ok)
    expect(ends.length).toBeGreaterThan(20)
    for (const end of ends)
      expect(end).toMatchObject({ usage: { inputTokens: 100 }, usageProblem: expect.any(String) })
    expect(replayed.differences).toEqual([])
  })

  it('is noted once for each step', async () => {
    const { events, notes } = await solved({ model: reporting(null) }, { calls: 3 })
    const steps = events.filter((event) => event.type === 'model-end' && event.result.ok)
    expect(notes.map(({ name, data }) => [name, data])).toEqual(
      steps.map((step) => [
        'usage-estimated',
        { n: (step as EventOf<'model-end'>).n, problem: 'usage is null' },
      ]),
    )
    expect(steps[0]).toMatchObject({ result: { value: { usageEstimated: true } } })
  })

  it.each<[string, Partial<Model>]>([
    ['of a model that declares to be free', { free: true }],
    [
      'after a part that was paid',
      {
        async call(_, io) {
          await io.part(async () => ({ value: 1, usage: FINE }))
          return { text: 'fine', usage: { inputTokens: 0, outputTokens: 0 } }
        },
      },
    ],
  ])('0 is believed %s', async (_, more) => {
    const model = { ...reporting({ inputTokens: 0, outputTokens: 0 }), ...more }
    const { notes, replayed } = await solved({ model }, { calls: 3 })
    expect(notes).toEqual([])
    expect(replayed.differences).toEqual([])
  })

  it('0 is not believed of a part', async () => {
    const call: Model['call'] = async (_, io) => {
      await io.part(async () => ({
        value: { text: 'x'.repeat(300) },
        usage: { inputTokens: 0, outputTokens: 0 },
      }))
      return { text: 'fine', usage: { inputTokens: 0, outputTokens: 0 } }
    }
    const { outcome } = await solved({ model: { id: 'own', call } }, { tokens: 15_000 })
    expect(outcome).toMatchObject({ status: 'partial', limit: 'tokens' })
  })

  it('of a reply that was not streamed is estimated from its text', async () => {
    const call: Model['call'] = async () => ({ text: 'x'.repeat(300), usage: null as never })
    const { events } = await solved({ model: { id: 'own', call } }, { calls: 3 })
    expect(events.find(({ type }) => type === 'model-end')).toMatchObject({ usage: { outputTokens: 100 } })
  })

  it('of a tool counts as an estimate, too', async () => {
    const look = tool({
      name: 'look',
      description: 'looks',
      access: 'read',
      run: async (_, io) => io.spend?.(Number.NaN),
    })
    const { outcome, notes } = await solved({ model: reporting(FINE), tools: look }, { tokens: 15_000 })
    expect(outcome).toMatchObject({ status: 'partial', limit: 'tokens' })
    expect(notes[0]?.data).toMatchObject({ problem: 'io.spend(NaN): not a number of tokens' })
  })
})

it.each<[string, Partial<Record<keyof Model, Untyped>>, RegExp]>([
  ['cost() that throws', { cost: () => JSON.parse('?') }, /cost\(\) of the model own threw/],
  ['cost() of NaN', { cost: () => Number.NaN }, /cost\(\) of the model own returned NaN/],
  ['no reply', { call: async () => null }, /no reply: it needs a "text" and a "usage"/],
  [
    'a BigInt',
    { call: async () => ({ text: '', usage: FINE, extra: 1n }) },
    /not JSON: at "extra": a BigInt/,
  ],
  [
    'a call without a name',
    { call: async () => ({ text: '', usage: FINE, toolCalls: [{ id: '1', input: {} }] }) },
    /toolCalls\[0\] has no name/,
  ],
  [
    'toolCalls of null',
    { call: async () => ({ text: '', usage: FINE, toolCalls: null }) },
    /"toolCalls" is missing instead of a list/,
  ],
  ['a thrown symbol', { call: async () => Promise.reject(Symbol('no')) }, /Symbol\(no\)/],
])('%s is an error of its step that names what is wrong', async (_, members, message) => {
  const { outcome, events, replayed } = await solved({ model: { ...reporting(FINE), ...members } as Model })
  expect(outcome).toMatchObject({
    status: 'failed',
    code: 'MODEL_ERROR',
    reason: expect.stringMatching(message),
  })
  expect(events.at(-3)).toMatchObject({ type: 'model-end', result: { error: { code: 'MODEL_ERROR' } } })
  expect(replayed.differences).toEqual([])
})

it("an error of the store or the run that a model throws is the model's", async () => {
  const { ThinkonError } = await import('../../src/protocol/index.ts')
  const model = {
    ...reporting(FINE),
    call: async () => Promise.reject(new ThinkonError('STORE_FULL', 'full')),
  }
  const { outcome } = await solved({ model: model as Model })
  expect(outcome).toMatchObject({ status: 'failed', code: 'MODEL_ERROR', reason: 'full' })
})

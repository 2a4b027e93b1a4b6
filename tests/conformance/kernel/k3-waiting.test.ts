// K3: held is not spent. What only fails to fit because others are under way waits its turn; a limit of tokens binds all the same.

import { describe, expect, it } from 'vitest'
import { createEngine } from '../../../src/index.ts'
import type { Context } from '../../../src/kernel/strategy.ts'
import type { Event, Limits, Outcome } from '../../../src/protocol/index.ts'
import { manualClock, reply, ScriptedModel } from '../../../src/testing/index.ts'
import { answerAt } from '../../answers.ts'
import { gate, turns } from '../async.ts'
import { violations } from '../invariants.ts'
import { all } from './journal.ts'
import { request, strategyOf } from './lab.ts'

const USAGE = { inputTokens: 300, outputTokens: 200 }
const PROMPT = 'x'.repeat(900)

describe('children at once', () => {
  it.each([60, 400])('%i complete with 1.3 times what they need, in turn if need be', async (children) => {
    const { outcome, journal } = await fanOut(children, { tokens: children * 500 * 1.3 })
    expect(outcome).toMatchObject({ status: 'completed', result: `${children} completed` })
    expect(outcome.usage.calls).toBe(children)
    expect(violations(journal)).toEqual([])
  })

  it.each([
    ['3 × 3 × 3 × 3', [3, 3, 3, 3]],
    ['2 × 2 × 2 × 2 × 2 × 2', [2, 2, 2, 2, 2, 2]],
    ['4 × 4 × 4', [4, 4, 4]],
    ['1 × 1 × 1 × 1 × 1 × 60', [1, 1, 1, 1, 1, 60]],
  ])('nested, %s, complete, too', async (_, widths) => {
    const leaves = widths.reduce((product, width) => product * width)
    const { outcome, journal } = await run(nested(widths), { tokens: leaves * 500 * 1.3 }, () => USAGE)
    expect(outcome).toMatchObject({ status: 'completed', usage: { calls: leaves } })
    expect(all(journal, 'block-end').every((end) => end.outcome.status === 'completed')).toBe(true)
    expect(violations(journal)).toEqual([])
  })

  it.each([
    ['calls', { calls: 78 }],
    ['cost', { costUsd: 60 * 0.005 * 1.3 }],
  ])('wait for %s, too', async (_, budget) => {
    const { outcome, journal } = await fanOut(60, budget)
    expect(outcome).toMatchObject({ status: 'completed', result: '60 completed' })
    expect(violations(journal)).toEqual([])
  })

  it('are recorded as begun when they are admitted, in the order in which they came, and waiting leaves no record', async () => {
    const { journal } = await fanOut(60, { tokens: 39_000 })
    const starts = all(journal, 'block-start').slice(1)
    expect(starts.map(({ path }) => path)).toEqual(starts.map((_, i) => `1-${i + 1}`))
    const open = (seq: number) =>
      all(journal, 'block-start').filter((event) => event.seq < seq).length -
      all(journal, 'block-end').filter((event) => event.seq < seq).length
    expect(Math.max(...starts.map(({ seq }) => open(seq)))).toBeLessThan(16)
    expect(all(journal, 'model-end').every(({ result }) => result.ok)).toBe(true)
  })

  it('that need more than there is are refused, and what is spent never exceeds the limit', async () => {
    const { outcome, journal } = await fanOut(60, { tokens: 20_000 })
    expect(outcome.result).not.toBe('60 completed')
    expect(outcome.usage.inputTokens + outcome.usage.outputTokens).toBeLessThanOrEqual(20_000)
    expect(violations(journal)).toEqual([])
    const [refused] = all(journal, 'model-end').flatMap(({ result }) => (result.ok ? [] : [result.error]))
    expect(refused?.message).toMatch(/limit of tokens .* is reached: [\d,]+ of 20,000 spent/)
  })

  it('show held and spent apart', async () => {
    const { journal } = await fanOut(6, { tokens: 100_000 })
    const first = all(journal, 'model-end')[0]!
    const kept = all(journal, 'block-start').reduce((sum, { kept }) => sum + kept.tokens, 0)
    const reserve = all(journal, 'model-start')[0]!.reserve.tokens
    expect(first.left).toMatchObject({
      tokens: 100_000 - 500 - kept,
      held: { calls: 5, tokens: 5 * reserve },
    })
    expect(all(journal, 'block-end').at(-1)?.left).toMatchObject({ tokens: 100_000 - 6 * 500 })
    expect(all(journal, 'block-end').at(-1)?.left.held).toBeUndefined()
  })
})

describe('steps that wait', () => {
  it('can wait for a call that another block keeps back for closing', async () => {
    const { outcome, journal } = await run(
      async (context) => {
        if (context.level === 1) return (await context.one(context.model(request(PROMPT)))).text
        const child = context.call('a child')
        const own = await context.all([1, 2, 3, 4, 5, 6].map((i) => context.model(request(`ask ${i}`))))
        const [childEnd] = await context.all([child])
        return [childEnd, ...own].map((end) => end?.ok).join(' ')
      },
      { calls: 8 },
      () => USAGE,
    )
    expect(outcome.result).toBe('true true true true true true true')
    const ended = all(journal, 'block-end').find(({ path }) => path === '1-1')!
    expect(all(journal, 'model-start').filter(({ seq }) => seq > ended.seq)).toHaveLength(1)
    expect(violations(journal)).toEqual([])
  })

  it('are not active while only a person is waited for', async () => {
    const clock = manualClock()
    const own = strategyOf('own', async (context) => {
      if (context.path === '1-1') return String(await context.one(context.ask({ text: 'well?' })))
      if (context.path === '1-2')
        return (await context.one(context.model(request('think', { maxOutputTokens: 17_800 })))).text
      const ends = await context.all([context.call('ask'), context.call('think')])
      return ends.map((end) => end.ok && (end.value as Outcome).result).join(', ')
    })
    const model = new ScriptedModel(() => reply('thought', { usage: USAGE }))
    const engine = createEngine({ model, strategies: [own], clock })
    const budget = { tokens: 20_000, timeMs: 1_000 }
    const started = await engine.start('a goal', { strategy: 'own', budget })
    await clock.advance(3_600_000)
    const waiting = await eventsOf(engine, started.id)
    expect(all(waiting, 'block-start')).toHaveLength(3)
    expect(all(waiting, 'model-start')).toEqual([])
    await answerAt(started, '1-1', 'well')
    const outcome = await started.outcome
    expect(outcome).toMatchObject({ status: 'completed', result: 'well, thought' })
    expect((await engine.state(started.id)).activeMs).toBe(0)
    expect(violations(await eventsOf(engine, started.id))).toEqual([])
    await engine.close()
  })
})

describe('a limit of tokens binds', () => {
  it.each([
    ['one call after the other', 10_000, 1],
    ['40 calls at once', 200_000, 40],
  ])('with %s that take all they may', async (_, tokens, atOnce) => {
    const { outcome, journal } = await run(
      async (context) => {
        for (let i = 0; i < 12; i++) {
          const calls = Array.from({ length: atOnce }, () => context.model(request(PROMPT)))
          const ends = await context.all(calls)
          if (ends.some((end) => !end.ok)) return { status: 'partial', result: '', reason: 'refused' }
        }
        return 'all'
      },
      { tokens },
      // As long as it is allowed to be.
      ({ settings }) => ({ inputTokens: 300, outputTokens: settings?.maxOutputTokens ?? 30_000 }),
    )
    expect(outcome.usage.inputTokens + outcome.usage.outputTokens).toBeLessThanOrEqual(tokens)
    expect(outcome.status).toBe('partial')
    expect(violations(journal)).toEqual([])
  })
})

describe('a block that waits', () => {
  it('has its own time from its start on', async () => {
    const clock = manualClock()
    const own = strategyOf('own', async (context) => {
      if (context.level === 1)
        return (await context.one(context.model(request(PROMPT, { maxOutputTokens: 4_000 })))).text
      const first = context.model(request('long'))
      const second = context.call('second', { budget: { timeMs: 1_000 } })
      await context.one(first)
      return (await context.one(second)).result
    })
    const long = gate()
    const model = new ScriptedModel(async ({ kind }) => {
      if (kind === 'long') await long.opened
      return reply('done', { usage: USAGE })
    })
    const engine = createEngine({ model, strategies: [own], clock })
    const started = await engine.start('a goal', { strategy: 'own', budget: { tokens: 8_000 } })
    await clock.advance(5_000)
    expect(all(await eventsOf(engine, started.id), 'block-start')).toHaveLength(1)
    long.open()
    expect((await started.outcome).result).toBe('done')
    const child = all(await eventsOf(engine, started.id), 'block-end').find(({ path }) => path === '1-1')
    expect(child?.outcome.status).toBe('completed')
    expect(child?.left.timeMs).toBe(1_000)
    await engine.close()
  })

  it('can be skipped, and its parent be cancelled, before its turn', async () => {
    const waiting = new ScriptedModel(async () => {
      await turns(200)
      return reply('done', { usage: USAGE })
    })
    const engine = createEngine({ model: waiting, strategies: [strategyOf('own', fan(8))] })
    const started = await engine.start('a goal', { strategy: 'own', budget: { tokens: 12_000 } })
    await turns(5)
    await started.signal('1-8', 'skip', 'not needed')
    await turns(5)
    const early = await eventsOf(engine, started.id)
    expect(all(early, 'block-end').map(({ path, outcome }) => [path, outcome.status])).toEqual([
      ['1-8', 'skipped'],
    ])
    await started.signal('1', 'cancel', 'enough')
    const outcome = await started.outcome
    expect(outcome.status).toBe('cancelled')
    expect(violations(await eventsOf(engine, started.id))).toEqual([])
    await engine.close()
  })
})

describe('a step that waits', () => {
  it('is not performed when what it waited for comes back because its parent is cancelled (K7)', async () => {
    const model = new ScriptedModel(async (_, { signal }) => {
      await turns(200)
      signal.throwIfAborted()
      return reply('done', { usage: USAGE })
    })
    const engine = createEngine({ model, strategies: [strategyOf('own', calls(8))] })
    const started = await engine.start('a goal', { strategy: 'own', budget: { tokens: 12_000 } })
    await turns(5)
    const underWay = model.calls.length
    expect(underWay).toBeLessThan(8)
    await started.signal('1', 'cancel', 'enough')
    const outcome = await started.outcome
    expect(model.calls).toHaveLength(underWay)
    expect(outcome.usage.calls).toBe(underWay)
    expect(violations(await eventsOf(engine, started.id))).toEqual([])
    await engine.close()
  })
})

/** Steps at once, in one block. */
function calls(count: number) {
  return async (context: Context<never>) => {
    await context.all(Array.from({ length: count }, () => context.model(request(PROMPT))))
    return 'done'
  }
}

function fan(children: number) {
  return async (context: Context<never>) => {
    if (context.level === 1) return (await context.one(context.model(request(PROMPT)))).text
    const calls = Array.from({ length: children }, (_, i) => context.call(`child ${i + 1}`))
    const ends = await context.all(calls)
    const completed = ends.filter((end) => end.ok && (end.value as Outcome).status === 'completed')
    return `${completed.length} completed`
  }
}

/** A tree of calls, as wide on each level as is said, that asks the model at its leaves. */
function nested(widths: readonly number[]) {
  return async (context: Context<never>): Promise<string> => {
    const width = widths[context.level]
    if (width === undefined) return (await context.one(context.model(request(PROMPT)))).text
    await context.all(
      Array.from({ length: width }, (_, i) => context.call(`part ${i + 1} of ${context.path}`)),
    )
    return 'done'
  }
}

function fanOut(children: number, budget: Partial<Limits>) {
  return run(fan(children), budget, () => USAGE)
}

async function run(
  solve: Parameters<typeof strategyOf>[1],
  budget: Partial<Limits>,
  usage: (asked: { settings?: { maxOutputTokens?: number } }) => typeof USAGE,
): Promise<{ outcome: Outcome; journal: Event[] }> {
  const scripted = new ScriptedModel(async (asked) => {
    await turns(1)
    return reply('done', { usage: usage(asked) })
  })
  const model = {
    id: 'priced',
    call: scripted.call.bind(scripted),
    cost: (tokens: typeof USAGE) => (tokens.inputTokens + tokens.outputTokens) / 100_000,
  }
  const limits = { costUsd: 1e6, calls: 1e6, tokens: 1e9, ...budget }
  const engine = createEngine({ model, strategies: [strategyOf('own', solve)] })
  const started = await engine.start('a goal', { strategy: 'own', budget: limits })
  const outcome = await started.outcome
  const journal = await eventsOf(engine, started.id)
  await engine.close()
  return { outcome, journal }
}

async function eventsOf(engine: ReturnType<typeof createEngine>, id: string): Promise<Event[]> {
  return [...(await engine.events(id))]
}

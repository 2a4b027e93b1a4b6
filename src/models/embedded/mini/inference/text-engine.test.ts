import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { referenceOf } from '../../../../../tests/mini/reference.ts'
import { modelBytes } from '../../../../../tests/mini/write-model.ts'
import { repetitions } from '../../../../../tests/repetitions.ts'
import { decode, encode, LAST_TOKEN } from '../tokens.ts'
import type { Answer, Ask, CompleteAsk, Completion } from './ask.ts'
import { createTextEngine, type TextEngine } from './text-engine.ts'
import { readWeights } from './weights.ts'

const weights = readWeights(modelBytes(), 'random')
const SEED = Number(process.env.THINKON_PROPERTY_SEED ?? 20_261)

const complete = (prompt: string, more: Partial<CompleteAsk> = {}): CompleteAsk => ({
  type: 'complete',
  prompt,
  maxTokens: 12,
  stop: undefined,
  temperature: 0,
  topK: undefined,
  seed: 0,
  ...more,
})

/** All at once; the last answer to each. */
function answers(engine: TextEngine, asks: readonly Ask[]): Answer[] {
  const last: Answer[] = []
  asks.forEach((ask, i) => {
    engine.ask(ask, (answer) => {
      last[i] = answer
    })
  })
  while (engine.step());
  return last
}

function completions(engine: TextEngine, asks: readonly Ask[]): Completion[] {
  return answers(engine, asks).map((answer) => {
    if (answer.type !== 'completion') throw new Error(JSON.stringify(answer))
    return answer.completion
  })
}

describe('what is written', () => {
  it('is the likeliest text at temperature 0', () => {
    const reference = referenceOf(modelBytes())
    for (const prompt of ['T|(3+4)>', 'V|24|4 6>', 'W|Ann has 3 pens']) {
      const tokens = encode(prompt)
      for (let i = 0; i < 12; i++) {
        const logits = reference(tokens).slice(0, LAST_TOKEN + 1)
        tokens.push(logits.indexOf(Math.max(...logits.slice(2))))
      }
      const [completion] = completions(createTextEngine(weights), [complete(prompt)])
      const text = decode(tokens.slice(encode(prompt).length)).split('\n')[0]
      expect(completion?.text).toBe(text)
    }
  })

  it('is the same for the same seed, and another for another', () => {
    const seeded = (seed: number) => complete('T|(3+4)>', { temperature: 1, seed, maxTokens: 20 })
    const [one, two, three] = completions(createTextEngine(weights), [seeded(1), seeded(1), seeded(2)])
    expect(two?.text).toBe(one?.text)
    expect(three?.text).not.toBe(one?.text)
    expect(completions(createTextEngine(weights), [seeded(1)])[0]?.text).toBe(one?.text)
  })

  it('is drawn from the likeliest tokens only: of one, it is the likeliest text', () => {
    const [greedy] = completions(createTextEngine(weights), [complete('P|24|4 9>')])
    const drawn = [1, 2, 3].map((seed) => complete('P|24|4 9>', { temperature: 2, topK: 1, seed }))
    for (const { text } of completions(createTextEngine(weights), drawn)) expect(text).toBe(greedy?.text)
    const logits = referenceOf(modelBytes())(encode('P|24|4 9>')).slice(0, LAST_TOKEN + 1)
    const best = logits.map((logit, token) => ({ logit, token })).slice(2)
    const likeliest = best
      .sort((a, b) => b.logit - a.logit)
      .slice(0, 3)
      .map(({ token }) => decode([token]))
    const firsts = Array.from({ length: 60 }, (_, seed) =>
      complete('P|24|4 9>', { temperature: 3, topK: 3, seed, maxTokens: 1 }),
    )
    const seen = new Set(completions(createTextEngine(weights), firsts).map(({ text }) => text))
    expect([...seen].sort()).toEqual(likeliest.sort())
  })

  it('follows the probabilities', () => {
    const prompt = 'V|24|4 6>'
    const choices = [...'0123456789+-×()=;si']
    const [shares] = answers(createTextEngine(weights), [{ type: 'weigh', prompt, choices }])
    if (shares?.type !== 'shares') throw new Error('no shares')
    expect(shares.shares.reduce((a, b) => a + b)).toBeCloseTo(1, 6)
    const logits = referenceOf(modelBytes())(encode(prompt))
    const powers = choices.map((choice) => Math.exp(logits[encode(choice)[0] as number] as number))
    const total = powers.reduce((a, b) => a + b)
    powers.forEach((power, i) => {
      expect(shares.shares[i]).toBeCloseTo(power / total, 3)
    })
  })

  it('ends before the character that it is to stop at, at the end of a line, or at the most tokens', () => {
    const engine = createTextEngine(weights)
    const [whole] = completions(engine, [complete('T|(3+4)>', { temperature: 1, seed: 5, maxTokens: 30 })])
    const characters = [...(whole?.text ?? '')]
    const stop = characters.find((character, i) => i > 3 && characters.indexOf(character) === i)
    const [stopped, short, none] = completions(engine, [
      complete('T|(3+4)>', { temperature: 1, seed: 5, maxTokens: 30, stop }),
      complete('T|(3+4)>', { temperature: 1, seed: 5, maxTokens: 5 }),
      complete('T|(3+4)>', { maxTokens: 0 }),
    ])
    expect(stopped).toMatchObject({
      ended: 'stop',
      text: characters.slice(0, characters.indexOf(stop!)).join(''),
    })
    expect(short).toMatchObject({ ended: 'length', outputTokens: 5 })
    expect(none).toMatchObject({ ended: 'length', outputTokens: 0, text: '' })
  })

  it('ends where the context does', () => {
    const { context } = weights.shape
    const prompt = '1'.repeat(context - 3)
    const asks = ['', '1', '11', '111'].map((more) =>
      complete(prompt + more, { maxTokens: undefined, topK: 1 }),
    )
    const ended = completions(createTextEngine(weights), asks)
    expect(ended.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens)).toEqual(
      asks.map(() => context),
    )
    const [failed] = answers(createTextEngine(weights), [complete('1'.repeat(context + 1))])
    expect(failed).toMatchObject({
      type: 'failure',
      error: { code: 'CONTEXT_OVERFLOW', data: { window: context } },
    })
  })

  it('is refused if nothing is asked, or choices are not of one token', () => {
    const asks: Ask[] = [
      complete(''),
      { type: 'weigh', prompt: 'V|', choices: ['s', 'si'] },
      { type: 'weigh', prompt: 'V|', choices: ['é'] },
      { type: 'weigh', prompt: 'V|', choices: [''] },
      { type: 'weigh', prompt: 'V|', choices: [] },
    ]
    for (const answer of answers(createTextEngine(weights), asks))
      expect(answer).toMatchObject({ type: 'failure', error: { code: 'BAD_INPUT' } })
  })
})

describe('what is shared', () => {
  it('is computed once: a prompt for all samples, and what a later prompt begins with', () => {
    const engine = createTextEngine(weights)
    const prompt = 'P|24|4 9 10 13>'
    const samples = [1, 2, 3, 4].map((seed) => complete(prompt, { temperature: 1, seed, maxTokens: 1 }))
    const cached = completions(engine, samples).map(({ cachedTokens }) => cachedTokens)
    expect(cached.sort((a, b) => a - b)).toEqual([0, 15, 15, 15])
    expect(engine.computed).toBe(15)
    const [longer, other] = completions(engine, [
      complete(`${prompt}10-4`, { maxTokens: 1 }),
      complete('P|24|4 9 11>', { maxTokens: 1 }),
    ])
    expect(longer?.cachedTokens).toBe(15)
    expect(other?.cachedTokens).toBe(10)
    expect(engine.computed).toBe(15 + 4 + 2)
  })

  it('is forgotten when there is no room, what was left the longest ago first', () => {
    const engine = createTextEngine(weights, { positions: 64, rows: 4 })
    const ask = (prompt: string) => completions(engine, [complete(prompt, { maxTokens: 1 })])[0]?.cachedTokens
    const [a, b, c] = ['a', 'b', 'c'].map((letter) => letter.repeat(30)) as [string, string, string]
    expect([ask(a), ask(b), ask(a)]).toEqual([0, 0, 30])
    expect([ask(c), ask(a), ask(b)]).toEqual([0, 30, 0])
  })

  it('makes room for a text that is dropped in the middle', () => {
    const engine = createTextEngine(weights, { positions: 64, rows: 4 })
    const given: Answer[] = []
    const drop = engine.ask(complete('T|(3+4)>', { maxTokens: 56, temperature: 1 }), (answer) =>
      given.push(answer),
    )
    for (let i = 0; i < 6; i++) engine.step()
    drop()
    const soFar = given.length
    expect(soFar).toBeGreaterThan(0)
    expect(completions(engine, [complete('1'.repeat(60), { maxTokens: 4 })])[0]?.inputTokens).toBe(60)
    expect(given).toHaveLength(soFar)
    drop()
    expect(engine.step()).toBe(false)
  })
})

describe('a text', () => {
  const prompt = fc
    .array(fc.constantFrom('T|', 'P|24|', '(3+4)', '(21×4)', '7', '>', ' ', '鸡', 'x'), {
      minLength: 1,
      maxLength: 12,
    })
    .map((parts) => parts.join('').slice(0, 50))
  const ask = fc.record({
    prompt,
    maxTokens: fc.integer({ min: 0, max: 14 }),
    temperature: fc.constantFrom(0, 0.7, 1.5),
    topK: fc.constantFrom(undefined, 2, 40),
    seed: fc.integer({ min: 0, max: 5 }),
    /** The step before which it is asked. */
    at: fc.integer({ min: 0, max: 12 }),
    /** How many steps later it is dropped. */
    droppedAfter: fc.option(fc.integer({ min: 0, max: 8 }), { freq: 4 }),
  })
  const scenario = fc.record({
    asks: fc.array(ask, { minLength: 1, maxLength: 10 }),
    rows: fc.integer({ min: 1, max: 11 }),
    positions: fc.constantFrom(64, 100, 400),
  })

  it('is to the last bit what it is alone: whatever is asked beside it, in whatever pieces, after whatever else', () => {
    const logged = (
      engineOf: () => TextEngine,
      asks: (typeof scenario extends fc.Arbitrary<infer T> ? T : never)['asks'],
    ) => {
      const engine = engineOf()
      const last: (Answer | undefined)[] = asks.map(() => undefined)
      const drops: (() => void)[] = []
      for (let step = 0, busy = true; busy || step < 40; step++) {
        asks.forEach(({ at, droppedAfter, ...one }, i) => {
          if (at === step)
            drops[i] = engine.ask(complete(one.prompt, one), (answer) => {
              last[i] = answer
            })
          if (droppedAfter !== null && at + droppedAfter === step) drops[i]?.()
        })
        busy = engine.step()
      }
      return last
    }
    fc.assert(
      fc.property(scenario, ({ asks, rows, positions }) => {
        const together = logged(() => createTextEngine(weights, { rows, positions }), asks)
        asks.forEach(({ at: _, droppedAfter, ...one }, i) => {
          const mine = together[i]
          if (mine?.type !== 'completion') {
            expect(droppedAfter).not.toBeNull()
            return
          }
          const [alone] = completions(createTextEngine(weights, { rows: 1 }), [complete(one.prompt, one)])
          expect({ ...mine.completion, cachedTokens: 0 }).toEqual({ ...alone, cachedTokens: 0 })
        })
      }),
      { numRuns: repetitions(40, 2_000), seed: SEED },
    )
  })
})

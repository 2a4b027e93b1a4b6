import { expect, it } from 'vitest'
import type { ModelRequest } from '../protocol/index.ts'
import type { Model } from './model.ts'
import { DEFAULT_OUTPUT_TOKENS, modelReserve, partReserve, withCap } from './model-effect.ts'

const REQUEST: ModelRequest = { kind: 'test', version: 1, role: 'plan', messages: [] }

it('the cap is what the request asks for, else what is configured, else the default', () => {
  expect(capOf()).toBe(DEFAULT_OUTPUT_TOKENS)
  expect(capOf({}, { maxOutputTokens: 9_000 })).toBe(9_000)
  expect(capOf({ maxOutputTokens: 200 }, { maxOutputTokens: 9_000 })).toBe(200)
  expect(capOf({ maxOutputTokens: 200 })).toBe(200)
})

it('a request never gets more than is configured for its model', () => {
  expect(capOf({ maxOutputTokens: 1_000 }, { maxOutputTokens: 300 })).toBe(300)
})

it('by default a reply takes no more than a quarter of the window', () => {
  expect(capOf({}, { window: 8_000 })).toBe(2_000)
  expect(capOf({}, { window: 200_000 })).toBe(DEFAULT_OUTPUT_TOKENS)
})

it('other settings stay, and a request that has its cap stays as it is', () => {
  const capped = withCap({ ...REQUEST, settings: { temperature: 0 } }, modelOf({}))
  expect(capped.settings).toEqual({ temperature: 0, maxOutputTokens: DEFAULT_OUTPUT_TOKENS })
  expect(withCap(capped, modelOf({}))).toBe(capped)
})

it('the cap and what the model may think are reserved, and priced', () => {
  const model = modelOf({ maxOutputTokens: 500, thinkingTokens: 2_000, cost: (usage) => usage.outputTokens })
  expect(modelReserve(REQUEST, model, 0)).toEqual({ calls: 1, tokens: 2_500, costUsd: 2_500 })
})

it('a further request reserves its own cap, also if that is more than is configured', () => {
  const model = modelOf({ maxOutputTokens: 500, thinkingTokens: 2_000 })
  expect(partReserve({ ...REQUEST, settings: { maxOutputTokens: 1_000 } }, model)).toMatchObject({
    tokens: 3_000,
  })
})

function capOf(settings: ModelRequest['settings'] = {}, members: Partial<Model> = {}): number | undefined {
  return withCap({ ...REQUEST, settings }, modelOf(members)).settings?.maxOutputTokens
}

function modelOf(members: Partial<Model>): Model {
  return { id: 'test', call: () => Promise.reject(new Error('not called')), ...members }
}

it('counts a text by its characters where that is next to nothing of what is left, which is never too little', () => {
  const tokensOf = (content: string, tokensLeft: number, members: Partial<Model> = {}) => {
    const request = { ...REQUEST, messages: [{ role: 'user' as const, content }] }
    return modelReserve(request, modelOf(members), tokensLeft).tokens - DEFAULT_OUTPUT_TOKENS
  }
  const text = 'a'.repeat(900)
  expect(tokensOf(text, 1_000_000)).toBe(900)
  expect(tokensOf(text, 100_000)).toBe(300)
  expect(tokensOf(text, 1_000_000, { cost: () => 1 })).toBe(300)
  for (const written of ['einfach', 'größer', '数える', '🦦🦦'])
    expect(tokensOf(written, 1_000_000)).toBeGreaterThanOrEqual(tokensOf(written, 0))
})

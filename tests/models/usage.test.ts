import { afterEach, describe, expect, it } from 'vitest'
import { openModel } from '../../src/models/open-model.ts'
import { type FakeProvider, startFakeProvider } from './fake-provider.ts'
import { ask, testIo } from './model-io.ts'

let fake: FakeProvider | undefined
afterEach(async () => fake?.close())

const KEY = 'usage-test-key'

/** Each as its provider words it; all of them are 30 tokens of thinking and 12 of reply. */
const SPECS = {
  chat: (url: string) => ({ model: `${url}#fake` }),
  responses: (url: string) => ({ model: 'openai:gpt-5', baseURL: url, apiKey: KEY }),
  anthropic: (url: string) => ({ model: 'anthropic:claude-opus-5', baseURL: url, apiKey: KEY }),
  gemini: (url: string) => ({ model: 'google:gemini-2.5-pro', baseURL: url, apiKey: KEY }),
}

describe('what a model thought counts as output', () => {
  it.each<[name: string, spec: keyof typeof SPECS, usage: Record<string, unknown>]>([
    [
      'OpenAI chat completions: within the completion',
      'chat',
      {
        prompt_tokens: 100,
        completion_tokens: 42,
        total_tokens: 142,
        completion_tokens_details: { reasoning_tokens: 30 },
      },
    ],
    [
      'xAI: beside the completion, in the total',
      'chat',
      {
        prompt_tokens: 100,
        completion_tokens: 12,
        total_tokens: 142,
        completion_tokens_details: { reasoning_tokens: 30 },
      },
    ],
    [
      'beside the completion, and no total',
      'chat',
      { prompt_tokens: 100, completion_tokens: 12, completion_tokens_details: { reasoning_tokens: 30 } },
    ],
    [
      "Gemini's OpenAI protocol: only in the total",
      'chat',
      { prompt_tokens: 100, completion_tokens: 12, total_tokens: 142 },
    ],
    [
      'OpenAI responses: within the output',
      'responses',
      {
        input_tokens: 100,
        output_tokens: 42,
        output_tokens_details: { reasoning_tokens: 30 },
        total_tokens: 142,
      },
    ],
    [
      'Anthropic: within the output',
      'anthropic',
      { input_tokens: 100, output_tokens: 42, output_tokens_details: { thinking_tokens: 30 } },
    ],
    [
      'Gemini: apart',
      'gemini',
      { promptTokenCount: 100, candidatesTokenCount: 12, thoughtsTokenCount: 30, totalTokenCount: 142 },
    ],
  ])('%s', async (_, spec, rawUsage) => {
    fake = await startFakeProvider([{ text: 'Six.', rawUsage, usage: { input: 100, output: 42 } }])
    const { usage } = await (await openModel(SPECS[spec](fake.url))).call(ask('4 + 2?'), testIo())
    expect(usage).toMatchObject({ inputTokens: 100, outputTokens: 42 })
  })

  it('AI SDK 5: the total has it', async () => {
    const usage = { inputTokens: 100, outputTokens: 12, reasoningTokens: 30, totalTokens: 142 }
    const model = await openModel({
      model: {
        specificationVersion: 'v2',
        provider: 'google.generative-ai',
        modelId: 'gemini-2.5-pro',
        doGenerate: async () => ({
          content: [{ type: 'text', text: 'Six.' }],
          finishReason: 'stop',
          usage,
          warnings: [],
        }),
        doStream: () => Promise.reject(new Error('Not implemented')),
      },
    })
    expect((await model.call(ask('?'), testIo())).usage).toMatchObject({ inputTokens: 100, outputTokens: 42 })
  })
})

describe('a server that does not count', () => {
  it.each([
    ['says nothing', null, undefined],
    ['says 0', { input: 0, output: 0 }, undefined],
    ['says nothing of substance', { input: 0, output: 0 }, {}],
  ])('and %s: it is counted here, with what was thought', async (_, usage, rawUsage) => {
    const thinking = { text: 'Four and two, let me see. '.repeat(20), signature: '' }
    fake = await startFakeProvider([{ text: 'Six.', usage, thinking, ...(rawUsage && { rawUsage }) }])
    const reply = await (await openModel(SPECS.chat(fake.url))).call(ask('What is it?'), testIo())
    expect(reply.usageEstimated).toBe(true)
    expect(reply.usage.inputTokens).toBeGreaterThan(3)
    expect(reply.usage.outputTokens).toBeGreaterThan(100)
  })

  it('a reply that was cut off took its whole cap', async () => {
    fake = await startFakeProvider([{ usage: null, finish: 'length' }])
    const request = ask('?', { settings: { maxOutputTokens: 500 } })
    const reply = await (await openModel(SPECS.chat(fake.url))).call(request, testIo())
    expect(reply).toMatchObject({ cutOff: true, usageEstimated: true, usage: { outputTokens: 500 } })
  })
})

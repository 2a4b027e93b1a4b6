import { afterEach, describe, expect, it } from 'vitest'
import { createEngine, type EngineOptions } from '../../src/engine.ts'
import { estimateTokens } from '../../src/kernel/budget.ts'
import { DEFAULT_OUTPUT_TOKENS } from '../../src/kernel/model-effect.ts'
import type { Strategy } from '../../src/kernel/strategy.ts'
import type { EventOf, Limits, ModelSettings } from '../../src/protocol/index.ts'
import { type FakeProvider, type ProviderRequest, startFakeProvider } from './fake-provider.ts'

let fake: FakeProvider | undefined
afterEach(async () => fake?.close())

const QUESTION = 'What is four and two?'
const KEY = 'cap-test-key'

/** What the provider is told, by protocol. */
const PROTOCOLS = [
  {
    name: 'OpenAI chat completions',
    spec: (url: string) => ({ model: `${url}#fake` }),
    told: ({ body }: ProviderRequest) => body.max_tokens,
    thinking: 0,
  },
  {
    name: 'OpenAI responses',
    spec: (url: string) => ({ model: 'openai:gpt-5', baseURL: url, apiKey: KEY }),
    told: ({ body }: ProviderRequest) => body.max_output_tokens,
    thinking: 8_192,
  },
  {
    name: 'Anthropic messages',
    spec: (url: string) => ({ model: 'anthropic:claude-opus-4-5', baseURL: url, apiKey: KEY }),
    told: ({ body }: ProviderRequest) => body.max_tokens,
    thinking: 0,
  },
  {
    name: 'Gemini',
    spec: (url: string) => ({ model: 'google:gemini-2.5-pro', baseURL: url, apiKey: KEY }),
    told: ({ body }: ProviderRequest) =>
      (body.generationConfig as { maxOutputTokens?: number } | undefined)?.maxOutputTokens,
    thinking: 8_192,
  },
]

describe.each(PROTOCOLS)(
  '$name: what is reserved is what the provider is told',
  ({ spec, told, thinking }) => {
    it.each([
      ['the default', {}, {}, DEFAULT_OUTPUT_TOKENS, thinking],
      ['what the request asks for', { maxOutputTokens: 300 }, {}, 300, thinking],
      ['what is configured', {}, { maxOutputTokens: 700 }, 700, thinking],
      ['never more than is configured', { maxOutputTokens: 900 }, { maxOutputTokens: 700 }, 700, thinking],
      [
        'a configured allowance for thinking',
        {},
        { maxOutputTokens: 700, thinkingTokens: 1_000 },
        700,
        1_000,
      ],
    ])('%s', async (_, settings, config, cap, allowance) => {
      fake = await startFakeProvider([{ text: 'Six.' }])
      const { reserved } = await asking({ ...spec(fake.url), ...config }, settings)
      expect(told(fake.requests[0] as ProviderRequest)).toBe(cap + allowance)
      expect(reserved).toBe(cap + allowance)
    })
  },
)

it('the cap does not depend on what is left of the budget', async () => {
  fake = await startFakeProvider([{ text: 'Six.' }])
  await asking({ model: `${fake.url}#fake` }, {}, { tokens: 6_000 })
  expect(fake.requests[0]?.body.max_tokens).toBe(DEFAULT_OUTPUT_TOKENS)
})

/** Asks once in a run; what was reserved for the reply. */
async function asking(
  model: EngineOptions['model'] & object,
  settings: ModelSettings,
  budget: Partial<Limits> = {},
) {
  const strategy: Strategy = {
    name: 'one-ask',
    version: 1,
    options: (given) => given,
    async solve(context) {
      const messages = [{ role: 'user' as const, content: QUESTION }]
      const request = { kind: 'test/ask', version: 1, role: 'plan' as const, messages, settings }
      return (await context.one(context.model(request))).text
    },
  }
  const engine = createEngine({ model, strategies: [strategy] })
  try {
    const run = await engine.start('goal', { strategy: 'one-ask', budget })
    const outcome = await run.outcome
    let start: EventOf<'model-start'> | undefined
    for await (const event of run.events) if (event.type === 'model-start') start = event
    return { outcome, reserved: (start?.reserve.tokens ?? 0) - estimateTokens(QUESTION) }
  } finally {
    await engine.close()
  }
}

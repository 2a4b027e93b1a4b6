import { execFileSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MockLanguageModelV4 } from 'ai/test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { startFakeProvider } from '../../tests/models/fake-provider.ts'
import { ask, testIo } from '../../tests/models/model-io.ts'
import type { Model } from '../kernel/model.ts'
import { orMissing } from '../kernel/optional-package.ts'
import { openModel } from './open-model.ts'

afterEach(() => vi.unstubAllEnvs())

const USAGE_V4 = {
  inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 2, text: 2, reasoning: 0 },
}

function moduleFile(source: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'thinkon-module-')), 'model.mjs')
  writeFileSync(file, source)
  return `module:${file}`
}

const OWN = `{ id: 'own', call: async () => ({ text: 'own', usage: { inputTokens: 1, outputTokens: 1 } }) }`
const SDK_V2 = `{
  specificationVersion: 'v2', provider: 'mine.chat', modelId: 'm-1', supportedUrls: {},
  async doGenerate({ prompt }) {
    return {
      content: [{ type: 'text', text: prompt.at(-1).content[0].text.toUpperCase() }],
      finishReason: 'stop', usage: { inputTokens: 3, outputTokens: 2 }, warnings: [],
    }
  },
}`

describe('module:', () => {
  it.each([
    ['our model', `export default ${OWN}`, 'own', 'own'],
    ['a function that makes one', `export default async () => (${OWN})`, 'own', 'own'],
    [
      'an AI SDK language model, also an older one that can not stream',
      `export default ${SDK_V2}`,
      'mine:m-1',
      'HELLO',
    ],
    ['a function that makes an AI SDK model', `export default () => (${SDK_V2})`, 'mine:m-1', 'HELLO'],
  ])('takes %s', async (_, source, id, text) => {
    const model = await openModel(moduleFile(source))
    expect(model.id).toBe(id)
    expect((await model.call(ask('hello'), testIo())).text).toBe(text)
  })

  it('refuses what is no model, and says what does not load', async () => {
    await expect(openModel(moduleFile('export default 5'))).rejects.toMatchObject({ code: 'NO_MODEL' })
    await expect(openModel(moduleFile('throw new Error("broken at Bearer abcdefgh12345")'))).rejects.toThrow(
      'broken at Bearer [redacted]',
    )
    await expect(openModel('module:./no-such-file.ts')).rejects.toMatchObject({ code: 'NO_MODEL' })
  })
})

it('takes an AI SDK language model object, and falls back to doGenerate when it does not stream', async () => {
  const mock = new MockLanguageModelV4({
    provider: 'mock.chat',
    modelId: 'm',
    doGenerate: async () => ({
      content: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'fine' },
      ],
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: USAGE_V4,
      warnings: [],
    }),
  })
  const model = await openModel(mock)
  const io = testIo()
  const reply = await model.call(ask('?'), io)
  expect(model.id).toBe('mock:m')
  expect(reply).toEqual({ text: 'fine', usage: { inputTokens: 3, outputTokens: 2 } })
  expect(io.deltas).toEqual(['fine'])
})

it('takes our model as it is, with a price where the configuration gives one', async () => {
  const own: Model = {
    id: 'own',
    call: async () => ({ text: '', usage: { inputTokens: 1, outputTokens: 1 } }),
  }
  expect(await openModel(own)).toBe(own)
  const priced = await openModel({ model: own, price: { input: 1, output: 2 } })
  expect(priced.cost?.({ inputTokens: 1_000_000, outputTokens: 1_000_000 })).toBe(3)
})

describe('specs', () => {
  it('says which there are when one is unknown', async () => {
    await expect(openModel('nobody:x')).rejects.toThrow(
      /can't use the model "nobody:x": it begins with "nobody:", which is unknown; there are openai:<model>/,
    )
    await expect(openModel('openai/gpt-5')).rejects.toThrow('did you mean "openai:gpt-5"?')
    await expect(openModel('module:')).rejects.toMatchObject({ code: 'NO_MODEL' })
    await expect(openModel('mcp:client')).rejects.toThrow('only thinkon mcp has one')
    await expect(openModel('mcp:other')).rejects.toThrow('it is not mcp:client')
  })

  it('asks for a key by its name, and takes it from the environment or the configuration', async () => {
    for (const name of ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN']) vi.stubEnv(name, '')
    for (const name of ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'])
      vi.stubEnv(name, '')
    await expect(openModel('openai:gpt-5')).rejects.toMatchObject({
      code: 'NO_MODEL',
      message:
        'openai:gpt-5 needs a key: set OPENAI_API_KEY in the environment, or apiKey in the configuration',
    })
    await expect(openModel('anthropic:claude-opus-5')).rejects.toThrow('set ANTHROPIC_API_KEY or')
    await expect(openModel('google:gemini-2.5-pro')).rejects.toThrow('set GOOGLE_GENERATIVE_AI_API_KEY or')
    await expect(openModel('openai:')).rejects.toThrow('names no model')
    vi.stubEnv('OPENAI_API_KEY', 'sk-from-the-environment')
    expect((await openModel('openai:gpt-5')).id).toBe('openai:gpt-5')
    expect((await openModel({ model: 'google:gemini-2.5-pro', apiKey: 'configured-key' })).cost).toBeDefined()
  })

  it('speaks to Ollama without a key, where OLLAMA_HOST says', async () => {
    const fake = await startFakeProvider([{ text: 'local' }])
    vi.stubEnv('OLLAMA_HOST', new URL(fake.url).host)
    const model = await openModel('ollama:llama3.2:1b')
    const reply = await model.call(ask('?'), testIo())
    await fake.close()
    expect(reply).toMatchObject({ text: 'local', usage: { costUsd: 0 } })
    expect(fake.requests[0]?.body.model).toBe('llama3.2:1b')
    expect(fake.requests[0]?.headers.authorization).toBeUndefined()
  })

  it('speaks to any address without a key, or with THINKON_API_KEY', async () => {
    const fake = await startFakeProvider(() => ({ text: 'fine' }))
    vi.stubEnv('THINKON_API_KEY', '')
    await (await openModel(`${fake.url}#org/model`)).call(ask('?'), testIo())
    vi.stubEnv('THINKON_API_KEY', 'key-for-the-address')
    await (await openModel(`${fake.url}#org/model`)).call(ask('?'), testIo())
    await fake.close()
    expect(fake.requests.map(({ body }) => body.model)).toEqual(['org/model', 'org/model'])
    expect(fake.requests.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      'Bearer key-for-the-address',
    ])
  })

  it('refuses an address without a model, or with a key in it, without repeating the key', async () => {
    await expect(openModel('http://127.0.0.1:1/v1')).rejects.toThrow('needs a model after #')
    for (const spec of ['https://me:my-password@host/v1#m', 'https://host/v1?api_key=my-password#m']) {
      const error = await openModel(spec).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'NO_MODEL', message: expect.stringContaining('THINKON_API_KEY') })
      expect(JSON.stringify(error)).not.toContain('my-password')
    }
  })

  it('says how to install a package that is missing', async () => {
    // In a process of its own: the test runner resolves imports in its own way.
    const code = `import('./src/models/open-model.ts').then(({ openModel }) => openModel('gguf:some.gguf'))
      .catch((error) => console.log(error.code, error.message))`
    expect(execFileSync(process.execPath, ['-e', code], { encoding: 'utf8' })).toBe(
      'NO_MODEL gguf:some.gguf needs the package node-llama-cpp: npm install node-llama-cpp\n',
    )
    const missing = Object.assign(new Error("Cannot find package '@ai-sdk/openai' imported from x"), {
      code: 'ERR_MODULE_NOT_FOUND',
    })
    const needed = (advice: string) => new Error(`openai:gpt-5 ${advice}`)
    const loading = orMissing('@ai-sdk/openai', () => Promise.reject(missing), needed)
    await expect(loading).rejects.toThrow(
      'openai:gpt-5 needs the package @ai-sdk/openai: npm install @ai-sdk/openai',
    )
    const broken = orMissing('@ai-sdk/openai', () => Promise.reject(new Error('broken')), needed)
    await expect(broken).rejects.toThrow('broken')
  })
})

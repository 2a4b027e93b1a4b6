import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { chooseModel, KEY_MODELS, type ModelSources } from './choose-model.ts'
import type { ThinkonConfig } from './config.ts'
import { configuredModels } from './configured-models.ts'
import { getJson, type LocalServer, probeServers } from './local-servers.ts'

const fromEnv = (name: string) => `\${${name}}`
const loaded = (config: ThinkonConfig) => ({
  config,
  source: 'thinkon.config.ts',
  path: '/w/thinkon.config.ts',
})
const answering =
  (...specs: string[]) =>
  async () => ({
    found: [{ name: 'Ollama', url: 'http://127.0.0.1:11434', specs } satisfies LocalServer],
    asked: [],
  })
const silent = async () => ({ found: [], asked: [] })
const own = { id: 'own', call: async () => ({ text: '', usage: { inputTokens: 0, outputTokens: 0 } }) }
const everything = {
  flag: 'openai:flag',
  recorded: 'openai:recorded',
  loaded: loaded({ model: 'openai:config' }),
  env: { THINKON_MODEL: 'openai:variable', OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k' },
  probe: answering('ollama:qwen'),
}
const { flag: _flag, ...noFlag } = everything
const { recorded: _recorded, ...noRecord } = noFlag
const { loaded: _loaded, ...noConfig } = noRecord

it.each<[what: string, sources: ModelSources, spec: string, why: string]>([
  ['the flag goes before all', everything, 'openai:flag', 'given with --model'],
  ['then what the run was begun with', noFlag, 'openai:recorded', 'as the run was begun'],
  ['then the configuration', noRecord, 'openai:config', 'from thinkon.config.ts'],
  ['then THINKON_MODEL', noConfig, 'openai:variable', 'from THINKON_MODEL'],
  [
    'a file of the flag is from here',
    { flag: 'module:m.ts' },
    `module:${process.cwd()}/m.ts`,
    'given with --model',
  ],
  [
    'so does the small language model',
    { flag: 'embedded:mini' },
    'embedded:mini',
    'given with --model; a small language model for arithmetic, often wrong',
  ],
  [
    'also when it is slowed down',
    { flag: 'embedded:mini#120' },
    'embedded:mini#120',
    'given with --model; a small language model for arithmetic, often wrong',
  ],
  [
    'an embedded one says what it is',
    { flag: 'embedded:x' },
    'embedded:x',
    'given with --model; not a language model',
  ],
  [
    'a model object of the configuration',
    { loaded: loaded({ model: own }), env: {} },
    'own',
    'from thinkon.config.ts',
  ],
  [
    'an entry of the configuration',
    { loaded: loaded({ model: { model: 'openai:e', seed: 1 } }), env: {} },
    'openai:e',
    'from thinkon.config.ts',
  ],
  [
    'several models',
    { flag: 'module:m.ts,replay:a,b.jsonl,openai:x', env: {} },
    `module:${process.cwd()}/m.ts,replay:${process.cwd()}/a,b.jsonl,openai:x`,
    'given with --model',
  ],
  [
    'several models of the configuration',
    { loaded: loaded({ model: ['openai:a', own, { model: 'openai:e', seed: 1 }] }), env: {} },
    'openai:a,own,openai:e',
    'from thinkon.config.ts',
  ],
  [
    'a configuration without a model',
    { loaded: loaded({ lang: 'en' }), env: { THINKON_MODEL: 'openai:v' } },
    'openai:v',
    'from THINKON_MODEL',
  ],
  [
    'a key of OpenAI first',
    { env: { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' }, probe: answering('ollama:q') },
    'openai:gpt-6.1-terra',
    'OPENAI_API_KEY is set',
  ],
  [
    'a key of Anthropic',
    { env: { ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k' } },
    'anthropic:claude-sonnet-5-5',
    'ANTHROPIC_API_KEY is set',
  ],
  [
    'a key of Google',
    { env: { GOOGLE_GENERATIVE_AI_API_KEY: 'k' } },
    'google:gemini-3.8-flash',
    'GOOGLE_GENERATIVE_AI_API_KEY is set',
  ],
  ['a key of Gemini', { env: { GEMINI_API_KEY: 'k' } }, 'google:gemini-3.8-flash', 'GEMINI_API_KEY is set'],
  [
    'an empty key is none',
    { env: { OPENAI_API_KEY: '', THINKON_MODEL: '' }, probe: answering('ollama:q') },
    'ollama:q',
    'a local server answers at http://127.0.0.1:11434',
  ],
  [
    'a server without a model is passed over',
    { env: {}, probe: answering() },
    'embedded:mini',
    'nothing else is configured; a small language model for arithmetic, often wrong',
  ],
  [
    'nothing at all',
    { env: {}, probe: silent },
    'embedded:mini',
    'nothing else is configured; a small language model for arithmetic, often wrong',
  ],
])('%s', async (_, sources, spec, why) => {
  expect(await chooseModel(sources)).toMatchObject({ spec, why })
})

it('does not look for servers when something else decides', async () => {
  const probe = () => Promise.reject(new Error('asked'))
  for (const sources of [everything, noFlag, noRecord, noConfig, { env: { OPENAI_API_KEY: 'k' } }])
    await expect(chooseModel({ ...sources, probe })).resolves.toBeDefined()
})

it('has the settings of the configuration where the same model is named', async () => {
  const model = { model: 'openai:x', temperature: 0.5 }
  expect((await chooseModel({ flag: 'openai:x', loaded: loaded({ model }) })).model).toBe(model)
  expect((await chooseModel({ recorded: 'openai:x', loaded: loaded({ model }) })).model).toBe(model)
  expect((await chooseModel({ flag: 'openai:y', loaded: loaded({ model }) })).model).toBe('openai:y')
})

it('has defaults that cost what is known', async () => {
  const { priceOf } = await import('../models/prices.ts')
  for (const { model } of KEY_MODELS)
    expect(priceOf(...(model.split(':') as [string, string])), model).toBeDefined()
})

it('asks servers without a key and reads their lists', async () => {
  const seen: IncomingMessage[] = []
  const server = createServer((request, response) => {
    seen.push(request)
    response.end(JSON.stringify({ models: [{ name: 'nomic-embed-text' }, { name: 'qwen3:8b' }, {}] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const env = {
    OLLAMA_HOST: `0.0.0.0:${port}`,
    OPENAI_API_KEY: 'sesame-opens',
    OLLAMA_API_KEY: 'sesame-opens',
  }
  // A busy machine may take longer than a user is to wait.
  const { found, asked } = await probeServers(env, (url) => getJson(url, 60_000))
  server.close()
  expect(found[0]).toEqual({ name: 'Ollama', url: `http://127.0.0.1:${port}`, specs: ['ollama:qwen3:8b'] })
  expect(asked).toHaveLength(3)
  expect(JSON.stringify(seen.map(({ url, headers }) => [url, headers]))).not.toContain('sesame')
})

it.each<[what: string, answer: unknown, specs: string[] | undefined]>([
  ['a list of models', { object: 'list', data: [{ id: 'org/m:1' }] }, ['http://127.0.0.1:8080/v1#org/m:1']],
  ['an empty list', { object: 'list', data: [] }, []],
  ['some other JSON', { data: [{ id: 'x' }] }, undefined],
  ['a text', 'hello', undefined],
  ['nothing', undefined, undefined],
  ['null', null, undefined],
])('takes for a server what answers with %s', async (_, answer, specs) => {
  const { found } = await probeServers({}, async (url) =>
    url.includes(':8080/v1/models') ? answer : undefined,
  )
  expect(found.find(({ name }) => name === 'llama.cpp')?.specs).toEqual(specs)
})

it('does not wait for servers that never answer, and asks nobody where that is switched off', async () => {
  const server = createServer(() => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { found } = await probeServers({ OLLAMA_HOST: `127.0.0.1:${(server.address() as AddressInfo).port}` })
  server.closeAllConnections()
  server.close()
  expect(found.some(({ name }) => name === 'Ollama')).toBe(false)
  expect(await probeServers({ THINKON_PROBE: 'off' })).toEqual({ found: [], asked: [] })
})

it.each<[what: string, config: ThinkonConfig, flag: string | undefined, expected: object]>([
  ['a bare spec stays one', { model: 'openai:a' }, undefined, { model: 'openai:a', models: {} }],
  [
    'a role has its own',
    { model: 'openai:a', models: { judge: 'openai:b' } },
    undefined,
    { model: 'openai:a', models: { judge: 'openai:b' } },
  ],
  [
    'a role has only settings',
    { model: { model: 'openai:a', baseURL: 'http://x' }, models: { judge: { seed: 0 } } },
    undefined,
    { models: { judge: { model: 'openai:a', baseURL: 'http://x', seed: 0 } } },
  ],
  [
    'a flag is the model of all roles',
    { models: { judge: { model: 'openai:b', temperature: 0 }, act: 'openai:c' } },
    'openai:f',
    { model: 'openai:f', models: { judge: { model: 'openai:f', temperature: 0 }, act: 'openai:f' } },
  ],
  [
    'a price',
    { model: 'openai:a', prices: { 'openai:a': { input: 1, output: 2 } } },
    undefined,
    { model: { model: 'openai:a', price: { input: 1, output: 2 } } },
  ],
  [
    'a price of its own',
    {
      model: { model: 'openai:a', price: { input: 9, output: 9 } },
      prices: { 'openai:a': { input: 1, output: 2 } },
    },
    undefined,
    { model: { price: { input: 9 } } },
  ],
  [
    'resilience, by provider and by model',
    {
      model: { model: 'openai:a', resilience: { idleMs: 3 } },
      resilience: { idleMs: 1, maxAttempts: 1, providers: { openai: { maxAttempts: 2 } } },
    },
    undefined,
    { model: { resilience: { idleMs: 3, maxAttempts: 2 } } },
  ],
  [
    'resilience of a host',
    { model: 'http://h:1/v1#m', resilience: { providers: { 'h:1': { maxConcurrent: 2 } } } },
    undefined,
    { model: { model: 'http://h:1/v1#m', resilience: { maxConcurrent: 2 } } },
  ],
  [
    'several models, each with what is set for it',
    {
      model: ['openai:a', { model: 'anthropic:b', apiKey: fromEnv('MY_KEY') }],
      models: { judge: { temperature: 0 }, plan: 'openai:c,ollama:d' },
      prices: { 'openai:a': { input: 1, output: 2 } },
    },
    undefined,
    {
      model: [
        { model: 'openai:a', price: { input: 1 } },
        { model: 'anthropic:b', apiKey: 'sesame' },
      ],
      models: {
        judge: [
          { model: 'openai:a', temperature: 0, price: { input: 1 } },
          { model: 'anthropic:b', temperature: 0 },
        ],
        plan: ['openai:c', 'ollama:d'],
      },
    },
  ],
  [
    'several models of the flag, for all roles',
    { models: { judge: ['openai:b', 'openai:c'], act: { temperature: 0 } } },
    'openai:f,http://h/v1#g',
    {
      model: ['openai:f', 'http://h/v1#g'],
      models: {
        judge: ['openai:f', 'http://h/v1#g'],
        act: [
          { model: 'openai:f', temperature: 0 },
          { model: 'http://h/v1#g', temperature: 0 },
        ],
      },
    },
  ],
  [
    'keys from the environment',
    {
      model: { model: 'openai:a', apiKey: fromEnv('MY_KEY'), headers: { a: `Bearer ${fromEnv('MY_KEY')}` } },
    },
    undefined,
    { model: { apiKey: 'sesame', headers: { a: 'Bearer sesame' } } },
  ],
])('gives the engine: %s', async (_, config, flag, expected) => {
  const chosen = await chooseModel({ flag, loaded: loaded(config), env: { OPENAI_API_KEY: 'k' } })
  expect(configuredModels(chosen, config, { MY_KEY: 'sesame' })).toMatchObject(expected)
})

it('says which variable is not set', async () => {
  const config: ThinkonConfig = {
    model: 'openai:a',
    models: { act: { model: 'openai:b', apiKey: fromEnv('MY_KEY') } },
  }
  const chosen = await chooseModel({ loaded: loaded(config) })
  expect(() => configuredModels(chosen, config, {})).toThrow(
    'models.act.apiKey needs the environment variable MY_KEY, which is not set',
  )
})

import { MockEmbeddingModelV4 } from 'ai/test'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type EmbeddingTrouble, startFakeEmbeddings, vectorOf } from '../../tests/models/fake-embeddings.ts'
import { embeddingName, embeddingOf, openEmbedding } from './open-embedding.ts'

afterEach(() => vi.unstubAllEnvs())

async function server(trouble?: EmbeddingTrouble) {
  const fake = await startFakeEmbeddings(trouble)
  onTestFinished(() => fake.close())
  return fake
}

const KITTEN = 'The kitten sleeps'

describe('an embedding by spec', () => {
  it('asks any address that speaks OpenAI’s protocol, with THINKON_API_KEY where there is one', async () => {
    const { url, requests } = await server()
    vi.stubEnv('THINKON_API_KEY', '')
    const { embed, embedName } = await openEmbedding(`${url}#org/small`)
    expect(await embed([KITTEN, 'An oak'])).toEqual([vectorOf(KITTEN), vectorOf('An oak')])
    vi.stubEnv('THINKON_API_KEY', 'key-for-the-address')
    await (await openEmbedding(`${url}#org/small`)).embed([KITTEN])
    expect(embedName).toBe(`${url}#org/small`)
    expect(requests.map(({ path, model, headers }) => [path, model, headers.authorization])).toEqual([
      ['/v1/embeddings', 'org/small', undefined],
      ['/v1/embeddings', 'org/small', 'Bearer key-for-the-address'],
    ])
  })

  it('asks Ollama where OLLAMA_HOST says, and OpenAI with its key', async () => {
    const { url, requests } = await server()
    vi.stubEnv('OLLAMA_HOST', new URL(url).host)
    vi.stubEnv('OPENAI_API_KEY', 'sk-from-the-environment')
    const ollama = await openEmbedding('ollama:nomic-embed-text')
    const openai = await openEmbedding({ model: 'openai:text-embedding-3-small', baseURL: url })
    expect(await ollama.embed([KITTEN])).toEqual([vectorOf(KITTEN)])
    expect(await openai.embed([KITTEN])).toEqual([vectorOf(KITTEN)])
    expect(requests.map(({ model, headers }) => [model, headers.authorization])).toEqual([
      ['nomic-embed-text', undefined],
      ['text-embedding-3-small', 'Bearer sk-from-the-environment'],
    ])
    vi.stubEnv('GEMINI_API_KEY', 'some-gemini-key')
    expect((await openEmbedding('google:gemini-embedding-001')).embedName).toBe('google:gemini-embedding-001')
  })

  it.each([
    ['openai:text-embedding-3-small', 'needs a key: set OPENAI_API_KEY in the environment'],
    ['google:gemini-embedding-001', 'set GOOGLE_GENERATIVE_AI_API_KEY or'],
    ['ollama:', 'names no model: write ollama:<model>'],
    ['anthropic:claude', 'can\'t use the embedding model "anthropic:claude": there are openai:<model>'],
    ['http://127.0.0.1:1/v1', 'needs a model after #'],
  ])('says what is wrong with %s', async (spec, said) => {
    for (const name of ['OPENAI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'])
      vi.stubEnv(name, '')
    const error = await openEmbedding(spec).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'NO_MODEL', message: expect.stringContaining(said) })
    // What is only begun tells the same, by its use.
    await expect(embeddingOf(spec).embed(['x'])).rejects.toThrow(said)
  })

  it('keeps keys out of what it tells and of what it sends', async () => {
    const { url, requests } = await server({ status: 401 })
    const apiKey = 'my-own-secret-key-42'
    const { embed } = await openEmbedding({ model: `${url}#m`, apiKey })
    const error = (await embed([`the key is ${apiKey}`]).catch((thrown: unknown) => thrown)) as Error
    expect(error).toMatchObject({ code: 'MODEL_OUTAGE', message: expect.stringContaining('401') })
    expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toContain(apiKey)
    expect(requests[0]?.headers.authorization).toBe(`Bearer ${apiKey}`)
    expect(requests[0]?.input).toEqual(['the key is [redacted]'])
    const inside = openEmbedding('https://me:my-password@host/v1#m').catch((thrown: unknown) => thrown)
    expect(JSON.stringify(await inside)).not.toContain('my-password')
  })

  it('gives up when the time is up, or when it is told to, and closes the connection', async () => {
    const fake = await server({ hang: true })
    const { embed } = await openEmbedding(`${fake.url}#m`, { timeoutMs: 50 })
    await expect(embed(['x'])).rejects.toThrow(`${fake.url}#m: no vectors within 0.05 s`)
    const patient = await openEmbedding(`${fake.url}#m`)
    const abort = new AbortController()
    // On a busy machine the time may be up before the first request is sent.
    const sent = fake.requests.length + 1
    const asked = patient.embed(['x'], abort.signal)
    await expect.poll(() => fake.requests.length).toBe(sent)
    abort.abort(new Error('enough'))
    await expect(asked).rejects.toThrow('enough')
    await expect.poll(() => fake.givenUp()).toBe(sent)
  })

  it('sends many texts in several requests, in their order, and of long ones the beginning', async () => {
    const { url, requests } = await server()
    const texts = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? 'a cat' : 'a car'))
    const { embed } = await openEmbedding(`${url}#m`)
    expect(await embed(texts)).toEqual(texts.map(vectorOf))
    expect(requests.map(({ input }) => input.length)).toEqual([32, 8])
    await embed(['x'.repeat(20_000)])
    expect(requests.at(-1)?.input[0]).toHaveLength(4_000)
  })
})

describe('an embedding as an object', () => {
  it('may be an AI SDK embedding model, which is asked for no more at once than it takes', async () => {
    const asked: string[][] = []
    const model = new MockEmbeddingModelV4({
      provider: 'mine',
      modelId: 'm',
      maxEmbeddingsPerCall: 2,
      doEmbed: async ({ values }) => {
        asked.push(values)
        return { embeddings: values.map(vectorOf), warnings: [] }
      },
    })
    const { embed, embedName } = await openEmbedding(model)
    expect(await embed(['a cat', 'a car', 'a tree'])).toEqual(['a cat', 'a car', 'a tree'].map(vectorOf))
    expect(asked).toEqual([['a cat', 'a car'], ['a tree']])
    expect(embedName).toBe('mine:m')
  })

  it('may be a function, with a name, and is not waited for when it does not heed the signal', async () => {
    const { embed } = await openEmbedding(async (texts: readonly string[]) => texts.map(vectorOf))
    expect(await embed([KITTEN])).toEqual([vectorOf(KITTEN)])
    expect(embeddingName(async () => [])).toBe('function')
    expect(embeddingName({ model: async () => [], name: 'mine' })).toBe('mine')
    const deaf = await openEmbedding(() => new Promise(() => {}), { timeoutMs: 20 })
    await expect(deaf.embed(['x'])).rejects.toThrow('function: no vectors within 0.02 s')
  })

  it.each([
    ['too few', []],
    ['none', undefined],
    ['no numbers', [['a']]],
    ['empty ones', [[]]],
  ])('is refused when what comes back is %s', async (_, vectors) => {
    const { embed } = await openEmbedding(async () => vectors as never)
    await expect(embed(['x'])).rejects.toMatchObject({
      code: 'MODEL_ERROR',
      message: expect.stringContaining('not a vector of numbers for each text'),
    })
  })

  it('is refused when it is none', async () => {
    await expect(openEmbedding({ model: 5 } as never)).rejects.toMatchObject({ code: 'NO_MODEL' })
  })
})

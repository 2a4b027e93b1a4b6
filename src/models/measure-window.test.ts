import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { measureOllama, measureWindow } from './measure-window.ts'
import { openModel } from './open-model.ts'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
  vi.unstubAllEnvs()
})

/** Answers these paths with JSON, everything else with 404; `requests` is what it was asked. */
async function serverWith(answers: Record<string, unknown>): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.push(`${request.method} ${path}${request.headers.authorization ? ' with a key' : ''}`)
    const answer = answers[path]
    if (answer === 'never') return
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

const owned = (owner: string) => ({ '/v1/models': { data: [{ id: 'm', owned_by: owner }] } })
const LLAMA_CPP = owned('llamacpp')
const LM_STUDIO = owned('organization_owner')

describe('a server that says the window', () => {
  it.each<[server: string, answers: Record<string, unknown>, window: number | undefined]>([
    ['llama.cpp', { ...LLAMA_CPP, '/props': { default_generation_settings: { n_ctx: 8_192 } } }, 8_192],
    [
      'vLLM',
      {
        '/v1/models': {
          data: [
            { id: 'other', max_model_len: 1 },
            { id: 'm', max_model_len: 32_768 },
          ],
        },
      },
      32_768,
    ],
    [
      'LM Studio',
      { ...LM_STUDIO, '/api/v0/models/m': { max_context_length: 131_072, loaded_context_length: 4_096 } },
      4_096,
    ],
    [
      'LM Studio before the model is loaded',
      { ...LM_STUDIO, '/api/v0/models/m': { max_context_length: 131_072 } },
      131_072,
    ],
    ['one that says nothing', { '/v1/models': { data: [{ id: 'm' }] } }, undefined],
    ['one with a page for people', { '/v1/models': '<html>' }, undefined],
    [
      'one that never answers',
      { '/props': 'never', '/v1/models': 'never', '/api/v0/models/m': 'never' },
      undefined,
    ],
  ])('%s', async (_, answers, window) => {
    const { url } = await serverWith(answers)
    expect(await measureWindow({ baseURL: `${url}/v1`, modelId: 'm' })).toBe(window)
  })

  const info = { model_info: { 'general.architecture': 'llama', 'llama.context_length': 131_072 } }
  it.each<[what: string, answers: Record<string, unknown>, window: number | undefined]>([
    [
      'the model file',
      { '/api/show': { ...info, parameters: 'stop "x"\nnum_ctx                        16384' } },
      16_384,
    ],
    [
      'the loaded model',
      { '/api/show': info, '/api/ps': { models: [{ name: 'm:latest', context_length: 4_096 }] } },
      4_096,
    ],
    ['the training', { '/api/show': info, '/api/ps': { models: [] } }, 131_072],
    ['nothing', {}, undefined],
  ])('Ollama, from %s', async (_, answers, window) => {
    const { url } = await serverWith(answers)
    expect(await measureOllama({ baseURL: `${url}/v1`, modelId: 'm' })).toBe(window)
  })
})

it('is asked once, when the model is opened, without a key', async () => {
  const { url, requests } = await serverWith({ ...LLAMA_CPP, '/props': { n_ctx: 6_000 } })
  const model = await openModel({ model: `${url}/v1#m`, apiKey: 'a-key-of-a-user' })
  expect(model.window).toBe(6_000)
  expect(requests.sort()).toEqual(['GET /props', 'GET /v1/models'])
})

it('is not asked if the configuration says the window, or probing is off, or the server is not local', async () => {
  const { url, requests } = await serverWith({ '/props': { n_ctx: 6_000 } })
  expect((await openModel({ model: `${url}/v1#m`, window: 9_000 })).window).toBe(9_000)
  vi.stubEnv('THINKON_PROBE', 'off')
  expect((await openModel(`${url}/v1#m`)).window).toBeUndefined()
  expect(requests).toEqual([])
  vi.stubEnv('THINKON_PROBE', '')
  const fetched = vi.spyOn(globalThis, 'fetch')
  expect(await measureWindow({ baseURL: 'https://models.example.com/v1', modelId: 'm' })).toBeUndefined()
  expect(fetched).not.toHaveBeenCalled()
  fetched.mockRestore()
})

it('a server that says nothing of itself is asked for its models only', async () => {
  const { url, requests } = await serverWith({ '/v1/models': { object: 'list', data: [{ id: 'm' }] } })
  expect(await measureWindow({ baseURL: `${url}/v1`, modelId: 'm' })).toBeUndefined()
  expect(requests).toEqual(['GET /v1/models'])
})

// What servers say when something is wrong, told in their own words.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import { openModel } from '../../src/models/open-model.ts'
import { ThinkonError } from '../../src/protocol/index.ts'
import { type FakeProvider, startFakeProvider } from './fake-provider.ts'
import { ask, testIo } from './model-io.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function provider(...given: Parameters<typeof startFakeProvider>): Promise<FakeProvider> {
  const fake = await startFakeProvider(...given)
  closers.push(() => fake.close())
  return fake
}

/** Answers every POST so; `posts` counts them. */
async function serverWith(answer: (response: ServerResponse, request: IncomingMessage) => void) {
  const asked = { posts: 0 }
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(404).end()
    asked.posts++
    request.resume().on('end', () => answer(response, request))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked }
}

const apiKey = 'server-words-test-key'
const PROTOCOLS = {
  chat: (url: string) => ({ model: `${url}#fake` }),
  responses: (url: string) => ({ model: 'openai:gpt-5', baseURL: url, apiKey }),
  anthropic: (url: string) => ({ model: 'anthropic:claude-opus-4-5', baseURL: url, apiKey }),
  google: (url: string) => ({ model: 'google:gemini-2.5-pro', baseURL: url, apiKey }),
}
const ONCE = { resilience: { maxAttempts: 1 } }

async function errorOf(spec: object, request = ask('What now?')): Promise<ThinkonError> {
  const model = await openModel({ ...spec, ...ONCE } as never)
  const thrown = await model.call(request, testIo()).catch((error: unknown) => error)
  if (!ThinkonError.isInstance(thrown)) throw new Error('no ThinkonError', { cause: thrown })
  return thrown
}

describe('a request that is too long for the model', () => {
  const message = (text: string, more: object = {}) => ({ error: { message: text, ...more } })
  it.each<
    [
      server: string,
      protocol: keyof typeof PROTOCOLS,
      status: number,
      body: unknown,
      window: number | undefined,
    ]
  >([
    [
      'OpenAI',
      'responses',
      400,
      message(
        'Your input exceeds the context window of this model. Please adjust your input and try again.',
        {
          code: 'context_length_exceeded',
        },
      ),
      undefined,
    ],
    [
      'OpenAI chat',
      'chat',
      400,
      message(
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130412 tokens.",
        { code: 'context_length_exceeded' },
      ),
      128_000,
    ],
    [
      'Anthropic',
      'anthropic',
      400,
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'prompt is too long: 212345 tokens > 200000 maximum',
        },
      },
      200_000,
    ],
    [
      'Anthropic, with the reply',
      'anthropic',
      400,
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message:
            'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again',
        },
      },
      200_000,
    ],
    [
      'Gemini',
      'google',
      400,
      message('The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', {
        status: 'INVALID_ARGUMENT',
        code: 400,
      }),
      1_048_576,
    ],
    [
      'llama.cpp',
      'chat',
      400,
      message('request (5012 tokens) exceeds the available context size (4096 tokens), try increasing it', {
        type: 'exceed_context_size_error',
        n_prompt_tokens: 5_012,
        n_ctx: 4_096,
      }),
      4_096,
    ],
    [
      'llama.cpp before',
      'chat',
      500,
      message(
        'the request exceeds the available context size. try increasing the context size or enable context shift',
      ),
      undefined,
    ],
    ['Ollama', 'chat', 400, { error: 'the input length exceeds the context length' }, undefined],
    [
      'vLLM',
      'chat',
      400,
      {
        object: 'error',
        message:
          "This model's maximum context length is 4096 tokens. However, you requested 5096 tokens (4096 in the messages, 1000 in the completion).",
        code: 400,
      },
      4_096,
    ],
    [
      'vLLM now',
      'chat',
      400,
      message('The decoder prompt (length 5000) is longer than the maximum model length of 4096.'),
      4_096,
    ],
    [
      'LM Studio',
      'chat',
      400,
      {
        error:
          'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens.',
      },
      4_096,
    ],
    [
      'Mistral',
      'chat',
      400,
      {
        message:
          'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      },
      32_768,
    ],
    [
      'xAI',
      'chat',
      400,
      { error: "This model's maximum prompt length is 131072 but the request contains 150000 tokens." },
      131_072,
    ],
    [
      'text-generation-inference',
      'chat',
      422,
      {
        error:
          'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`',
      },
      4_096,
    ],
    [
      'Groq',
      'chat',
      400,
      message('Please reduce the length of the messages or completion.', { code: 'context_length_exceeded' }),
      undefined,
    ],
  ])('is CONTEXT_OVERFLOW at %s', async (_, protocol, status, body, window) => {
    const { url, requests } = await provider(() => ({ status, body }))
    const error = await errorOf(PROTOCOLS[protocol](url))
    expect(error).toMatchObject({ code: 'CONTEXT_OVERFLOW', retryable: false })
    expect(error.data.window).toBe(window)
    const { error: inner = body } = body as { error?: unknown }
    const said = typeof inner === 'string' ? inner : (inner as { message: string }).message
    expect(error.message).toContain(said.slice(0, 60))
    expect(requests).toHaveLength(1)
  })

  it('in the middle of a stream, too', async () => {
    const said = "This model's maximum context length is 4096 tokens."
    const { url } = await provider(() => ({
      text: 'four and two',
      streamError: { type: 'invalid_request_error', message: said },
    }))
    const error = await errorOf(PROTOCOLS.chat(url))
    expect(error).toMatchObject({ code: 'CONTEXT_OVERFLOW', data: { window: 4_096 } })
  })

  it.each([
    [
      'a limit of tokens per minute',
      429,
      'Request too large for model on tokens per minute (TPM): Limit 6000, Requested 9000',
    ],
    [
      'a reply that may not be so long',
      400,
      'max_tokens is too large: 200000. This model supports at most 16384 completion tokens',
    ],
  ])('%s is something else', async (_, status, text) => {
    const { url } = await provider(() => ({ status, body: { error: { message: text } } }))
    expect((await errorOf(PROTOCOLS.chat(url))).code).not.toBe('CONTEXT_OVERFLOW')
  })

  it('is not sent again: the model remembers what it learned', async () => {
    const long = 'word '.repeat(6_000)
    const { url, requests } = await provider(({ body }) =>
      JSON.stringify(body).length > 10_000
        ? { status: 400, body: { error: { message: 'prompt is too long: 6000 tokens > 4000 maximum' } } }
        : { text: 'fine' },
    )
    const model = await openModel({ ...PROTOCOLS.chat(url), ...ONCE })
    const call = (text: string) => model.call(ask(text), testIo())
    await expect(call(long)).rejects.toMatchObject({ code: 'CONTEXT_OVERFLOW', data: { status: 400 } })
    await expect(call(long)).rejects.toMatchObject({
      code: 'CONTEXT_OVERFLOW',
      retryable: false,
      data: { window: 4_000 },
      message: expect.stringMatching(/window of 4000 tokens: it was not sent/),
    })
    await expect(call('word '.repeat(4_500))).rejects.toThrow('it was not sent')
    expect(requests).toHaveLength(1)
    expect((await call('word '.repeat(1_500))).text).toBe('fine')
  })

  it('teaches only what is certain, where the server gives no figures', async () => {
    const { url, requests } = await provider(({ body }) =>
      JSON.stringify(body).length > 20_000
        ? { status: 400, body: { error: 'the input length exceeds the context length' } }
        : { text: 'fine' },
    )
    const model = await openModel({ ...PROTOCOLS.chat(url), ...ONCE })
    const call = (words: number) => model.call(ask('word '.repeat(words)), testIo())
    await expect(call(6_000)).rejects.toMatchObject({ code: 'CONTEXT_OVERFLOW' })
    await expect(call(6_000)).rejects.toThrow('it was not sent')
    await expect(call(5_000)).rejects.toMatchObject({ code: 'CONTEXT_OVERFLOW', data: { status: 400 } })
    expect((await call(3_000)).text).toBe('fine')
    expect(requests).toHaveLength(3)
  })
})

describe.each(['chat', 'responses', 'anthropic', 'google'] as const)(
  'a server of %s that answers 200 with',
  (protocol) => {
    it('an error', async () => {
      const { url } = await serverWith((response) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end('{"error":{"message":"the GPU is on fire","code":503}}'),
      )
      const error = await errorOf(PROTOCOLS[protocol](url))
      expect(error.message).toMatch(/503 the server reported an error: the GPU is on fire/)
      expect(error.data.status).toBe(503)
    })

    it('a login page', async () => {
      const page =
        '<!DOCTYPE html><html><head><title>Sign in - Example Corp</title><style>b{}</style><script>go()</script></head><body>Your session has expired.</body></html>'
      const { url, asked } = await serverWith((response) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end(page),
      )
      const error = await errorOf(PROTOCOLS[protocol](url))
      expect(error).toMatchObject({ code: 'MODEL_OUTAGE', retryable: false })
      expect(error.message).toMatch(
        /a web page instead of a reply: Sign in - Example Corp Your session has expired\./,
      )
      expect(error.message).not.toMatch(/go\(\)|<title>/)
      expect(asked.posts).toBe(1)
    })

    it('nothing', async () => {
      const { url } = await serverWith((response) => response.writeHead(200).end())
      expect((await errorOf(PROTOCOLS[protocol](url))).message).toContain('the server sent an empty reply')
    })

    it('a text that is no reply', async () => {
      const { url } = await serverWith((response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"detail":"no such route"}'),
      )
      expect((await errorOf(PROTOCOLS[protocol](url))).message).toContain('no such route')
    })
  },
)

describe('a server that ignores "stream"', () => {
  it.each(['chat', 'responses', 'anthropic'] as const)('is read as it answers, over %s', async (protocol) => {
    const answers = {
      chat: {
        choices: [{ index: 0, message: { role: 'assistant', content: 'four' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
      },
      responses: {
        id: 'r',
        created_at: 1,
        model: 'fake',
        output: [
          {
            type: 'message',
            id: 'm',
            role: 'assistant',
            content: [{ type: 'output_text', text: 'four', annotations: [] }],
          },
        ],
        usage: { input_tokens: 7, output_tokens: 3 },
      },
      anthropic: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'fake',
        content: [{ type: 'text', text: 'four' }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: 7, output_tokens: 3 },
      },
    }
    const { url, asked } = await serverWith((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answers[protocol])),
    )
    const model = await openModel({ ...PROTOCOLS[protocol](url), ...ONCE })
    const io = testIo()
    const reply = await model.call(ask('2 + 2?'), io)
    expect(reply).toMatchObject({ text: 'four', usage: { inputTokens: 7, outputTokens: 3 } })
    expect(io.deltas.join('')).toBe('four')
    expect(asked.posts).toBe(1)
  })

  it('may call tools, and answer concurrent calls', async () => {
    const { url, asked } = await serverWith((response) => {
      const call = { id: 'c', type: 'function', function: { name: 'look', arguments: '{"at":"here"}' } }
      const message = { role: 'assistant', content: null, tool_calls: [call] }
      response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }))
    })
    const model = await openModel({ ...PROTOCOLS.chat(url), ...ONCE })
    const tools = [{ name: 'look', description: 'looks', schema: {} }]
    const replies = await Promise.all([1, 2, 3].map(() => model.call(ask('?', { tools }), testIo())))
    for (const { toolCalls } of replies)
      expect(toolCalls).toEqual([{ id: 'c', name: 'look', input: { at: 'here' } }])
    expect(asked.posts).toBe(3)
  })
})

it('a stream with another content type, and white space before it, is a stream', async () => {
  const { url } = await serverWith((response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    response.write('\n\n')
    const chunk = { choices: [{ index: 0, delta: { content: 'four' }, finish_reason: 'stop' }] }
    response.end(`: a comment\n\ndata: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
  })
  const model = await openModel({ ...PROTOCOLS.chat(url), ...ONCE })
  expect((await model.call(ask('2 + 2?'), testIo())).text).toBe('four')
})

describe('Ollama, which drops what does not fit without a word', () => {
  async function ollama(window: number) {
    let chats = 0
    const chunk = { choices: [{ index: 0, delta: { content: 'four' }, finish_reason: 'stop' }] }
    const server = createServer((request, response) => {
      if (request.url === '/api/ps')
        return void response.end(
          JSON.stringify({ models: chats === 0 ? [] : [{ name: 'm:latest', context_length: window }] }),
        )
      if (request.url === '/api/show')
        return void response.end(JSON.stringify({ model_info: { 'llama.context_length': 131_072 } }))
      chats++
      request.resume().on('end', () => response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closers.push(() => {
      server.close()
      server.closeAllConnections()
    })
    const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    const model = await openModel({ model: 'ollama:m', baseURL, ...ONCE })
    return { model, chats: () => chats }
  }

  it('is found out after the first long request', async () => {
    const { model, chats } = await ollama(4_096)
    expect(model.window).toBe(131_072)
    expect((await model.call(ask('2 + 2?'), testIo())).text).toBe('four')
    const long = ask('word '.repeat(6_000))
    await expect(model.call(long, testIo())).rejects.toMatchObject({
      code: 'CONTEXT_OVERFLOW',
      retryable: false,
      data: { window: 4_096 },
      message: expect.stringContaining('OLLAMA_CONTEXT_LENGTH'),
    })
    await expect(model.call(long, testIo())).rejects.toThrow('it was not sent')
    expect(chats()).toBe(2)
    expect((await model.call(ask('word '.repeat(2_000)), testIo())).text).toBe('four')
  })

  it('is fine where the window is large enough', async () => {
    const { model } = await ollama(32_768)
    expect((await model.call(ask('word '.repeat(6_000)), testIo())).text).toBe('four')
  })
})

it('in a run, a request that is too long is fitted anew into the window that the server told', async () => {
  const sizes: number[] = []
  const { url } = await provider(({ body }) => {
    const tokens = Math.ceil(JSON.stringify(body.messages).length / 5)
    sizes.push(tokens)
    if (tokens > 9_000) {
      const text = `This model's maximum context length is 9000 tokens. However, your messages resulted in ${tokens} tokens.`
      return { status: 400, body: { error: { message: text } } }
    }
    return sizes.length === 1
      ? { calls: [{ name: 'look', input: '{}' }] }
      : { text: '{"type":"RETURN","description":"seen"}' }
  })
  const look = {
    name: 'look',
    description: 'looks',
    access: 'read' as const,
    run: async () => 'word '.repeat(14_000),
  }
  const engine = createEngine({ model: { ...PROTOCOLS.chat(url), ...ONCE }, tools: [look] })
  const run = await engine.start('look and tell', { strategy: 'fractal' })
  expect(await run.outcome).toMatchObject({ status: 'completed', result: 'seen' })
  await engine.close()
  expect(sizes).toHaveLength(3)
  expect(sizes[1]).toBeGreaterThan(9_000)
  expect(sizes[2]).toBeLessThan(9_000)
})

it('a slow server that only shows that it lives is waited for', async () => {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  const { url, asked } = await serverWith((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    let beats = 0
    const timer = setInterval(() => {
      if (++beats <= 40) return void response.write(chunk({ content: '' }))
      clearInterval(timer)
      response.end(`${chunk({ content: 'at last' })}${chunk({}, 'stop')}data: [DONE]\n\n`)
    }, 100)
  })
  // The pause between two beats is far below the limit, all of them together are above it.
  const model = await openModel({ model: `${url}#fake`, resilience: { maxAttempts: 1, idleMs: 3_000 } })
  expect((await model.call(ask('What now?'), testIo())).text).toBe('at last')
  expect(asked.posts).toBe(1)
})

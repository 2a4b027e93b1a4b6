/** OpenAI's protocol with OpenAI's own client, over loopback, in front of a real service. */
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import OpenAI, { APIError } from 'openai'
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions'
import { afterEach, expect, it, vi } from 'vitest'
import { createEngine } from '../../engine.ts'
import type { ModelIo } from '../../kernel/model.ts'
import { type ModelRequest, messageText, ThinkonError } from '../../protocol/index.ts'
import { manualClock, reply, ScriptedModel } from '../../testing/index.ts'
import type { Token } from '../http/access.ts'
import { serviceApp } from '../http/app.ts'
import { limitsOf } from '../http/limits.ts'
import { createService, type ServiceOptions } from '../service.ts'
import { type OpenAiOptions, openaiMount } from './app.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const WAIT = { timeout: 60_000, interval: 10 }
const TOKEN = 'a-token-for-this-test'

type Script = readonly unknown[] | ((request: ModelRequest, io: ModelIo) => unknown)

/** Another test of the same process may have made it look like a browser. */
function clientOf(baseURL: string, apiKey: string): OpenAI {
  return new OpenAI({ baseURL, apiKey, maxRetries: 0, dangerouslyAllowBrowser: true })
}

async function served(
  script: Script,
  {
    store = ':memory:',
    tokens = [],
    ...options
  }: OpenAiOptions & {
    store?: string
    tokens?: readonly Token[]
    service?: Partial<ServiceOptions>
    clock?: ReturnType<typeof manualClock>
  } = {},
) {
  const scripted = new ScriptedModel(script as never)
  const engine = createEngine({ model: scripted, store, ...(options.clock && { clock: options.clock }) })
  const service = createService({
    engineFor: () => engine,
    models: ['scripted', 'other'],
    defaults: { strategy: 'minimal' },
    onProblem: () => {},
    ...options.service,
  })
  await service.open()
  const app = serviceApp(service, {
    tokens: [TOKEN, ...tokens],
    mounts: { '/v1': openaiMount(service, options) },
  })
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
  await vi.waitFor(() => expect(server.address()).not.toBeNull(), WAIT)
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  let isClosed = false
  const close = async () => {
    if (isClosed) return
    isClosed = true
    await service.close()
    if ('closeAllConnections' in server) server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  ends.push(close)
  const client = clientOf(baseURL, TOKEN)
  const raw = (path: string, body: string) =>
    fetch(`${baseURL}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body,
    })
  return { client, service, scripted, raw, close, baseURL, app }
}

const usage = (inputTokens: number, outputTokens: number) => ({ usage: { inputTokens, outputTokens } })
const done = (result: string) => reply({ do: 'return', result }, usage(10, 5))
const plan = reply({ do: 'plan', todo: ['boil water', 'brew'] }, usage(3, 1))
const ask = (...cities: readonly string[]) =>
  reply({ do: 'tool', calls: cities.map((city) => ({ name: 'weather', input: { city } })) }, usage(7, 3))
const textIn = ({ messages }: ModelRequest) => messages.map(messageText).join('\n')
const model = 'thinkon/minimal'
const user = (content: string): ChatCompletionMessageParam => ({ role: 'user', content })

const weather = {
  name: 'weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}
const tools: ChatCompletionTool[] = [{ type: 'function', function: weather }]

/** A model that never answers, and says when it is stopped. */
function never() {
  const asked = Promise.withResolvers<void>()
  let stopped = 0
  const script = (_: ModelRequest, { signal }: ModelIo) => {
    asked.resolve()
    return new Promise((_, reject) =>
      signal.addEventListener('abort', () => {
        stopped++
        reject(signal.reason)
      }),
    )
  }
  return { script, asked: asked.promise, stopped: () => stopped }
}

it('lists each strategy as a model', async () => {
  const { client } = await served([])
  const names: string[] = []
  for await (const { id } of client.models.list()) names.push(id)
  expect(names).toEqual(expect.arrayContaining(['thinkon/tot', 'thinkon/auto', 'thinkon/tot@other']))
  expect(await client.models.retrieve('thinkon/tot')).toMatchObject({
    id: 'thinkon/tot',
    owned_by: 'thinkon',
  })
})

it('completes a chat: the answer, what was thought, the usage of the whole tree', async () => {
  const { client, scripted, service } = await served([plan, done('A cup of tea.')])
  const completion = await client.chat.completions.create({
    model,
    messages: [{ role: 'system', content: 'Be brief.' }, user('make tea')],
    seed: 7,
    temperature: 0,
    max_tokens: 5,
  })
  const [choice] = completion.choices
  expect(choice).toMatchObject({
    finish_reason: 'stop',
    message: { role: 'assistant', content: 'A cup of tea.' },
  })
  expect(choice?.message).toHaveProperty('reasoning_content', expect.stringContaining('boil water\nbrew'))
  expect(completion.usage).toMatchObject({ prompt_tokens: 13, completion_tokens: 6, total_tokens: 19 })
  expect(scripted.calls[0]?.input).toHaveProperty(
    'goal',
    'make tea\n\nInstructions for the whole conversation:\nBe brief.',
  )
  const [row] = await service.engine.list()
  expect(completion).toMatchObject({
    model,
    id: `chatcmpl-${row?.id}`,
    thinkon: { run: row?.id, status: 'completed' },
  })
})

it('streams reasoning, then the answer, then the usage', async () => {
  const { client } = await served([
    plan,
    reply(
      { do: 'return', result: 'A cup of tea.' },
      { deltas: ['{"do":"return","result":"A cup', ' of tea."}'] },
    ),
  ])
  const stream = await client.chat.completions.create({
    model,
    messages: [user('make tea')],
    stream: true,
    stream_options: { include_usage: true },
  })
  let [text, reasoning] = ['', '']
  const kinds: string[] = []
  const finished: (string | null)[] = []
  for await (const { choices, usage: spent } of stream) {
    const { delta, finish_reason: finish } = choices[0] ?? {}
    const thought = (delta as { reasoning_content?: string } | undefined)?.reasoning_content
    reasoning += thought ?? ''
    text += delta?.content ?? ''
    if (finish) finished.push(finish)
    kinds.push(thought ? 'reasoning' : delta?.content ? 'text' : spent ? 'usage' : '')
  }
  expect(text).toBe('A cup of tea.')
  expect(reasoning).toContain('boil water\nbrew')
  expect(finished).toEqual(['stop'])
  expect(kinds.lastIndexOf('reasoning')).toBeLessThan(kinds.indexOf('text'))
  expect(kinds.at(-1)).toBe('usage')
})

it("goes on with the run when the client's tools have given their results, several at once", async () => {
  const { client, service } = await served([
    ask('Oslo', 'Rome'),
    (request: ModelRequest) =>
      done(['snow', 'sun'].filter((word) => textIn(request).includes(word)).join(' and ')),
  ])
  const messages = [user('Compare the weather')]
  const first = await client.chat.completions.create({ model, messages, tools })
  const asked = first.choices[0]?.message
  expect(first.choices[0]?.finish_reason).toBe('tool_calls')
  const calls = asked?.tool_calls ?? []
  expect(calls.map((call) => call.type === 'function' && JSON.parse(call.function.arguments))).toEqual([
    { city: 'Oslo' },
    { city: 'Rome' },
  ])
  if (asked === undefined) throw new Error('there is no message')
  const results = calls.map(
    ({ id }, i): ChatCompletionMessageParam => ({
      role: 'tool',
      tool_call_id: id,
      content: ['snow', 'sun'][i] ?? '',
    }),
  )
  const next = () =>
    client.chat.completions.create({ model, messages: [...messages, asked, ...results], tools })
  // Sent twice at once, and once more when all is over: the same answer, and the model was asked once.
  const answers = [...(await Promise.all([next(), next()])), await next()]
  for (const { choices, usage: spent } of answers) {
    expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'snow and sun' } })
    expect(spent).toMatchObject({ prompt_tokens: 10, completion_tokens: 5 })
  }
  expect(first.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 3 })
  expect(await service.engine.count()).toBe(1)
})

it('streams tool calls, which the runner of the client executes in a loop', async () => {
  const { client } = await served([ask('Oslo'), ask('Rome'), done('Take a coat to Oslo.')])
  const seen: string[] = []
  const runner = client.chat.completions.runTools({
    model,
    stream: true,
    messages: [user('What shall I wear?')],
    tools: [
      {
        type: 'function',
        function: {
          name: 'weather',
          description: 'The weather of a city.',
          parameters: { type: 'object', properties: { city: { type: 'string' } } },
          parse: JSON.parse,
          function: ({ city }: { city: string }) => {
            seen.push(city)
            return 'snow'
          },
        },
      },
    ],
  })
  expect(await runner.finalContent()).toBe('Take a coat to Oslo.')
  expect(seen).toEqual(['Oslo', 'Rome'])
})

it('gives one call at a time where the client wants no parallel ones', async () => {
  const { client } = await served([ask('Oslo', 'Rome'), done('ok')])
  const messages = [user('weather')]
  for (const city of ['Oslo', 'Rome']) {
    const { choices } = await client.chat.completions.create({
      model,
      messages,
      tools,
      parallel_tool_calls: false,
    })
    const message = choices[0]?.message
    const [call, ...others] = message?.tool_calls ?? []
    if (message === undefined || call?.type !== 'function') throw new Error('no call')
    expect([call.function.arguments, others]).toEqual([JSON.stringify({ city }), []])
    messages.push(message, { role: 'tool', tool_call_id: call.id, content: 'sun' })
  }
  const { choices } = await client.chat.completions.create({ model, messages, tools })
  expect(choices[0]?.message.content).toBe('ok')
})

it('goes on with a run that waited while the service was down', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-openai-'))
  ends.push(() => rmSync(folder, { recursive: true }))
  const store = join(folder, 'runs.db')
  const before = await served([ask('Oslo')], { store })
  const messages = [user('weather')]
  const { choices } = await before.client.chat.completions.create({ model, messages, tools })
  const message = choices[0]?.message
  await before.close()
  if (message === undefined) throw new Error('no message')
  const { client } = await served([done('A coat.')], { store })
  const id = message.tool_calls?.[0]?.id ?? ''
  messages.push(message, { role: 'tool', tool_call_id: id, content: 'snow' })
  const answer = await client.chat.completions.create({ model, messages, tools })
  expect(answer.choices[0]?.message.content).toBe('A coat.')
})

it('gives a value that fits the schema', async () => {
  const { client } = await served({
    'minimal/next': () => done('It is snowing at minus four degrees'),
    'output/value': () => ({ sky: 'snow' }),
  } as never)
  const schema = {
    type: 'object',
    properties: { sky: { type: 'string' } },
    required: ['sky'],
    additionalProperties: false,
  }
  const { choices } = await client.chat.completions.parse({
    model,
    messages: [user('weather?')],
    response_format: { type: 'json_schema', json_schema: { name: 'weather', strict: true, schema } },
  })
  expect(choices[0]?.message.parsed).toEqual({ sky: 'snow' })
  const response = await client.responses.create({
    model,
    input: 'weather?',
    text: { format: { type: 'json_schema', name: 'weather', strict: true, schema } },
  })
  expect(JSON.parse(response.output_text)).toEqual({ sky: 'snow' })
})

it('responds: reasoning with a summary, the message; can be looked at, continued and deleted', async () => {
  const { client, scripted } = await served([plan, done('A cup of tea.'), done('Green.')])
  const made = await client.responses.create({ model, instructions: 'Be brief.', input: 'make tea' })
  expect(made).toMatchObject({
    status: 'completed',
    output_text: 'A cup of tea.',
    usage: { total_tokens: 19 },
  })
  expect(made.output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
  const again = await client.responses.retrieve(made.id)
  expect(again).toMatchObject({
    id: made.id,
    status: 'completed',
    output_text: 'A cup of tea.',
    usage: made.usage,
  })
  expect(again.output).toEqual(made.output)
  const next = await client.responses.create({ model, previous_response_id: made.id, input: 'Which kind?' })
  expect(next.output_text).toBe('Green.')
  expect(JSON.stringify(scripted.calls.at(-1)?.input)).toMatch(
    /Which kind\?.*> User: make tea.*> Assistant: A cup of tea\./,
  )
  expect(JSON.stringify(scripted.calls.at(-1)?.input)).not.toContain('Be brief.')
  await client.responses.delete(made.id)
  await expect(client.responses.retrieve(made.id)).rejects.toMatchObject({ status: 404, code: 'not_found' })
})

it('streams a response, with function calls, and goes on by their outputs', async () => {
  const { client } = await served([plan, ask('Oslo'), done('A coat.')])
  const given = {
    model,
    tools: [{ type: 'function' as const, strict: true, ...weather }],
  }
  const stream = client.responses.stream({ ...given, input: 'weather?' })
  const types = new Set<string>()
  const numbers: number[] = []
  for await (const event of stream) {
    types.add(event.type)
    numbers.push(event.sequence_number)
  }
  const first = await stream.finalResponse()
  expect(numbers).toEqual(numbers.map((_, i) => i))
  expect([...types]).toEqual(
    expect.arrayContaining([
      'response.created',
      'response.reasoning_summary_text.delta',
      'response.function_call_arguments.done',
      'response.completed',
    ]),
  )
  const call = first.output.find((item) => item.type === 'function_call')
  if (call === undefined) throw new Error('no call')
  expect(JSON.parse(call.arguments)).toEqual({ city: 'Oslo' })
  const input = [{ type: 'function_call_output' as const, call_id: call.call_id, output: 'snow' }]
  const second = client.responses.stream({ ...given, previous_response_id: first.id, input })
  const answered = await second.finalResponse()
  expect(answered.output_text).toBe('A coat.')
  expect(answered.id).not.toBe(first.id)
  for (const { id, output } of [first, answered]) {
    const looked = await client.responses.retrieve(id)
    expect([looked.id, looked.status]).toEqual([id, 'completed'])
    expect(looked.output.map((item) => [item.type, item.id])).toEqual(
      output.map((item) => [item.type, item.id]),
    )
  }
})

it('works in the background, and is cancelled when it is told to be', async () => {
  const { script, asked } = never()
  const { client } = await served(script)
  const begun = await client.responses.create({ model, input: 'wait', background: true })
  expect(begun).toMatchObject({ status: 'in_progress', background: true })
  await asked
  expect(await client.responses.retrieve(begun.id)).toMatchObject({ status: 'in_progress' })
  expect(await client.responses.cancel(begun.id)).toMatchObject({ id: begun.id, status: 'cancelled' })
})

it('cancels the run of a client that goes away in the middle', async () => {
  for (const stream of [true, false]) {
    const { script, asked, stopped } = never()
    const { client, service } = await served(script)
    const gone = new AbortController()
    const given = { model, messages: [user('wait')] }
    const request = client.chat.completions.create({ ...given, stream }, { signal: gone.signal })
    const reading = request.then(async (given) => {
      if (Symbol.asyncIterator in given) for await (const _ of given);
    })
    const ended = Promise.allSettled([reading])
    await asked
    gone.abort()
    await ended
    await vi.waitFor(
      async () => expect(await service.engine.list({ status: 'cancelled' })).toHaveLength(1),
      WAIT,
    )
    expect(stopped()).toBe(1)
  }
})

it('cancels the run of a client that goes away before it has read anything, or finds too many streams', async () => {
  const { script } = never()
  const limits = limitsOf({ maxStreams: 1 })
  const { app, service, client } = await served(script, { limits })
  const body = JSON.stringify({ model, messages: [user('wait')], stream: true })
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const response = await app.request('/v1/chat/completions', { method: 'POST', headers, body })
  const cancelled = (count: number) =>
    vi.waitFor(
      async () => expect(await service.engine.list({ status: 'cancelled' })).toHaveLength(count),
      WAIT,
    )
  const refused = client.chat.completions.create({ model, messages: [user('wait')], stream: true })
  await expect(refused).rejects.toMatchObject({ status: 429 })
  await cancelled(1)
  await response.body?.cancel()
  await cancelled(2)
  expect(limits.streams()).toBe(0)
})

it('tells how a run has ended that is not complete', async () => {
  const { client, raw } = await served({
    limit: () => ({ do: 'plan', todo: ['again'] }),
    fails: () => new Error('no'),
    out: () => new ThinkonError('MODEL_OUTAGE', 'no key'),
  } as never)
  const create = (goal: string, more: object = {}) =>
    client.chat.completions.create({ model, messages: [user(goal)], ...more })
  const limited = { thinkon: { budget: { calls: 2 } } }
  const limit = await create('limit', limited)
  expect(limit).toMatchObject({ choices: [{ finish_reason: 'length' }], thinkon: { status: 'partial' } })
  const incomplete = await client.responses.create({ model, input: 'limit', ...limited } as never)
  expect(incomplete).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
  })
  await expect(create('fails')).rejects.toMatchObject({ status: 500, message: /run \S+ failed: .*no/ })
  const streamed = client.chat.completions.stream({ model, messages: [user('fails')] })
  await expect(streamed.finalContent()).rejects.toBeInstanceOf(APIError)
  expect(await client.responses.create({ model, input: 'fails' })).toMatchObject({
    status: 'failed',
    error: { code: 'server_error' },
  })
  await expect(create('out')).rejects.toMatchObject({ status: 503, code: 'model_outage' })
  // A run costs too much for a client's own retries.
  const { headers } = await raw('/chat/completions', JSON.stringify({ model, messages: [user('fails')] }))
  expect(headers.get('x-should-retry')).toBe('false')
})

it('says what is wrong with a request, in the form of OpenAI', async () => {
  const { client, raw } = await served([ask('Oslo')])
  const create = (more: object, messages = [user('x')]) =>
    client.chat.completions.create({ model, messages, ...more } as never)
  const image = {
    role: 'user',
    content: [{ type: 'image_url', image_url: { url: 'http://127.0.0.1/a.png' } }],
  }
  const result = (id: string) => [user('x'), { role: 'tool', tool_call_id: id, content: '1' } as const]
  for (const [given, expected] of [
    [
      () => create({ model: 'thinkon/tott' }),
      { status: 404, code: 'model_not_found', message: /did you mean "thinkon\/tot"/ },
    ],
    [
      () => create({ model: 'gpt-5' }),
      { status: 404, code: 'model_not_found', message: /there are: thinkon\/auto/ },
    ],
    [() => create({}, [image as never]), { status: 400, message: /no image can be read/ }],
    [
      () => create({}, [user('x'), { role: 'assistant', content: 'y' }]),
      { status: 400, message: /must end with a message of the user/ },
    ],
    [() => create({}, []), { status: 400, type: 'invalid_request_error', message: /messages/ }],
    [() => create({ n: 2 }), { status: 400, param: 'n' }],
    [() => create({ tools, tool_choice: 'required' }), { status: 400, param: 'tool_choice' }],
    [() => create({ tools: [{ type: 'custom', custom: {} }] }), { status: 400, param: 'tools[0]' }],
    [() => create({ thinkon: { budget: { costUsd: 1e9 } } }), { status: 403, message: /at most/ }],
    [() => create({}, result('call_1')), { status: 400, message: /none that Thinkon has made/ }],
    [() => create({}, result('call_nobody_1_1')), { status: 404, message: /nobody/ }],
    [() => create({}, [user('a'.repeat(300_000))]), { status: 400, message: /the goal is \d+ KiB long/ }],
    [() => create({}, [user('a'.repeat(1_100_000))]), { status: 413 }],
    [
      () => client.responses.create({ model, input: 'x', tools: [{ type: 'web_search' }] }),
      { status: 400, message: /web_search/ },
    ],
    [() => client.responses.retrieve('resp_nothing'), { status: 404 }],
    [() => client.embeddings.create({ model, input: 'x' }), { status: 404, message: /there are: models/ }],
  ] as const) {
    const thrown: Error = await (given as unknown as () => Promise<never>)().catch((error) => error)
    const { message, ...fields } = { message: /./, ...expected }
    expect(thrown).toBeInstanceOf(APIError)
    expect(thrown).toMatchObject(fields)
    expect(thrown.message).toMatch(message)
  }
  const first = await create({ tools })
  const id = (first as OpenAI.ChatCompletion).choices[0]?.message.tool_calls?.[0]?.id ?? ''
  await expect(create({}, result(id.replace(/\d+$/, '99')))).rejects.toMatchObject({
    status: 400,
    message: /has not made it/,
  })
  for (const body of ['{', '[]', 'null', '"x"', '{"model":1}', `${'['.repeat(5000)}${']'.repeat(5000)}`]) {
    const response = await raw('/chat/completions', body)
    expect([body.slice(0, 20), response.status]).toEqual([body.slice(0, 20), 400])
    expect(await response.json()).toMatchObject({
      error: { type: 'invalid_request_error', message: expect.any(String) },
    })
  }
})

it('refuses a wrong token, and one that may not start runs, in the form of OpenAI', async () => {
  const reader = { token: 'a-token-that-is-good-for-reading', scopes: ['read'] as const }
  const { baseURL, client } = await served([], { tokens: [reader] })
  const as = (apiKey: string) => clientOf(baseURL, apiKey)
  const create = { model, messages: [user('x')] }
  for (const request of [as('wrong').models.list(), as('wrong').chat.completions.create(create)])
    await expect(request).rejects.toMatchObject({
      status: 401,
      type: 'authentication_error',
      code: 'invalid_api_key',
    })
  expect((await as(reader.token).models.list()).data.length).toBeGreaterThan(3)
  await expect(as(reader.token).chat.completions.create(create)).rejects.toMatchObject({
    status: 403,
    type: 'permission_error',
  })
  await expect(as(reader.token).responses.delete('resp_x')).rejects.toMatchObject({ status: 403 })
  await expect(client.responses.delete('resp_x')).rejects.toMatchObject({ status: 404 })
})

it('asks the table of scopes: an earlier run, its id, its results and its end belong to the client that started it', async () => {
  const starter = { token: 'a-token-that-is-good-for-starting', scopes: ['start'] as const }
  const other = { token: 'another-token-good-for-starting', scopes: ['start'] as const }
  const steers = { token: 'a-token-that-starts-and-steers', scopes: ['start', 'steer'] as const }
  const { baseURL, client, service } = await served(
    [...['a', 'b', 'c', 'd', 'e'].map(done), ask('Oslo'), done('sunny')],
    { tokens: [starter, other, steers] },
  )
  const as = ({ token }: { token: string }) => clientOf(baseURL, token)
  const denied = expect.objectContaining({ status: 403 })
  const code = async (request: Promise<unknown>) =>
    request.then(
      () => 200,
      (thrown) => (thrown as APIError).status,
    )

  const secret = await client.responses.create({ model, input: 'the secret 4711' })
  const previous = { model, input: 'go on', previous_response_id: secret.id }
  await expect(as(starter).responses.create(previous)).rejects.toEqual(denied)
  expect(await code(client.responses.create(previous))).toBe(200)
  // Its own conversation goes on.
  const mine = await as(starter).responses.create({ model, input: 'hello' })
  expect(await code(as(starter).responses.create({ ...previous, previous_response_id: mine.id }))).toBe(200)
  expect(await code(as(other).responses.create({ ...previous, previous_response_id: mine.id }))).toBe(403)

  const shared = { model, messages: [user('the same goal')], thinkon: { id: 'shared' } } as never
  expect(await code(client.chat.completions.create(shared))).toBe(200)
  expect(await code(as(starter).chat.completions.create(shared))).toBe(403)

  const messages = [user('weather')]
  const { choices } = await as(starter).chat.completions.create({ model, messages, tools })
  const message = choices[0]?.message
  if (message === undefined) throw new Error('no message')
  const id = message.tool_calls?.[0]?.id ?? ''
  const results = [...messages, message, { role: 'tool' as const, tool_call_id: id, content: 'sunny' }]
  const give = (token: { token: string }) =>
    code(as(token).chat.completions.create({ model, messages: results, tools }))
  expect(await give(other)).toBe(403)
  expect(await give(starter)).toBe(200)
  expect(await give(steers)).toBe(200)
  expect(await service.engine.count({ status: ['failed', 'cancelled'] })).toBe(0)
})

it('a client that goes away ends no run of another client', async () => {
  const other = { token: 'another-token-good-for-all-but-steering', scopes: ['start', 'read'] as const }
  const asked = Promise.withResolvers<void>()
  const open = Promise.withResolvers<void>()
  const { baseURL, client, service } = await served(
    async () => {
      asked.resolve()
      await open.promise
      return done('let go')
    },
    { tokens: [other] },
  )
  const request = { model, messages: [user('a')], thinkon: { id: 'mine' } } as never
  const first = client.chat.completions.create(request)
  await asked.promise
  const gone = new AbortController()
  const second = clientOf(baseURL, other.token).chat.completions.create(request, { signal: gone.signal })
  await new Promise((resolve) => setTimeout(resolve, 300))
  gone.abort()
  await second.catch(() => {})
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(await service.engine.row('mine')).toMatchObject({ status: 'running' })
  open.resolve()
  expect(((await first) as { choices: { message: { content: string } }[] }).choices[0]?.message.content).toBe(
    'let go',
  )
})

it('counts its starts and streams with those of the service that it is mounted in', async () => {
  const limits = limitsOf({ startsPerMinute: 2, maxStreams: 1 })
  const { client, service } = await served([done('y')], { limits })
  limits.countStart()
  const create = () => client.chat.completions.create({ model, messages: [user('x')] })
  expect((await create()).choices[0]?.message.content).toBe('y')
  await expect(create()).rejects.toMatchObject({ status: 429, type: 'rate_limit_error' })
  expect([limits.streams(), await service.engine.count()]).toEqual([0, 1])
})

it('tells a client whose result comes too late that nobody waits for it any more', async () => {
  const clock = manualClock()
  const { client, service } = await served([ask('Oslo'), done('without it')], {
    toolTimeoutMs: 60_000,
    clock,
  })
  const messages = [user('weather')]
  const { choices } = await client.chat.completions.create({ model, messages, tools })
  const message = choices[0]?.message
  if (message === undefined) throw new Error('no message')
  await clock.advance(60_000)
  await vi.waitFor(
    async () => expect(await service.engine.list({ status: 'completed' })).toHaveLength(1),
    WAIT,
  )
  messages.push(message, { role: 'tool', tool_call_id: message.tool_calls?.[0]?.id ?? '', content: 'snow' })
  const late = client.chat.completions.create({ model, messages, tools })
  await expect(late).rejects.toMatchObject({
    status: 400,
    code: 'tool_call_expired',
    message: /comes too late/,
  })
})

it('serves 50 clients at once, each its own run', async () => {
  const { client } = await served((request: ModelRequest) => {
    const { goal } = request.input as { goal: string }
    const isTold = textIn(request).includes(`sky of ${goal}`)
    return isTold
      ? { do: 'return', result: `seen: ${goal}` }
      : { do: 'tool', calls: [{ name: 'weather', input: { city: goal } }] }
  })
  const answers = await Promise.all(
    Array.from({ length: 50 }, async (_, i) => {
      const messages = [user(`city-${i}`)]
      const { choices } = await client.chat.completions.create({ model, messages, tools })
      const message = choices[0]?.message
      if (message === undefined) throw new Error('no message')
      const id = message.tool_calls?.[0]?.id ?? ''
      messages.push(message, { role: 'tool', tool_call_id: id, content: `sky of city-${i}` })
      const answer = await client.chat.completions.create({ model, messages, tools })
      return answer.choices[0]?.message.content
    }),
  )
  expect(answers).toEqual(Array.from({ length: 50 }, (_, i) => `seen: city-${i}`))
})

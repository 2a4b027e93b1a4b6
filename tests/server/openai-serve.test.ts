/** OpenAI's own client against `thinkon serve` in a process of its own. */
import OpenAI, { APIError } from 'openai'
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../conformance/async.ts'
import { makePlace, type Place } from '../e2e/cli-process.ts'
import { type ServeProcess, startServe, WORDS_MODEL } from './serve-process.ts'

let place: Place
let serving: ServeProcess
let client: OpenAI

beforeAll(async () => {
  place = makePlace()
  serving = await startServe(place, { env: { THINKON_MODEL: WORDS_MODEL } })
  client = clientWith(serving.token)
})
afterAll(() => place.remove())

// Another test of the same process may have made it look like a browser.
const clientWith = (apiKey: string) =>
  new OpenAI({ baseURL: `${serving.url}/v1`, apiKey, maxRetries: 0, dangerouslyAllowBrowser: true })
const model = 'thinkon/minimal'
const user = (content: string): ChatCompletionMessageParam => ({ role: 'user', content })
const weather = {
  name: 'weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}
const schema = {
  type: 'object',
  properties: { sky: { type: 'string' } },
  required: ['sky'],
  additionalProperties: false,
}

async function runStatus(run: string): Promise<string> {
  return ((await serving.json(`/api/runs/${run}`)) as { status: string }).status
}

it('lists strategies as models, and knows a token from another', async () => {
  const names: string[] = []
  for await (const { id } of client.models.list()) names.push(id)
  for (const name of ['auto', 'tot', 'planner', 'fractal', 'cot', 'dual'])
    expect(names).toContain(`thinkon/${name}`)
  await expect(clientWith('not-the-token').models.list()).rejects.toMatchObject({
    status: 401,
    code: 'invalid_api_key',
    type: 'authentication_error',
  })
})

it('completes and streams: what is thought, then the answer, then the usage of the whole tree', async () => {
  const { choices, usage } = await client.chat.completions.create({ model, messages: [user('plan tea')] })
  expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'the answer to plan tea' } })
  expect(usage).toMatchObject({ prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 })
  const stream = await client.chat.completions.create({
    model,
    messages: [user('plan coffee')],
    stream: true,
    stream_options: { include_usage: true },
  })
  const order: string[] = []
  let text = ''
  for await (const chunk of stream) {
    const delta = chunk.choices[0]?.delta as { content?: string; reasoning_content?: string } | undefined
    if (delta?.reasoning_content) order.push('reasoning')
    if (delta?.content) order.push('text')
    if (chunk.usage) order.push(`usage ${chunk.usage.total_tokens}`)
    text += delta?.content ?? ''
  }
  expect(text).toBe('the answer to plan coffee')
  expect(order.filter((what, i) => what !== order[i - 1])).toEqual(['reasoning', 'text', 'usage 30'])
  // It was streamed, not given at once.
  expect(order.filter((what) => what === 'text').length).toBeGreaterThan(1)
})

it("goes on with the results of a client's tools, in a chat and in responses, streamed or not", async () => {
  const messages = [user('weather?')]
  const tools = [{ type: 'function' as const, function: weather }]
  const { choices } = await client.chat.completions.create({ model, messages, tools })
  const message = choices[0]?.message
  const id = message?.tool_calls?.[0]?.id ?? ''
  expect([choices[0]?.finish_reason, id]).toEqual(['tool_calls', expect.stringMatching(/^call_/)])
  messages.push(message as never, { role: 'tool', tool_call_id: id, content: 'snow, seen from the window' })
  const streamed = client.chat.completions.stream({ model, messages, tools })
  expect(await streamed.finalContent()).toBe('the answer to weather?')

  const given = { model, tools: [{ type: 'function' as const, strict: true, ...weather }] }
  const first = await client.responses.create({ ...given, input: 'weather now?' })
  const call = first.output.find((item) => item.type === 'function_call')
  const input = [
    { type: 'function_call_output' as const, call_id: call?.call_id ?? '', output: 'seen from the window' },
  ]
  const second = await client.responses.create({ ...given, previous_response_id: first.id, input })
  expect(second).toMatchObject({ status: 'completed', output_text: 'the answer to weather now?' })
})

it('gives a value that fits a schema', async () => {
  const { choices } = await client.chat.completions.parse({
    model,
    messages: [user('sky?')],
    response_format: { type: 'json_schema', json_schema: { name: 'sky', strict: true, schema } },
  })
  expect(choices[0]?.message.parsed).toEqual({ sky: 'snow' })
})

it('tells of errors in the form of OpenAI, and never of its own', async () => {
  const create = (more: object) =>
    client.chat.completions.create({ model, messages: [user('x')], ...more } as never)
  for (const [more, expected] of [
    [{ model: 'thinkon/tott' }, { status: 404, code: 'model_not_found', param: 'model' }],
    [{ model: 'thinkon/tot@module:/tmp/evil.ts' }, { status: 404, code: 'model_not_found' }],
    [{ messages: 7 }, { status: 400, type: 'invalid_request_error' }],
    [{ messages: [user('fail now')] }, { status: 500, message: expect.stringContaining('can not be done') }],
  ] as const) {
    const thrown = await create(more).then(
      () => null,
      (error) => error,
    )
    expect(thrown).toBeInstanceOf(APIError)
    expect(thrown).toMatchObject(expected)
  }
})

it('works in the background; ends what is cancelled, and the run of a client that goes away', async () => {
  const begun = await client.responses.create({ model, input: 'wait here', background: true })
  expect(begun.status).toBe('in_progress')
  expect(await client.responses.retrieve(begun.id)).toMatchObject({ id: begun.id, status: 'in_progress' })
  expect(await client.responses.cancel(begun.id)).toMatchObject({ status: 'cancelled' })
  const quick = await client.responses.create({ model, input: 'be quick', background: true })
  await until(async () => (await client.responses.retrieve(quick.id)).status === 'completed', 'it ends')
  expect(await client.responses.retrieve(quick.id)).toMatchObject({ output_text: 'the answer to be quick' })

  const gone = new AbortController()
  const stream = await client.chat.completions.create(
    { model, messages: [user('wait for me')], stream: true },
    { signal: gone.signal },
  )
  let run = ''
  for await (const { id } of stream) {
    run = id.replace('chatcmpl-', '')
    gone.abort()
  }
  await until(async () => (await runStatus(run)) === 'cancelled', 'the run ends')
})

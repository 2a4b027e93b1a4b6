/** Requests that are none: each is answered, in the form of OpenAI, and none is the service's own fault. */
import { afterEach, expect, it } from 'vitest'
import { createEngine } from '../../engine.ts'
import { seededRandom } from '../../kernel/random.ts'
import { ScriptedModel } from '../../testing/index.ts'
import { serviceApp } from '../http/app.ts'
import { createService, type Service } from '../service.ts'
import { openaiMount } from './app.ts'

let service: Service | null = null
afterEach(() => service?.close())

const TOKEN = 'a-token-for-this-test'

function served() {
  const model = new ScriptedModel(() => ({ do: 'return', result: 'r' }))
  const engine = createEngine({ model })
  const limits = { startsPerMinute: 1e6 }
  const problems: unknown[] = []
  const onError = (thrown: unknown) => problems.push(thrown)
  service = createService({
    engineFor: () => engine,
    models: ['scripted'],
    defaults: { strategy: 'minimal' },
  })
  const mounts = { '/v1': openaiMount(service, { limits, onError }) }
  const app = serviceApp(service, { tokens: [TOKEN], mounts, onError })
  const ask = async (method: string, path: string, body?: string) => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
    const response = await app.request(`/v1${path}`, { method, headers, ...(body !== undefined && { body }) })
    return { status: response.status, text: await response.text() }
  }
  return { ask, problems }
}

const weather = { name: 'weather', description: 'w', parameters: { type: 'object', properties: {} } }
const schema = { type: 'object', properties: { a: { type: 'string' } } }
const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }

const CHAT = {
  model: 'thinkon/minimal',
  messages: [
    { role: 'system', content: 'be brief' },
    { role: 'user', content: [{ type: 'text', text: 'a' }] },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_one_1_1', content: 'x' },
    { role: 'user', content: 'b' },
  ],
  tools: [{ type: 'function', function: weather }],
  tool_choice: 'auto',
  response_format: { type: 'json_schema', json_schema: { name: 'n', schema } },
  stream: false,
  stream_options: { include_usage: true },
  seed: 7,
  n: 1,
  thinkon: { options: {}, budget: { calls: 5 }, id: 'one' },
}

const RESPONSE = {
  model: 'thinkon/minimal',
  instructions: 'be brief',
  input: [
    { role: 'user', content: [{ type: 'input_text', text: 'a' }] },
    { type: 'reasoning', summary: [] },
    { type: 'function_call', call_id: 'call_one_1_1', name: 'weather', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_one_1_1', output: 'x' },
    { role: 'user', content: 'b' },
  ],
  previous_response_id: 'resp_one',
  tools: [{ type: 'function', ...weather }],
  text: { format: { type: 'json_schema', name: 'n', schema } },
  background: false,
  metadata: {},
}

const ODD: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, '', ' ', 'x', '\u0000', '\ud800', '__proto__', 'constructor'],
  ...[[], {}, [null], [[]], [{}], { type: 'x' }, { $ref: '#' }, { $ref: 'http://x/y' }, { pattern: '(' }],
  ...['thinkon/', 'thinkon/minimal@', 'call_one_1_1', 'call__1_1', 'resp_one_99', 'resp_', 'x'.repeat(5_000)],
]

/** A copy in which some places have other values, or none. */
function changed(value: unknown, random: () => number, share: number): unknown {
  if (random() < share) return ODD[Math.floor(random() * ODD.length)]
  if (Array.isArray(value)) {
    const kept = value.filter(() => random() > share)
    return kept.map((one) => changed(one, random, share))
  }
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(() => random() > share)
  return Object.fromEntries(kept.map(([name, one]) => [name, changed(one, random, share)]))
}

it('never has a fault of its own, whatever it is sent', async () => {
  const { ask, problems } = served()
  const random = seededRandom('hostile')
  const statuses = new Set<number>()
  for (let i = 0; i < 3_000; i++) {
    const isChat = i % 2 === 0
    const body = JSON.stringify(changed(isChat ? CHAT : RESPONSE, random, [0.01, 0.05, 0.2][i % 3] ?? 0))
    const { status, text } = await ask('POST', isChat ? '/chat/completions' : '/responses', body)
    statuses.add(status)
    expect(status, `${body}\n${text}`).toBeLessThan(500)
    if (status >= 400)
      expect(JSON.parse(text), body).toMatchObject({ error: { message: expect.any(String) } })
  }
  expect(problems).toEqual([])
  expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 404]))
})

it('answers whatever it is asked for by its address', async () => {
  const { ask, problems } = served()
  const ids = [
    'x',
    'resp_',
    'resp_nobody',
    'resp_nobody_7',
    'resp_..',
    '%00',
    '%ff',
    'a'.repeat(3_000),
    '__proto__',
  ]
  for (const id of ids)
    for (const [method, path] of [
      ['GET', `/responses/${id}`],
      ['DELETE', `/responses/${id}`],
      ['POST', `/responses/${id}/cancel`],
      ['PUT', `/responses/${id}`],
      ['GET', `/models/${id}`],
      ['GET', `/${id}`],
    ] as const) {
      const { status, text } = await ask(method, path)
      expect([400, 404], `${method} ${path}: ${status} ${text}`).toContain(status)
      expect(JSON.parse(text)).toMatchObject({ error: { type: 'invalid_request_error' } })
    }
  expect(problems).toEqual([])
})

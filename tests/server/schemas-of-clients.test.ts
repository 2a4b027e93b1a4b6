// Schemas that come with requests: they fetch nothing, and take no time that others need.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { type AppOptions, serviceApp } from '../../src/server/http/app.ts'
import { openaiMount } from '../../src/server/openai/app.ts'
import { endAll, type Script, serveHere, TOKEN } from './serve-here.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
  await endAll()
})

/** With OpenAI's protocol: its app is asked without a port. */
async function serve(script: Script) {
  const served = await serveHere({ script })
  const options: AppOptions = { tokens: [TOKEN], mounts: { '/v1': openaiMount(served.service) } }
  const app = serviceApp(served.service, options)
  const chat = async (schema: object, tools: readonly object[] = []) => {
    const body = {
      model: 'thinkon/minimal',
      messages: [{ role: 'user', content: 'a' }],
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema } },
      tools: tools.map((parameters, i) => ({ type: 'function', function: { name: `t${i}`, parameters } })),
    }
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
    return app.request('/v1/chat/completions', { method: 'POST', headers, body: JSON.stringify(body) })
  }
  return { ...served, chat }
}

it('a reference that leads out of a schema, or nowhere, is refused, and nothing is fetched', async () => {
  let fetched = 0
  const elsewhere = createServer((_, response) => {
    fetched++
    response.end('{"type":"string"}')
  })
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
  ends.push(() => elsewhere.close())
  const there = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/schema.json`
  const { post, chat, service } = await serve(() => ({ do: 'return', result: '{"a":"b"}' }))
  for (const $ref of [
    there,
    `${there}#/$defs/a`,
    'file:///etc/passwd',
    'other.json',
    '#/$defs/nothing',
    '//x',
  ]) {
    const output = { type: 'object', properties: { a: { anyOf: [{ $ref }] } } }
    const refused = await post('/api/runs', { goal: 'a', output })
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({
      code: 'BAD_INPUT',
      detail: expect.stringMatching(/^output: \$ref ".+" leads (nowhere|out of the schema)/),
    })
    const asOpenai = await chat(output)
    expect([asOpenai.status, await asOpenai.text()]).toEqual([400, expect.stringContaining('leads ')])
    // A tool is the client's: what it refers to is the client's business.
    expect((await chat({ type: 'object' }, [output])).status).toBe(200)
  }
  const inside = {
    $id: 'https://example.com/root.json',
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    properties: {
      a: { $ref: '#/$defs/text' },
      b: { $ref: 'part.json' },
      c: { $ref: '#' },
      d: { const: { $ref: there } },
    },
    $defs: { text: { type: 'string' }, part: { $id: 'part.json', type: 'number' } },
  }
  expect((await post('/api/runs', { goal: 'a', id: 'inside', output: inside })).status).toBe(201)
  expect(await (await service.attach('inside')).outcome).toMatchObject({ value: { a: 'b' } })
  expect(fetched).toBe(0)
})

it('a pattern that would backtrack for years is checked, others are answered meanwhile', async () => {
  const slow = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } }, required: ['a'] }
  const value = { a: `${'a'.repeat(60)}!` }
  const { post, json, chat, service } = await serve(({ kind }) =>
    kind.startsWith('minimal/') ? { do: 'return', result: JSON.stringify(value) } : value,
  )
  expect((await post('/api/runs', { goal: 'a', id: 'slow', output: slow })).status).toBe(201)
  expect(await json('/api/health')).toEqual({ ok: true })
  const outcome = await (await service.attach('slow')).outcome
  expect(outcome.status).not.toBe('completed')
  expect(JSON.stringify(outcome)).toContain('must match ^(a+)+$')
  const answer = await chat(slow)
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('must match ^(a+)+$')])
  expect(await json('/api/health')).toEqual({ ok: true })
})

it('refuses a pattern that has no linear algorithm, with the reason', async () => {
  const { post, chat } = await serve(({ kind }) => ({ kind }))
  const output = { type: 'object', properties: { a: { type: 'string', pattern: '^(a)\\1$' } } }
  const refused = await post('/api/runs', { goal: 'a', id: 'twice', output })
  expect(refused.status).toBe(400)
  expect(await refused.json()).toMatchObject({ detail: expect.stringContaining('back-reference') })
  expect((await chat(output)).status).toBe(400)
})

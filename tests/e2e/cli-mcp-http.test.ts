// The MCP server over HTTP, as `thinkon serve` and `thinkon mcp --http` have it, with the real client.
import { readFileSync } from 'node:fs'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../conformance/async.ts'
import { call, ERAS, type Era } from '../mcp/connect.ts'
import { raw, requestHead } from '../server/raw.ts'
import { type Going, makePlace, type Place } from './cli-process.ts'

let place: Place
const clients: Client[] = []

beforeEach(() => {
  place = makePlace()
})
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close().catch(() => {})
  place.remove()
})

interface Serving extends Going {
  readonly url: string
  readonly token: string
}

async function serving(args: readonly string[]): Promise<Serving> {
  const going = place.start([...args, '--port', '0'])
  let out = ''
  going.child.stdout?.on('data', (chunk) => (out += chunk))
  await until(
    () => /Bearer [\w-]+"|token in \S+\n/.test(out),
    () => out,
  )
  const url = /http:\/\/[\d.]+:\d+/.exec(out)?.[0] ?? ''
  const [, token, file] = /Bearer ([\w-]+)|token in (\S+)/.exec(out) ?? []
  return { ...going, url, token: token ?? readFileSync(file ?? '', 'utf8').trim() }
}

async function connect({ url, token }: Pick<Serving, 'url' | 'token'>, era: Era): Promise<Client> {
  const client = new Client(
    { name: 'remote', version: '1' },
    {
      capabilities: { elicitation: {} },
      versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' },
    },
  )
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { answer: 'yes' } }))
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  clients.push(client)
  return client
}

describe.each(ERAS)('a %s client', (era) => {
  it('of thinkon serve runs, is asked, and takes up a run after the service was killed', async () => {
    const first = await serving(['serve'])
    const client = await connect(first, era)
    const progress: unknown[] = []
    const result = await client.callTool(
      { name: 'run', arguments: { goal: 'ask' } },
      { onprogress: (one) => progress.push(one) },
    )
    expect(result.structuredContent).toMatchObject({ result: 'answer: yes' })
    expect(progress.length).toBeGreaterThan(1)
    const { run } = await call(client, 'run', { goal: 'wait', waitSeconds: 0 })
    await place.state(run, ({ blocks }) => blocks.length === 3)
    first.child.kill('SIGKILL')
    await first.ended
    const second = await serving(['serve'])
    // The token outlives the restart.
    const again = await connect({ ...second, token: first.token }, era)
    for (const path of ['1-1', '1-2']) await call(again, 'message', { run, path, message: 'hurry' })
    expect(await call(again, 'wait', { run })).toMatchObject({ result: 'hurried | hurried' })
    second.child.kill('SIGTERM')
    expect((await second.ended).code).toBe(0)
  })
})

it('thinkon mcp --http prints what a client needs; without the token, or from elsewhere, nobody gets in', async () => {
  const served = await serving(['mcp', '--http'])
  const client = await connect(served, 'modern')
  expect(await call(client, 'run', { goal: 'the end' })).toMatchObject({ result: 'reached: the end' })
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const post = (headers: Record<string, string>, sent = body) =>
    fetch(`${served.url}/mcp`, {
      method: 'POST',
      body: sent,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
    })
  const authorization = `Bearer ${served.token}`
  expect((await post({})).status).toBe(401)
  expect((await post({ authorization: 'Bearer wrong' })).status).toBe(401)
  expect((await post({ authorization, origin: 'http://evil.example' })).status).toBe(403)
  const { port } = new URL(served.url)
  const foreign = { host: 'evil.example', authorization, accept: '*/*', 'content-length': '0' }
  expect((await raw(Number(port), requestHead('POST /mcp', foreign))).status).toBe(403)
  expect((await post({ authorization }, '{')).status).toBe(400)
  expect((await post({ authorization }, '')).status).toBe(400)
  expect((await post({ authorization }, 'x'.repeat(2_000_000))).status).toBe(413)
  expect((await post({ authorization, 'content-type': 'text/plain' })).status).toBe(415)
  expect((await post({ authorization })).status).toBe(200)
  served.child.kill('SIGINT')
  expect((await served.ended).code).toBe(0)
})

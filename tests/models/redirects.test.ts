// Servers that redirect: keys, prompts and arguments stay at the server they are for.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { solve } from '../../src/engine.ts'
import { fetchWithin } from '../../src/kernel/fetch-within.ts'
import { openEmbedding } from '../../src/models/open-embedding.ts'
import { mcpClient } from '../../src/tools/mcp/mcp-client.ts'

afterEach(() => vi.unstubAllEnvs())

interface Seen {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

type Answer = { status: number; location: string } | { text: string }

/** A server on loopback that keeps what it is asked. */
async function server(answer: (request: Seen) => Answer, address = '127.0.0.1') {
  const seen: Seen[] = []
  const one = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const { url: path = '', headers } = request
      const asked = { path, headers, body: Buffer.concat(chunks).toString() }
      seen.push(asked)
      const said = answer(asked)
      if ('text' in said) response.end(said.text)
      else response.writeHead(said.status, { location: said.location }).end('moved')
    })
  }).listen(0, address)
  await new Promise((resolve) => one.once('listening', resolve))
  onTestFinished(() => {
    one.closeAllConnections()
    one.close()
  })
  return { url: `http://${address}:${(one.address() as AddressInfo).port}`, seen }
}

/** One that redirects everything to another, which only listens. */
async function pair(status: number) {
  const evil = await server(() => ({ text: '{}' }), '127.0.0.2')
  const first = await server(({ path }) => ({ status, location: `${evil.url}${path}` }))
  return { evil, first }
}

const STATUSES = [301, 302, 303, 307, 308]

describe('a redirect to another host is not followed', () => {
  it.each(STATUSES)('by a model, whichever header has the key: %i', async (status) => {
    const { evil, first } = await pair(status)
    vi.stubEnv('THINKON_API_KEY', 'sk-key')
    const models = [
      `${first.url}/v1#m`,
      { model: 'openai:m', baseURL: `${first.url}/v1`, apiKey: 'sk-key' },
      { model: 'anthropic:m', baseURL: `${first.url}/v1`, apiKey: 'sk-key' },
      { model: 'google:m', baseURL: `${first.url}/v1`, apiKey: 'sk-key' },
      { model: `${first.url}/v1#m`, headers: { 'x-own-key': 'sk-key' } },
    ]
    for (const model of models) {
      const one = typeof model === 'string' ? { model } : model
      const failing = solve('add 1 and 2', {
        strategy: 'minimal',
        model: { ...one, resilience: { maxAttempts: 3, baseMs: 1 } },
      })
      const error = await failing.then(
        (outcome) => JSON.stringify(outcome),
        (thrown) => JSON.stringify([thrown.message, thrown.data]),
      )
      expect(error).toContain(`redirects to ${evil.url}: not followed`)
      expect(error).not.toContain('sk-key')
    }
    expect(evil.seen).toEqual([])
    expect(first.seen.filter(({ body }) => body !== '')).toHaveLength(models.length)
  })

  it.each(STATUSES)('by an embedding: %i', async (status) => {
    const { evil, first } = await pair(status)
    vi.stubEnv('THINKON_API_KEY', 'sk-key')
    const { embed } = await openEmbedding(`${first.url}/v1#m`)
    await expect(embed(['private words'])).rejects.toThrow(`redirects to ${evil.url}: not followed`)
    expect(evil.seen).toEqual([])
  })

  it.each(STATUSES)('by an MCP server: %i', async (status) => {
    const { evil, first } = await pair(status)
    const mcp = mcpClient(
      {
        web: { url: `${first.url}/mcp`, headers: { 'x-api-key': 'sk-key', Authorization: 'Bearer sk-key' } },
      },
      { restartDelayMs: 1 },
    )
    onTestFinished(() => mcp.close())
    const error = await mcp.tools().then(String, String)
    expect(error).toContain(`redirects to ${evil.url}: not followed`)
    expect(error).not.toContain('sk-key')
    expect(evil.seen).toEqual([])
  })
})

describe('a redirect within the server', () => {
  it('is followed with the same request, and no further than five times', async () => {
    const one = await server(({ path }) => {
      const left = Number(path.slice(1))
      return left === 0 ? { text: 'here' } : { status: 307, location: `/${left - 1}` }
    })
    const post = { method: 'POST', body: 'words', headers: { 'x-api-key': 'k' } }
    expect(await (await fetchWithin(`${one.url}/4`, post)).text()).toBe('here')
    expect(one.seen.map(({ path, body, headers }) => [path, body, headers['x-api-key']])).toEqual(
      ['/4', '/3', '/2', '/1', '/0'].map((path) => [path, 'words', 'k']),
    )
    await expect(fetchWithin(`${one.url}/7`, post)).rejects.toThrow('more than 5 times')
  })

  it('is not, where the request would change on the way', async () => {
    const one = await server(() => ({ status: 302, location: '/other' }))
    await expect(fetchWithin(`${one.url}/a`, { method: 'POST', body: 'x' })).rejects.toThrow(
      'redirects to /other: configure that address instead',
    )
    expect(one.seen).toHaveLength(1)
  })

  it.each([
    'http://127.0.0.2:1/',
    '//127.0.0.2:1/',
    'https://127.0.0.1/',
    'file:///etc/passwd',
    'http://[',
    '\\\\127.0.0.2\\x',
  ])('is told from one that leads away: %s', async (location) => {
    const one = await server(() => ({ status: 307, location }))
    await expect(fetchWithin(`${one.url}/a`)).rejects.toThrow(/not followed|invalid address/)
    expect(one.seen).toHaveLength(1)
  })
})

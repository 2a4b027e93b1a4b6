// A schema of 2 KB whose references double 30 times is neither written out nor checked without end.
import { join } from 'node:path'
import { MockLanguageModelV4 } from 'ai/test'
import { afterEach, expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import { mcpTools } from '../../src/mcp.ts'
import { endAll, gate, serveHere, storeFile } from './serve-here.ts'

afterEach(endAll)

const LEVELS = 30

function doublingSchema(): object {
  const $defs: Record<string, object> = { [`d${LEVELS}`]: { type: 'string' } }
  for (let i = 0; i < LEVELS; i++) {
    const next = { $ref: `#/$defs/d${i + 1}` }
    $defs[`d${i}`] = { type: 'object', properties: { a: next, b: next } }
  }
  return { $ref: '#/$defs/d0', $defs }
}

it('a run with an output whose references double ends, and the service answers meanwhile', async () => {
  const { post, json } = await serveHere()
  const response = await post('/api/runs', { goal: 'what is 6 * 7?', output: doublingSchema() })
  expect(response.status).toBe(201)
  const { run } = (await response.json()) as { run: string }
  expect(await json('/api/health')).toMatchObject({ ok: true })
  await expect.poll(async () => json(`/api/runs/${run}`)).toMatchObject({ outcome: expect.any(Object) })
})

it('a stored run with such a schema is resumed by the next service, which answers meanwhile', async () => {
  const store = storeFile()
  const { script, asked } = gate()
  const first = await serveHere({ store, script })
  const request = { goal: 'what is 6 * 7?', output: doublingSchema(), id: 'one' }
  expect((await first.post('/api/runs', request)).status).toBe(201)
  await asked
  await first.close()
  const { json, service } = await serveHere({ store })
  await service.open()
  expect(await json('/api/health')).toMatchObject({ ok: true })
  await expect.poll(() => json('/api/runs/one')).toMatchObject({ outcome: expect.any(Object) })
})

it.each([true, false])(
  'a tool of an MCP server with such a schema is offered; natively: %s',
  async (nativeTools) => {
    const server = join(import.meta.dirname, '../../src/tools/mcp/fixtures/odd-server.js')
    const text = JSON.stringify({ do: 'return', result: 'done' })
    const usage = { inputTokens: { total: 1_000 }, outputTokens: { total: 10 } }
    const reply = {
      content: [{ type: 'text', text }],
      finishReason: { unified: 'stop' },
      usage,
      warnings: [],
    }
    const model = new MockLanguageModelV4({ doGenerate: async () => reply as never })
    const store = storeFile()
    const tools = mcpTools({ odd: { command: process.execPath, args: [server, 'doubling'] } })
    const engineFor = () => createEngine({ model: { model, nativeTools }, store, tools })
    const defaults = { approval: 'allow-all' as const }
    const { post, json } = await serveHere({ store, service: { engineFor, defaults } })
    const response = await post('/api/runs', { goal: 'what is 6 * 7?', strategy: 'minimal' })
    const { run } = (await response.json()) as { run: string }
    expect(await json('/api/health')).toMatchObject({ ok: true })
    await expect.poll(() => json(`/api/runs/${run}`)).toMatchObject({ outcome: { status: 'completed' } })
    const [asked] = model.doGenerateCalls
    expect(asked?.tools === undefined).toBe(!nativeTools)
    expect(JSON.stringify(asked)).toContain('odd__doubling')
    expect(JSON.stringify(asked).length).toBeLessThan(200_000)
  },
)

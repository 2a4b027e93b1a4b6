/** What servers and files of other processes send: MCP messages, replies of providers, exported runs, recordings. */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as sdk from '@modelcontextprotocol/client'
import { createEngine } from '../../../src/engine.ts'
import type { Store } from '../../../src/kernel/store.ts'
import { openModel } from '../../../src/models/open-model.ts'
import { readTraffic } from '../../../src/models/recording/traffic-file.ts'
import { DecodingBudget } from '../../../src/protocol/decoding-budget.ts'
import { emptyState, foldEvent, isObject, parseJson } from '../../../src/protocol/index.ts'
import { exportRun } from '../../../src/store/export-run.ts'
import { importRun } from '../../../src/store/import-run.ts'
import { memoryStore } from '../../../src/store/memory.ts'
import { foreignTool } from '../../../src/tools/mcp/foreign-words.ts'
import { toResult } from '../../../src/tools/mcp/result.ts'
import { StdioTransport } from '../../../src/tools/mcp/stdio-transport.ts'
import { ask, testIo } from '../../models/model-io.ts'
import type { Family } from './family.ts'

const JSON_WORDS = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"a"',
  'null',
  'true',
  '1e999',
  '"text"',
  '"type":"text"',
  '\n',
  '{}',
  '""',
]

const MESSAGES = [
  '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"ok"},{"type":"image","data":"AAAA","mimeType":"image/png"}]}}\n',
  '{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"resource","resource":{"uri":"a:b","text":"x"}}],"structuredContent":{"a":[1,{"b":2}]}}}\n',
  '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":2}}\n',
  '{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"no"}}\nWelcome!\n{"not":"a message"}\n',
  '{"jsonrpc":"2.0","id":4,"result":{"tools":[{"name":"a","description":"d","inputSchema":{"type":"object","properties":{"p":{"type":"string","description":"x"}}}}]}}\n',
  '{"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"resource_link","uri":"a:b","name":"n"},{"type":"audio","data":"A","mimeType":"a/b"}],"isError":true}}\n',
]

export const mcp: Family = {
  name: 'MCP messages',
  share: 10,
  samples: MESSAGES,
  words: [...JSON_WORDS, '"jsonrpc":"2.0"', '"content":', '"id":1', '"structuredContent":', '"inputSchema":'],
  async read(input, pick) {
    const transport = new StdioTransport({ command: 'none' }, {}, sdk, new DecodingBudget('a line'))
    const arrived: sdk.JSONRPCMessage[] = []
    transport.onmessage = (message) => void arrived.push(message)
    const bytes = Buffer.from(input)
    for (let at = 0; at < bytes.length; ) {
      const next = at + 1 + pick(200)
      transport['receive'](bytes.subarray(at, next))
      at = next
    }
    for (const message of arrived) await readResult('result' in message ? message.result : undefined)
  },
}

/** As the SDK hands it over: checked by its schemas. */
async function readResult(result: unknown): Promise<void> {
  const options = { maxTextChars: 1_000, redact: (text: string) => text }
  if (sdk.isCallToolResult(result))
    await toResult(result.content ?? [], result.structuredContent, options, new DecodingBudget('a result'))
  const { tools } = (isObject(result) ? result : {}) as { tools?: unknown }
  for (const tool of Array.isArray(tools) ? tools : [])
    if (typeof tool?.description === 'string' && isObject(tool.inputSchema))
      foreignTool('s', tool.description, tool.inputSchema)
}

const chunk = (delta: string) => `data: {"id":"1","choices":[{"index":0,"delta":${delta}}]}\n\n`
const REPLIES = [
  `${chunk('{"role":"assistant","content":"Six"}')}${chunk('{"content":" is it"}')}data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}\n\ndata: [DONE]\n\n`,
  `${chunk('{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"a","arguments":"{\\"x\\":"}}]}')}${chunk('{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}')}data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n`,
  `: ping\n\n${chunk('{"reasoning_content":"hm"}')}data: {"error":{"message":"overloaded","type":"server_error"}}\n\n`,
  '{"id":"1","choices":[{"index":0,"message":{"role":"assistant","content":"Six"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}',
  '{"error":{"message":"This model\'s maximum context length is 3000 tokens. However, you requested 5096 tokens","code":400}}',
  '<html><body>Sign in</body></html>',
]

let model: ReturnType<typeof openModel> | undefined

export const providers: Family = {
  name: 'providers',
  share: 4,
  samples: REPLIES,
  words: [
    ...JSON_WORDS,
    'data: ',
    '\n\n',
    '[DONE]',
    ': ping\n\n',
    '"choices":[',
    '"delta":',
    '"usage":',
    'event: x\n',
    '\r\n',
  ],
  async read(input, pick) {
    process.env.THINKON_PROBE = 'off'
    const resilience = { maxAttempts: 1, maxConcurrent: 1 }
    model ??= openModel({ model: 'http://127.0.0.1:9/v1#m', window: 10_000, resilience })
    const status = [200, 200, 200, 400, 429, 500][pick(6)] as number
    const type = input.startsWith('data') ? 'text/event-stream' : 'application/json'
    const before = globalThis.fetch
    globalThis.fetch = async () => new Response(input, { status, headers: { 'content-type': type } })
    try {
      const schema = { type: 'object', properties: { a: { type: 'string' } } }
      await (await model).call(ask('What?', pick(4) === 0 ? { schema } : {}), testIo())
    } finally {
      globalThis.fetch = before
    }
  },
}

/** A real run, exported. */
async function exported(): Promise<string> {
  const store: Store = memoryStore()
  const engine = createEngine({ model: 'embedded:abacus', store })
  const run = await engine.start('(3 + 4) * (2 + 5)', { strategy: 'fractal' })
  await run.outcome
  let text = ''
  for await (const line of exportRun(store, run.id)) text += line
  await engine.close()
  return text
}

const RUN = await exported()

/** With the check sum that it would have: otherwise all but the first look at it would be at that. */
function sealed(text: string): string {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('{"end"'))
  const body = lines.map((line) => `${line}\n`).join('')
  const sha256 = createHash('sha256').update(body).digest('hex')
  return `${body}${JSON.stringify({ end: { lines: lines.length, sha256 } })}\n`
}

export const journals: Family = {
  name: 'journals',
  share: 6,
  samples: [RUN],
  words: [
    ...JSON_WORDS,
    '"row":',
    '"blob":',
    '"seq":1',
    '"path":"1-1"',
    '"type":"block-start"',
    '"count":9',
    '\\"',
    '"body":"{}"',
  ],
  async read(input, pick) {
    const store = memoryStore()
    const imported = await importRun(store, [pick(4) === 0 ? input : sealed(input)], { as: 'r' })
    const state = emptyState()
    for (const event of store.read(imported.run)) foldEvent(state, event)
  },
}

const EVENTS = RUN.split('\n').flatMap((line) => {
  const row = parseJson(line)
  return isObject(row) && isObject(row.row) && typeof row.row.body === 'string' ? [row.row.body] : []
})
const recording = join(tmpdir(), `thinkon-fuzz-${process.pid}.jsonl`)

export const recordings: Family = {
  name: 'recordings',
  share: 3,
  samples: [
    '{"v":1,"key":"k","model":"m","path":"1","n":1,"request":{"kind":"a","messages":[]},"reply":{"text":"x","usage":{"inputTokens":1,"outputTokens":1}}}\n',
    ...EVENTS.slice(0, 20),
  ],
  words: [...JSON_WORDS, '"v":1', '"request":', '"reply":'],
  async read(input) {
    writeFileSync(recording, input)
    await readTraffic(recording)
  },
}

/** A service with its MCP server, and real clients of it, of both generations of the protocol, that need no network. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  Client,
  type ClientCapabilities,
  type CreateMessageRequestParams,
  type ElicitRequestFormParams,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import type { ToolSources } from '../../src/engine/tools/tool-source.ts'
import { createEngine } from '../../src/engine.ts'
import type { Model } from '../../src/kernel/model.ts'
import type { Strategy } from '../../src/kernel/strategy.ts'
import { samplingModel } from '../../src/models/sampling/sampling-model.ts'
import { type McpAppOptions, mcpApp } from '../../src/server/mcp/app.ts'
import { createSamplingDesk, type DeskTimes } from '../../src/server/mcp/sampling-desk.ts'
import { createService, type Service, type ServiceOptions } from '../../src/server/service.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { asksTwice } from '../presses.ts'

export const ERAS = ['modern', 'legacy'] as const
export type Era = (typeof ERAS)[number]

const ends: (() => unknown)[] = []

export function onEnd(end: () => unknown): void {
  ends.push(end)
}

export async function endAll(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end()
}

export const strategyOf = (name: string, solve: Strategy['solve']): Strategy => ({
  name,
  version: 1,
  options: (given) => given,
  solve,
})

/** Asks a person, and answers with what they say. */
export const asker = strategyOf('asker', async (context) => {
  const question = { text: 'Which colour?', choices: ['red', 'green'], fallback: 'red' }
  return `they want ${await context.one(context.ask(question))}`
})

/** Two children that ask at the same time. */
export const askers = strategyOf('askers', async (context) => {
  if (context.path !== '1') return String(await context.one(context.ask({ text: `${context.path}?` })))
  const results = await context.all([context.call('first'), context.call('second')])
  return results.map((result) => (result.ok ? result.value.result : '-')).join(' and ')
})

export interface Opening extends Partial<ServiceOptions> {
  model?: Model
  tools?: ToolSources
  store?: string
  desk?: DeskTimes
  app?: McpAppOptions
}

export function open({ model, tools, store, desk: times, app: appOptions, ...options }: Opening = {}) {
  const desk = createSamplingDesk(times)
  const scripted = model ?? new ScriptedModel(() => ({ do: 'return', result: 'done' }))
  const strategies = (options.strategies ?? [asker, askers, asksTwice]) as readonly Strategy[]
  const place = store ?? storeFile()
  const engineWith = (of: Model) =>
    createEngine({ model: of, store: place, strategies, ...(tools && { tools }) })
  const service: Service = createService({
    engineFor: (spec) => engineWith(spec === 'mcp:client' ? samplingModel(desk) : scripted),
    models: ['scripted'],
    strategies,
    defaults: { strategy: 'minimal' },
    ...options,
  })
  const app = mcpApp(service, { desk, ...appOptions })
  onEnd(async () => {
    await app.close()
    await service.close()
  })
  return { service, app, fetch: async (request: Request) => app.fetch(request) }
}

/** Two engines can't share one in memory. */
function storeFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-mcp-'))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'runs.db')
}

export interface Behaviour {
  capabilities?: ClientCapabilities
  elicit?: (params: ElicitRequestFormParams) => unknown
  sample?: (params: CreateMessageRequestParams) => unknown
  maxRounds?: number
}

export async function connect(
  { fetch }: { fetch(request: Request): Promise<Response> },
  era: Era,
  { capabilities = {}, elicit, sample, maxRounds }: Behaviour = {},
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: {
        ...(elicit && { elicitation: {} }),
        ...(sample && { sampling: {} }),
        ...capabilities,
      },
      versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' },
      ...(maxRounds !== undefined && { inputRequired: { maxRounds } }),
    },
  )
  if (elicit) client.setRequestHandler('elicitation/create', ({ params }) => elicit(params as never) as never)
  if (sample) client.setRequestHandler('sampling/createMessage', ({ params }) => sample(params) as never)
  await client.connect(
    new StreamableHTTPClientTransport(new URL('http://127.0.0.1/'), {
      fetch: async (url, init) => fetch(new Request(url, init)),
    }),
  )
  onEnd(() => client.close())
  return client
}

/** The structured result of a tool; throws the text of one that failed. */
export async function call(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Reported> {
  const result = await client.callTool({ name, arguments: args })
  if (result.isError && result.structuredContent === undefined) throw new Error(textOf(result))
  return { ...(result.structuredContent as object), text: textOf(result) } as Reported
}

export interface Reported {
  run: string
  status: string
  result?: string
  value?: unknown
  reason?: string
  questions?: { id: number; path: string; text: string }[]
  runs?: { run: string; status: string }[]
  text: string
}

export function textOf({ content }: { content: readonly unknown[] }): string {
  return content.map((block) => (block as { text?: string }).text ?? '').join('\n')
}

/** The tools, resources and prompts of MCP servers, as tools of a run. Nothing is started before its first use. */
import type { CallToolResult, ListToolsResult } from '@modelcontextprotocol/client'
import type { Schema } from '../../kernel/schema.ts'
import type { Tool, ToolAccess, ToolIo } from '../../kernel/tool.ts'
import { unlessAborted } from '../../kernel/unless-aborted.ts'
import { defined, isObject, ThinkonError } from '../../protocol/index.ts'
import type { McpClient, McpOptions, McpPrompt, McpResource, McpResult } from './api.ts'
import { Connection } from './connection.ts'
import { foreignTool, foreignWords, MAX_LISTED } from './foreign-words.ts'
import { permittedBlocks } from './permitted-blocks.ts'
import { type ResultOptions, toResult } from './result.ts'
import { type McpServers, readServers } from './server-config.ts'
import { toolNamer } from './tool-names.ts'

const DEFAULTS = {
  startTimeoutMs: 60_000,
  timeoutMs: 120_000,
  maxRestarts: 5,
  restartDelayMs: 200,
  maxResultChars: 1_000_000,
}

/** Throws BAD_INPUT if the configuration is invalid. */
export function mcpClient(servers: McpServers, options: McpOptions = {}): McpClient {
  const settings = { ...DEFAULTS, ...defined(options) }
  const nameOf = toolNamer()
  const list = readServers(servers, options.environment).map((server) => {
    const connection = new Connection(server, {
      ...settings,
      onListChanged: (changed) => {
        if (changed === 'tools') found.listed = null
        options.onListChanged?.(server.name, changed)
      },
    })
    const result: ResultOptions = {
      maxTextChars: settings.maxResultChars,
      redact: connection.redact.result,
      saveBlob: options.saveBlob,
    }
    const found: Server = { connection, result, nameOf, listed: null }
    return found
  })

  async function each<T>(get: (server: Server) => Promise<T[]>): Promise<T[]> {
    const results = await Promise.allSettled(list.map(get))
    return results.flatMap((result, at) => {
      if (result.status === 'fulfilled') return result.value
      const { onProblem } = options
      if (onProblem === undefined || result.reason?.code === 'CANCELLED') throw result.reason
      onProblem((list[at] as Server).connection.name, result.reason)
      return []
    })
  }

  function named(name: string): Server {
    const found = list.find((server) => server.connection.name === name)
    if (found !== undefined) return found
    const available = list.map((server) => server.connection.name)
    const message = `no MCP server "${name}"; there are: ${available.join(', ') || 'none'}`
    throw new ThinkonError('BAD_INPUT', message, { data: { name, available } })
  }

  return {
    tools: (signal = NEVER) => each((server) => toolsOf(server, signal)),
    resources: (signal = NEVER) => each((server) => resourcesOf(server, signal)),
    prompts: (signal = NEVER) => each((server) => promptsOf(server, signal)),
    readResource: async (server, uri, signal = NEVER) =>
      readResource(named(server), uri, { signal, permits: anything }),
    getPrompt: async (server, name, args = {}, signal = NEVER) =>
      getPrompt(named(server), name, args, { signal, permits: anything }),
    close: async () => {
      await Promise.all(list.map((server) => server.connection.close()))
    },
  }
}

type PromptArguments = Readonly<Record<string, string>>

interface Server {
  readonly connection: Connection
  readonly result: ResultOptions
  readonly nameOf: ReturnType<typeof toolNamer>
  listed: Promise<Tool[]> | null
}

const NEVER = new AbortController().signal
const anything = () => 'allow' as const

/** Of a request: when to give it up, and what may be seen of the answer. */
type Request = Pick<ToolIo, 'signal' | 'permits'> & Partial<Pick<ToolIo, 'workspace'>>

function toolsOf(server: Server, signal: AbortSignal): Promise<Tool[]> {
  // Shared by all callers: one that stops waiting does not end it for the others.
  const listed = server.listed ?? list(server)
  server.listed = listed
  // The next caller lists again, unless a change has already caused that.
  listed.catch(() => {
    if (server.listed === listed) server.listed = null
  })
  return unlessAborted(listed, signal, () => new ThinkonError('CANCELLED', 'the list of tools was cancelled'))
}

async function list(server: Server): Promise<Tool[]> {
  const { connection } = server
  return connection.use('the list of its tools', NEVER, async ({ client }, request) => {
    const { tools } = await client.listTools(undefined, { ...request, cacheMode: 'refresh' })
    const { only } = connection.config
    const wanted = tools.filter((tool) => only === undefined || only.includes(tool.name))
    if (wanted.length > MAX_LISTED) throw tooMany(connection.name, wanted.length)
    const offered = wanted
      // Such a tool can only be started as a task, which this client does not support.
      .filter((tool) => tool.execution?.taskSupport !== 'required')
      .map((tool) => toolOf(server, tool))
    const can = client.getServerCapabilities()
    if (only === undefined && can?.resources) offered.push(resourceTool(server))
    if (only === undefined && can?.prompts) offered.push(promptTool(server))
    return offered
  })
}

function tooMany(server: string, count: number): ThinkonError {
  const message = `MCP server "${server}" lists ${count} tools, and the most is ${MAX_LISTED}: name those you need in "only" of its configuration`
  return new ThinkonError('TOOL_ERROR', message, { data: { server } })
}

function toolOf(server: Server, listed: ListToolsResult['tools'][number]): Tool {
  const { connection, result, nameOf } = server
  const { trust, access = {}, idempotent = [] } = connection.config
  const hints = trust === true ? (listed.annotations ?? {}) : {}
  const words = listed.description ?? listed.title ?? listed.name
  const { description, schema } = foreignTool(connection.name, words, listed.inputSchema)
  const does = access[listed.name] ?? (hints.readOnlyHint === true ? 'read' : unknownAccess(connection))
  return {
    name: nameOf(connection.name, listed.name),
    description,
    access: does,
    ...(does !== 'read' && { needsPolicy: true }),
    idempotent: idempotent.includes(listed.name) || hints.idempotentHint === true,
    input: argumentsSchema(schema),
    run: async (input, io) => {
      const params = { name: listed.name, arguments: input as Record<string, unknown> }
      const what = `the call of "${listed.name}"`
      const reply: CallToolResult = await connection.use(what, io.signal, ({ client }, request) =>
        client.callTool(params, request),
      )
      connection.proven()
      const blocks = permittedBlocks(reply.content, io)
      const value = await toResult(blocks, reply.structuredContent, result, connection.resultBudget())
      if (reply.isError !== true) return value
      throw new ThinkonError('TOOL_ERROR', value.text ?? `"${listed.name}" failed and did not say why`, {
        data: { server: connection.name, tool: listed.name, result: value },
      })
    },
  }
}

/** The access class of an unknown program: a local one can do anything, a remote one at least needs the network. */
function unknownAccess(connection: Connection): ToolAccess {
  return 'url' in connection.config ? 'network' : 'execute'
}

/** The server checks the arguments: it knows its schema's dialect, and reports what is wrong. */
function argumentsSchema(json: Readonly<Record<string, unknown>>): Schema {
  return {
    json,
    check: (value) => {
      if (value === undefined || value === null) return {}
      if (isObject(value)) return value
      throw new ThinkonError('BAD_INPUT', 'the arguments must be a JSON object')
    },
  }
}

/** Reads what it is asked for by name, and lists what there is without one. */
function readingTool(
  { connection, nameOf }: Server,
  { name, properties, ...rest }: Pick<Tool, 'name' | 'description' | 'run'> & { properties: object },
): Tool {
  return {
    ...rest,
    name: nameOf(connection.name, name),
    ...(connection.config.trust === true
      ? { access: 'read' }
      : { access: unknownAccess(connection), needsPolicy: true }),
    idempotent: true,
    input: argumentsSchema({ type: 'object', properties }),
  }
}

function resourceTool(server: Server): Tool {
  return readingTool(server, {
    name: 'read_resource',
    description: `Reads a resource of "${server.connection.name}" by its uri. Without a uri: the list of its resources.`,
    properties: { uri: { type: 'string' } },
    run: (input, io) => {
      const { uri } = input as { uri?: unknown }
      if (uri === undefined || uri === '') return resourcesOf(server, io.signal)
      return readResource(server, text(uri, 'uri'), io)
    },
  })
}

function promptTool(server: Server): Tool {
  return readingTool(server, {
    name: 'get_prompt',
    description: `Gets a prompt of "${server.connection.name}" by its name, with its arguments filled in. Without a name: the list of its prompts.`,
    properties: {
      name: { type: 'string' },
      arguments: { type: 'object', additionalProperties: { type: 'string' } },
    },
    run: (input, io) => {
      const { name, arguments: args = {} } = input as { name?: unknown; arguments?: unknown }
      if (name === undefined || name === '') return promptsOf(server, io.signal)
      const filled = Object.entries(args as object).map(([key, value]) => [key, text(value, key)])
      return getPrompt(server, text(name, 'name'), Object.fromEntries(filled), io)
    },
  })
}

function text(value: unknown, name: string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new ThinkonError('BAD_INPUT', `"${name}" must be a text`)
}

async function resourcesOf({ connection }: Server, signal: AbortSignal): Promise<McpResource[]> {
  const server = connection.name
  return connection.use('the list of its resources', signal, async ({ client }, request) => {
    if (!client.getServerCapabilities()?.resources) return []
    const fresh = { ...request, cacheMode: 'refresh' as const }
    const { resources } = await client.listResources(undefined, fresh)
    // Many servers have no templates and answer with an error.
    const { resourceTemplates } = await client
      .listResourceTemplates(undefined, fresh)
      .catch(() => ({ resourceTemplates: [] }))
    return [
      ...resources.map((resource) => ({ server, ...resourceWords(resource) })),
      ...resourceTemplates.map(({ uriTemplate: uri, ...about }) => ({
        server,
        ...resourceWords({ uri, ...about }),
        template: true as const,
      })),
    ].slice(0, MAX_LISTED)
  })
}

type ResourceWords = Pick<McpResource, 'uri' | 'name'> & {
  description?: string | undefined
  mimeType?: string | undefined
}

function resourceWords({ uri, name, description, mimeType }: ResourceWords) {
  const words = {
    description: description && foreignWords(description),
    mimeType: mimeType && foreignWords(mimeType),
  }
  return { uri: foreignWords(uri, MAX_URI), name: foreignWords(name), ...defined(words) }
}

/** A longer address could not be read by what is left of it. */
const MAX_URI = 2_000

async function readResource({ connection, result }: Server, uri: string, io: Request): Promise<McpResult> {
  const { contents } = await connection.use(`the reading of ${uri}`, io.signal, ({ client }, request) =>
    client.readResource({ uri }, { ...request, cacheMode: 'refresh' }),
  )
  connection.proven()
  const blocks = contents.map((resource) => ({ type: 'resource' as const, resource }))
  return toResult(permittedBlocks(blocks, io), undefined, result, connection.resultBudget())
}

async function promptsOf({ connection }: Server, signal: AbortSignal): Promise<McpPrompt[]> {
  const server = connection.name
  return connection.use('the list of its prompts', signal, async ({ client }, request) => {
    if (!client.getServerCapabilities()?.prompts) return []
    const { prompts } = await client.listPrompts(undefined, { ...request, cacheMode: 'refresh' })
    return prompts.slice(0, MAX_LISTED).map(({ name, description, arguments: args = [] }) => ({
      server,
      name: foreignWords(name),
      ...defined({ description: description && foreignWords(description) }),
      arguments: args.slice(0, MAX_ARGUMENTS).map((one) => ({
        name: foreignWords(one.name),
        ...defined({ description: one.description && foreignWords(one.description) }),
        required: one.required === true,
      })),
    }))
  })
}

const MAX_ARGUMENTS = 50

async function getPrompt(
  { connection, result }: Server,
  name: string,
  args: PromptArguments,
  io: Request,
): Promise<McpResult> {
  const { messages } = await connection.use(`the prompt "${name}"`, io.signal, ({ client }, request) =>
    client.getPrompt({ name, arguments: args }, request),
  )
  connection.proven()
  const blocks = messages.map(({ content }) => content)
  return toResult(permittedBlocks(blocks, io), undefined, result, connection.resultBudget())
}

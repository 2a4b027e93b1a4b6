/** One MCP server: tools, resources and prompts over a service. There is one for each connection, or for each request over HTTP. */
import { type CallToolResult, type InputRequiredResult, Server } from '@modelcontextprotocol/server'
import { errorText, nearest, ThinkonError } from '../../protocol/index.ts'
import { checkSchema, violationText } from '../../schema/check-schema.ts'
import { VERSION } from '../../version.ts'
import { type Caller, callerOf, type Door } from './door.ts'
import { inRounds } from './legacy-rounds.ts'
import { LOOK_TOOLS } from './look-tools.ts'
import { getPrompt, listPrompts } from './prompts.ts'
import { completeRun, listResources, readResource, TEMPLATES } from './resources.ts'
import { runTools } from './run-tools.ts'
import { runOfUri } from './run-uri.ts'
import { STEER_TOOLS } from './steer-tools.ts'
import type { McpTool } from './tool.ts'

const INSTRUCTIONS =
  'Thinkon works out goals that take more than one answer: it plans, acts with tools, judges its results, and records every step. ' +
  'Call "run" with the goal. If the status is "running", call "wait" with the handle (run) until it has ended; the run goes on meanwhile, ' +
  'and can be waited for in another session, too. If there are questions, ask the person, call "answer" with what they say, then "wait". ' +
  '"show" draws the tree of a run, "list" finds older runs, "strategies" tells the ways of reasoning and their options.'

export interface McpServerOptions {
  /** The 2026-07-28 protocol. */
  readonly isModern: boolean
  /** It lives as long as its connection, and tells it of new runs. */
  readonly stays: boolean
}

export function mcpServer(door: Door, { isModern, stays }: McpServerOptions): Server {
  const { service, updates } = door
  const tools = new Map([...runTools(door), ...LOOK_TOOLS, ...STEER_TOOLS].map((tool) => [tool.name, tool]))
  const server = new Server(
    { name: 'thinkon', title: 'Thinkon', version: VERSION },
    {
      capabilities: {
        tools: { listChanged: false },
        prompts: { listChanged: false },
        resources: { listChanged: true, subscribe: true },
        completions: {},
      },
      instructions: INSTRUCTIONS,
    },
  )
  server.setRequestHandler('tools/list', () => ({ tools: [...tools.values()].map(listed) }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const caller = callerOf(server, context, isModern)
    const call = (by: Caller) => callTool(door, tools, params.name, params.arguments, by)
    const result = isModern ? await call(caller) : await inRounds(caller, call)
    if (result.resultType === 'input_required') return result
    const { outputSchema } = tools.get(params.name) ?? {}
    return server.projectCallToolResult(result as CallToolResult, outputSchema)
  })
  const look = <T>(context: Parameters<typeof callerOf>[1], work: () => T): T => {
    callerOf(server, context, isModern).require('look')
    return work()
  }
  server.setRequestHandler('resources/list', ({ params }, context) =>
    look(context, () => listResources(door, params?.cursor)),
  )
  server.setRequestHandler('resources/templates/list', () => TEMPLATES)
  server.setRequestHandler('resources/read', ({ params }, context) =>
    look(context, () => readResource(door, params.uri)),
  )
  server.setRequestHandler('prompts/list', () => listPrompts(service))
  server.setRequestHandler('prompts/get', ({ params }) => getPrompt(service, params.name, params.arguments))
  server.setRequestHandler('completion/complete', ({ params: { ref, argument } }, context) =>
    look(context, () =>
      ref.type === 'ref/resource' && argument.name === 'run'
        ? completeRun(door, argument.value)
        : { completion: { values: [] } },
    ),
  )
  if (!stays) return server
  const unlisten = updates.onListChanged(() => void server.sendResourceListChanged().catch(() => {}))
  const subscribed = isModern ? new Map<string, () => void>() : subscriptions(door, server)
  server.onclose = () => {
    unlisten()
    for (const stop of subscribed.values()) stop()
  }
  return server
}

/** What a client of before 2026-07-28 subscribes to; later ones listen to a stream, which the transports serve. */
function subscriptions({ updates }: Door, server: Server): Map<string, () => void> {
  const subscribed = new Map<string, () => void>()
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    if (runOfUri(uri) !== null && !subscribed.has(uri) && subscribed.size < MAX_SUBSCRIPTIONS)
      subscribed.set(
        uri,
        updates.subscribe(uri, () => void server.sendResourceUpdated({ uri }).catch(() => {})),
      )
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    subscribed.get(uri)?.()
    subscribed.delete(uri)
    return {}
  })
  return subscribed
}

export const MAX_SUBSCRIPTIONS = 100

function listed({ name, title, description, annotations, inputSchema, outputSchema }: McpTool) {
  return { name, title, description, annotations, inputSchema, ...(outputSchema && { outputSchema }) }
}

/** Whatever goes wrong is the tool's error: its text is for whoever called it. */
async function callTool(
  door: Door,
  tools: ReadonlyMap<string, McpTool>,
  name: string,
  args: Record<string, unknown> = {},
  caller: Caller,
): Promise<CallToolResult | InputRequiredResult> {
  try {
    const tool = tools.get(name)
    if (tool === undefined) throw noTool(name, tools)
    caller.require(tool.does)
    const problems = checkSchema(args, tool.inputSchema).map((violation) =>
      violationText(violation, 'the input'),
    )
    if (problems.length > 0)
      throw new ThinkonError('BAD_INPUT', `${name}: ${problems.join('; ')}`, { data: { problems } })
    return await tool.call(door, args, caller)
  } catch (thrown) {
    const code = ThinkonError.isInstance(thrown) ? thrown.code : 'INTERNAL'
    return {
      content: [{ type: 'text', text: errorText(thrown) }],
      isError: true,
      _meta: { 'thinkon/code': code },
    }
  }
}

function noTool(name: string, tools: ReadonlyMap<string, McpTool>): ThinkonError {
  const near = nearest(name, tools.keys())
  const hint =
    near === undefined ? `; there are: ${[...tools.keys()].join(', ')}` : `: did you mean "${near}"?`
  return new ThinkonError('NO_SUCH_TOOL', `there is no tool "${name}"${hint}`)
}

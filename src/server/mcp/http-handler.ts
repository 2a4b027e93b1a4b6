/**
 * The MCP server over streamable HTTP. Requests of 2026-07-28 stand for themselves: each gets a server of its own. Clients from before have
 * sessions, without which nothing could be asked of them.
 */
import { randomUUID } from 'node:crypto'
import {
  type AuthInfo,
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  legacyStatelessFallback,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Door } from './door.ts'
import { listenedTo } from './listened-to.ts'
import { MAX_SUBSCRIPTIONS, mcpServer } from './mcp-server.ts'

export interface HttpHandler {
  /** `body` is what the request had as JSON; undefined if it has none. */
  fetch(request: Request, body: unknown, authInfo?: AuthInfo): Promise<Response>
  /** Ends streams and sessions; runs stay as they are. */
  close(): Promise<void>
}

interface Given {
  readonly parsedBody?: unknown
  readonly authInfo?: AuthInfo
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: Server
  usedMs: number
}

const MAX_SESSIONS = 200
const IDLE_MS = 3_600_000

export function httpHandler(door: Door, onerror: (error: unknown) => void): HttpHandler {
  const { limits, updates } = door
  const modern = createMcpHandler(() => mcpServer(door, { isModern: true, stays: false }), {
    legacy: 'reject',
    maxSubscriptions: MAX_SUBSCRIPTIONS,
    onerror,
  })
  const unlisten = updates.onListChanged(() => modern.notify.resourcesChanged())
  const sessions = createSessions(door)
  const stateless = legacyStatelessFallback(() => mcpServer(door, { isModern: false, stays: false }), onerror)

  async function handle(request: Request, given: Given): Promise<Response> {
    if (await isLegacyRequest(request, given.parsedBody))
      return (await sessions.handle(request, given)) ?? stateless(request, given)
    return modern.fetch(request, given)
  }

  return {
    async fetch(request, parsedBody, authInfo) {
      const free = limits?.openStream()
      const stops = listenedTo(parsedBody).map((uri) =>
        updates.subscribe(uri, () => modern.notify.resourceUpdated(uri)),
      )
      const end = () => {
        free?.()
        for (const stop of stops) stop()
      }
      try {
        const given = { ...(parsedBody !== undefined && { parsedBody }), ...(authInfo && { authInfo }) }
        return whenEnded(await handle(request, given), end)
      } catch (thrown) {
        end()
        throw thrown
      }
    },
    async close() {
      unlisten()
      await modern.close()
      await sessions.close()
    },
  }
}

function createSessions(door: Door) {
  const sessions = new Map<string, Session>()

  async function begun(request: Request, given: Given): Promise<Response> {
    await makeRoom()
    const server = mcpServer(door, { isModern: false, stays: true })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, session),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    const session = { transport, server, usedMs: Date.now() }
    await server.connect(transport)
    const response = await transport.handleRequest(request, given)
    // It was refused: nobody can come back to it.
    if (transport.sessionId === undefined) await server.close()
    return response
  }

  /** A client that is idle for long opens a new session when it comes back. */
  async function makeRoom(): Promise<void> {
    const byAge = [...sessions].sort(([, a], [, b]) => a.usedMs - b.usedMs)
    const late = byAge.filter(
      ([, { usedMs }], i) => usedMs < Date.now() - IDLE_MS || byAge.length - i > MAX_SESSIONS - 1,
    )
    for (const [id, { server }] of late) {
      sessions.delete(id)
      await server.close().catch(() => {})
    }
  }

  return {
    /** Null if the request is of none: it is served by itself. */
    async handle(request: Request, given: Given): Promise<Response | null> {
      const id = request.headers.get('mcp-session-id')
      if (id === null) return isInitializeRequest(given.parsedBody) ? begun(request, given) : null
      const session = sessions.get(id)
      if (session === undefined) return noSession()
      session.usedMs = Date.now()
      return session.transport.handleRequest(request, given)
    },
    async close() {
      for (const { server } of sessions.values()) await server.close().catch(() => {})
      sessions.clear()
    },
  }
}

/** Calls back when the whole answer was sent, or nobody reads it any more. */
function whenEnded(response: Response, end: () => void): Response {
  if (response.body === null || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
    end()
    return response
  }
  return new Response(response.body.pipeThrough(new TransformStream({ flush: end, cancel: end })), response)
}

/** By the protocol the client opens a new session then. */
function noSession(): Response {
  const error = { code: -32001, message: 'this session is not known (any more): initialize a new one' }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 })
}

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
  fetch(request: Request, authInfo?: AuthInfo): Promise<Response>
  /** Ends streams and sessions; runs stay as they are. */
  close(): Promise<void>
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: Server
  usedMs: number
}

const MAX_SESSIONS = 200
const IDLE_MS = 3_600_000

export function httpHandler(door: Door, onProblem: (message: string) => void): HttpHandler {
  const { updates } = door
  const onerror = ({ message }: Error) => onProblem(message)
  const modern = createMcpHandler(() => mcpServer(door, { isModern: true, stays: false }), {
    legacy: 'reject',
    maxSubscriptions: MAX_SUBSCRIPTIONS,
    onerror,
  })
  const unlisten = updates.onListChanged(() => modern.notify.resourcesChanged())
  const sessions = createSessions(door)
  const stateless = legacyStatelessFallback(() => mcpServer(door, { isModern: false, stays: false }), onerror)

  return {
    async fetch(request, authInfo) {
      const more = authInfo === undefined ? {} : { authInfo }
      if (await isLegacyRequest(request)) {
        const session = await sessions.of(request)
        if (session === 'unknown') return noSession()
        return session === null ? stateless(request, more) : session.transport.handleRequest(request, more)
      }
      if (request.headers.get('mcp-method') === 'subscriptions/listen') {
        const uris = listenedTo(await bodyOf(request))
        const stops = uris.map((uri) => updates.subscribe(uri, () => modern.notify.resourceUpdated(uri)))
        request.signal.addEventListener('abort', () => stops.map((stop) => stop()), { once: true })
      }
      return modern.fetch(request, more)
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

  async function begin(): Promise<Session> {
    await makeRoom()
    const server = mcpServer(door, { isModern: false, stays: true })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, session),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    const session = { transport, server, usedMs: Date.now() }
    await server.connect(transport)
    return session
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
    async of(request: Request): Promise<Session | null | 'unknown'> {
      const id = request.headers.get('mcp-session-id')
      if (id === null) return isInitializeRequest(await bodyOf(request)) ? begin() : null
      const session = sessions.get(id)
      if (session === undefined) return 'unknown'
      session.usedMs = Date.now()
      return session
    },
    async close() {
      for (const { server } of sessions.values()) await server.close().catch(() => {})
      sessions.clear()
    },
  }
}

/** The request can be read again. Undefined if it is not JSON. */
async function bodyOf(request: Request): Promise<unknown> {
  if (request.method !== 'POST') return undefined
  return request
    .clone()
    .json()
    .catch(() => undefined)
}

/** By the protocol the client opens a new session then. */
function noSession(): Response {
  const error = { code: -32001, message: 'this session is not known (any more): initialize a new one' }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 })
}

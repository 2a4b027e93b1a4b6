/** The MCP server on stdio: one client, which has started this process and ends it by closing its input. */
import type { Readable, Writable } from 'node:stream'
import type { JSONRPCMessage, Server, Transport } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Door } from './door.ts'
import { listenedTo } from './listened-to.ts'
import { MAX_SUBSCRIPTIONS, mcpServer } from './mcp-server.ts'

export interface StdioOptions {
  readonly input: Readable
  /** Gets messages of the protocol and nothing else. */
  readonly output: Writable
  onProblem?(message: string): void
}

export interface StdioDoor {
  /** Resolves when the client has gone, or the connection was closed. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

/** Answers that a client may leave unread. Some write all their requests before they read. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024

export function serveMcpStdio(door: Door, options: StdioOptions): StdioDoor {
  const { input, output, onProblem } = options
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  let server: Server | null = null
  const changed = (uri: string) => void server?.sendResourceUpdated({ uri }).catch(() => {})
  const { transport, stop } = listening(new StdioServerTransport(input, output), door, {
    changed,
    closed: resolve,
    onMessage: pausing(options),
  })
  const handle = serveStdio(
    ({ era }) => {
      server = mcpServer(door, { isModern: era === 'modern', stays: true })
      return server
    },
    {
      transport,
      maxSubscriptions: MAX_SUBSCRIPTIONS,
      onerror: ({ message }) => onProblem?.(message),
    },
  )
  return {
    closed: closed.finally(stop),
    close: () => handle.close(),
  }
}

interface Heard {
  changed(uri: string): void
  closed(): void
  /** After each message. */
  onMessage(): void
}

/** Reads no more requests from a client that does not read the answers. */
function pausing({ input, output }: StdioOptions): () => void {
  return () => {
    if (output.writableLength < MAX_UNREAD_BYTES || input.isPaused()) return
    input.pause()
    output.once('drain', () => input.resume())
  }
}

/** The SDK serves streams of changes itself, and does not say what they are about: it is read on the way in. */
function listening(wire: StdioServerTransport, { updates }: Door, { changed, closed, onMessage }: Heard) {
  const streams = new Map<unknown, (() => void)[]>()
  const end = (id: unknown) => {
    for (const stop of streams.get(id) ?? []) stop()
    streams.delete(id)
  }
  const look = (message: JSONRPCMessage) => {
    if (!('method' in message)) return
    if (message.method === 'notifications/cancelled') end(message.params?.requestId)
    const uris = listenedTo(message)
    if (uris.length === 0 || !('id' in message) || streams.size >= MAX_SUBSCRIPTIONS) return
    end(message.id)
    streams.set(
      message.id,
      uris.map((uri) => updates.subscribe(uri, () => changed(uri))),
    )
  }
  const transport: Transport = {
    start: () => wire.start(),
    send: (message) => wire.send(message),
    close: () => wire.close(),
  }
  wire.onmessage = (message) => {
    look(message)
    transport.onmessage?.(message)
    onMessage()
  }
  wire.onerror = (error) => transport.onerror?.(error)
  wire.onclose = () => {
    transport.onclose?.()
    closed()
  }
  return {
    transport,
    stop() {
      for (const id of [...streams.keys()]) end(id)
    },
  }
}

/** The MCP server as a Hono application, to be mounted behind whatever decides who may. The SDK is loaded with the first request. */
import { Hono } from 'hono'
import { optionalPackage } from '../../kernel/optional-package.ts'
import { ThinkonError } from '../../protocol/index.ts'
import { viewsOf } from '../../strategies/registry.ts'
import type { StrategyViews } from '../../views/block-views.ts'
import type { Service } from '../service.ts'
import type { Door, Scope } from './door.ts'
import type { HttpHandler } from './http-handler.ts'
import { createRunUpdates } from './run-updates.ts'
import type { SamplingDesk } from './sampling-desk.ts'

export interface McpOptions {
  /** Where `mcp:client`, if it is one of the models, leaves its requests. */
  desk?: SamplingDesk
}

export interface McpAppOptions extends McpOptions {
  /** Told of messages that are none, and of connections that break. */
  onProblem?(message: string): void
}

export type McpApp = Hono & {
  /** Ends streams and sessions; runs stay as they are. */
  close(): Promise<void>
}

export function mcpApp(service: Service, options: McpAppOptions = {}): McpApp {
  const { onProblem = () => {} } = options
  let loading: Promise<HttpHandler> | null = null
  const handler = () => {
    loading ??= mcpSdk(() => import('./http-handler.ts')).then(({ httpHandler }) =>
      httpHandler(mcpDoor(service, options), onProblem),
    )
    return loading
  }
  const app = new Hono<{ Variables: { scopes?: readonly Scope[] } }>()
  app.all('/', async (context) => {
    const { fetch } = await handler()
    // As serviceApp has found them; without it, everything is allowed.
    const scopes = context.get('scopes')
    return fetch(context.req.raw, scopes && { token: '', clientId: 'thinkon', scopes: [...scopes] })
  })
  const close = async () => (await loading?.catch(() => null))?.close()
  return Object.assign(app as unknown as Hono, { close })
}

export function mcpDoor(service: Service, { desk }: McpOptions = {}): Door {
  let views: Promise<StrategyViews> | null = null
  return {
    service,
    desk: desk ?? null,
    updates: createRunUpdates(service),
    views() {
      views ??= viewsOf(service.strategies)
      return views
    },
  }
}

/** What needs the SDK, which does not come with Thinkon. */
export function mcpSdk<T>(load: () => Promise<T>): Promise<T> {
  return optionalPackage(
    '@modelcontextprotocol/server',
    load,
    (advice, data) => new ThinkonError('BAD_INPUT', `the MCP server ${advice}`, { data }),
  )
}

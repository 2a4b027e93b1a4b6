/** The MCP server as a Hono application, to be mounted behind whatever decides who may. The SDK is loaded with the first request. */
import { Hono } from 'hono'
import { orMissing } from '../../kernel/optional-package.ts'
import { ThinkonError } from '../../protocol/index.ts'
import { viewsOf } from '../../strategies/registry.ts'
import type { StrategyViews } from '../../views/block-views.ts'
import type { Mount } from '../http/app.ts'
import { type LimitOptions, type Limits, limitsOf } from '../http/limits.ts'
import { HttpError } from '../http/problem.ts'
import { bodyBudget, readJson } from '../http/read-body.ts'
import type { Caller } from '../scopes.ts'
import type { Service } from '../service.ts'
import type { Door } from './door.ts'
import type { HttpHandler } from './http-handler.ts'
import { refusal } from './refusal.ts'
import { createRunUpdates } from './run-updates.ts'
import type { SamplingDesk } from './sampling-desk.ts'

export interface McpOptions {
  /** Where `mcp:client`, if it is one of the models, leaves its requests. */
  desk?: SamplingDesk
  /** Those of `limitsOf` are shared with whoever else has them. */
  limits?: LimitOptions | Limits
}

export interface McpAppOptions extends McpOptions {
  /** Told of what goes wrong in the service itself, of messages that are none, and of connections that break. */
  onError?(thrown: unknown): void
}

export type McpApp = Hono & {
  /** Ends streams and sessions; runs stay as they are. */
  close(): Promise<void>
}

/** For `mounts` of serviceApp: `{ '/mcp': mcpMount(service) }`. Whoever may read may connect; each tool says what else it takes. */
export function mcpMount(service: Service, options: McpAppOptions = {}): Mount & Pick<McpApp, 'close'> {
  const app = mcpApp(service, options)
  return { app, does: () => 'look', refuse: refusal, close: app.close }
}

export function mcpApp(service: Service, options: McpAppOptions = {}): McpApp {
  const { onError = () => {} } = options
  const limits = limitsOf(options.limits)
  let loading: Promise<HttpHandler> | null = null
  const handler = () => {
    loading ??= mcpSdk(() => import('./http-handler.ts')).then(({ httpHandler }) =>
      httpHandler(mcpDoor(service, { ...options, limits }), onError),
    )
    return loading
  }
  const app = new Hono<{ Variables: { caller?: Caller } }>()
  app.onError((thrown) => refusal(thrown, onError))
  app.all('/', async (context) => {
    const { raw } = context.req
    const { fetch } = await handler()
    const body = raw.method === 'POST' ? await bodyOf(raw, limits) : undefined
    // As serviceApp has found them; without it, everything is allowed.
    const caller = context.get('caller')
    return fetch(raw, body, caller && { token: '', clientId: caller.client, scopes: [...caller.scopes] })
  })
  const close = async () => (await loading?.catch(() => null))?.close()
  return Object.assign(app as unknown as Hono, { close })
}

async function bodyOf(request: Request, { maxBodyBytes, bodyTimeoutMs }: Limits): Promise<unknown> {
  const body = await readJson(request, bodyBudget(maxBodyBytes), bodyTimeoutMs)
  if (body === undefined) throw new HttpError(400, 'the body is empty')
  return body
}

export function mcpDoor(service: Service, { desk, limits }: McpOptions = {}): Door {
  let views: Promise<StrategyViews> | null = null
  return {
    service,
    desk: desk ?? null,
    limits: limits === undefined ? null : limitsOf(limits),
    updates: createRunUpdates(service),
    views() {
      views ??= viewsOf(service.strategies)
      return views
    },
  }
}

/** What needs the SDK, which does not come with Thinkon. */
export function mcpSdk<T>(load: () => Promise<T>): Promise<T> {
  return orMissing(
    '@modelcontextprotocol/server',
    load,
    (advice, data) => new ThinkonError('BAD_INPUT', `the MCP server ${advice}`, { data }),
  )
}

/**
 * The HTTP API as a Hono application, made of the table of routes. It can be mounted anywhere: below a path of another Hono application,
 * in Express by a listener, in Next.js by a route handler.
 *
 * 1. What a handler gets was checked against the route's schemas: the same that the OpenAPI document shows.
 * 2. Every request passes the checks of access.ts before anything else is done with it.
 * 3. Every error is problem JSON.
 */
import { type Context, Hono } from 'hono'
import { checkDepth, errorText, ThinkonError } from '../../protocol/index.ts'
import { type Action, type Caller, ONE_CLIENT } from '../scopes.ts'
import type { Service } from '../service.ts'
import { requireFits } from '../start-request.ts'
import { type AccessOptions, accessOf } from './access.ts'
import { type LimitOptions, type Limits, limitsOf } from './limits.ts'
import { openApi } from './openapi.ts'
import { openApiPage } from './page.ts'
import { HttpError, problemResponse } from './problem.ts'
import { bodyBudget, readJson } from './read-body.ts'
import { readQuery } from './read-query.ts'
import type { Call, Route } from './route.ts'
import { ROUTES } from './routes/index.ts'

export interface AppOptions extends AccessOptions {
  /** What comes before its own paths in the requests that it gets, such as `/thinkon`: for Express and Next.js. */
  path?: string
  /** Those of `limitsOf` are shared with whoever else has them. */
  limits?: LimitOptions | Limits
  /** Other applications behind the same checks, by path. */
  mounts?: Readonly<Record<string, Mount>>
  /**
   * A page for people at `/`, such as Studio: the file at this path of it, null if there is none. Without it: the page of the API. Pages
   * have no data in them, and need no token.
   */
  page?(path: string): Promise<Response | null>
  /** Told of what goes wrong in the service itself. */
  onError?(thrown: unknown): void
}

export interface Mount {
  readonly app: Hono
  /** The action of the request, by which scopes.ts decides. */
  does(request: Request): Action
  /** The answer to a request that lacks a token or its scope, in the form of the application's protocol. Problem JSON, unless given. */
  refuse?(thrown: unknown): Response
  /** Ends what it holds open. */
  close?(): Promise<void>
}

/** Who sends a request, for mounted applications: `context.get('caller')`. */
export type AppContext = Context<{ Variables: { caller: Caller } }>

export const API_PREFIX = '/api'

const SAFE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
}

const MAX_SESSION_BYTES = 1_024
const SESSION_REQUEST = {
  type: 'object',
  properties: { code: { type: 'string', maxLength: 100 } },
  additionalProperties: false,
} as const

export function serviceApp(service: Service, options: AppOptions): Hono {
  if (options.tokens === undefined && options.authorize === undefined)
    throw new ThinkonError('BAD_INPUT', 'serviceApp: say who may: give tokens, or authorize')
  const access = accessOf(options)
  const limits = limitsOf(options.limits)
  const onError = options.onError ?? ((thrown) => process.emitWarning(errorText(thrown), 'ThinkonWarning'))
  const app = new Hono<{ Variables: { caller: Caller } }>()
  const document = openApi(ROUTES)

  app.onError((thrown, context) => finished(problemResponse(thrown, context.req.path, onError)))
  app.use(async (context, next) => {
    const { raw } = context.req
    const cors = access.admit(raw)
    const isPreflight = raw.method === 'OPTIONS' && raw.headers.has('access-control-request-method')
    if (isPreflight && Object.keys(cors).length > 0) {
      context.res = new Response(null, { status: 204, headers: cors })
      return
    }
    await next()
    context.res = finished(context.res, cors)
    // Nobody reads it, so nobody would end it.
    if (raw.method === 'HEAD') await context.res.body?.cancel()
  })

  app.get(`${API_PREFIX}/health`, () => Response.json({ ok: true }))
  for (const page of ['', API_PREFIX, `${API_PREFIX}/docs`]) {
    app.get(page === '' ? '/' : page, async (context) => {
      const mount = mountOf(context, page)
      const own = page === '' ? await options.page?.('/') : null
      return own ?? openApiPage(document, mount + API_PREFIX)
    })
  }
  app.get('/assets/:name', async (context, next) => {
    return (await options.page?.(`/assets/${context.req.param('name')}`)) ?? next()
  })
  const documentPath = `${API_PREFIX}/openapi.json`
  app.get(documentPath, (context) => {
    return Response.json({ ...document, servers: [{ url: mountOf(context, documentPath) + API_PREFIX }] })
  })
  app.post(`${API_PREFIX}/session`, async (context) => {
    const { raw } = context.req
    const body = await readJson(raw, bodyBudget(MAX_SESSION_BYTES), limits.bodyTimeoutMs)
    requireFits(body ?? {}, SESSION_REQUEST, 'the body')
    return Response.json(access.openSession(raw, (body as { code?: string } | undefined)?.code), {
      status: 201,
    })
  })
  for (const route of ROUTES) {
    app.on(route.method.toUpperCase(), API_PREFIX + honoPath(route.path), async (context) => {
      await allow(context, route.does)
      return answer(route, await callOf(context, route))
    })
  }
  for (const [path, methods] of methodsByPath(ROUTES)) {
    app.all(API_PREFIX + honoPath(path), async (context) => {
      await allow(context, 'look')
      const allowed = methods.join(', ')
      throw new HttpError(405, `${context.req.method} is not allowed here; these are: ${allowed}`, {
        allow: allowed,
      })
    })
  }
  for (const [path, { app: mounted, does, refuse }] of Object.entries(options.mounts ?? {})) {
    const check = async (context: Context, next: () => Promise<void>) => {
      try {
        await allow(context, does(context.req.raw))
      } catch (thrown) {
        if (refuse === undefined) throw thrown
        return refuse(thrown)
      }
      return next()
    }
    app.use(path, check)
    app.use(`${path}/*`, check)
    app.route(path, mounted)
  }
  app.all('*', async (context) => {
    await allow(context, 'look')
    throw new HttpError(404, 'there is nothing at this address; api/docs lists what there is')
  })

  async function allow(context: Context, action: Action): Promise<void> {
    context.set('caller', await access.require(context.req.raw, action))
  }

  async function callOf(context: Context, route: Route): Promise<Call> {
    const { raw } = context.req
    const params = context.req.param() as Record<string, string>
    for (const [name, schema] of Object.entries(route.params ?? {})) requireFits(params[name], schema, name)
    const query = readQuery(new URL(raw.url).searchParams, route.query ?? {})
    const { maxBodyBytes, bodyTimeoutMs } = limits
    const body =
      route.upload === undefined ? await readJson(raw, bodyBudget(maxBodyBytes), bodyTimeoutMs) : undefined
    checkDepth(body, 'the body')
    if (route.body === undefined && body !== undefined) throw new HttpError(400, 'this request takes no body')
    if (route.body !== undefined && (body !== undefined || isRequired(route.body)))
      requireFits(body, route.body, 'the body')
    return {
      service,
      params,
      query: query as never,
      body: body as never,
      request: raw,
      base: mountOf(context, API_PREFIX + route.path) + API_PREFIX,
      ...callerOf(context),
      limits,
      abandon: abandonOf(context),
      onError,
    }
  }

  return (options.path === undefined ? app : new Hono().route(options.path, app)) as unknown as Hono
}

/** Also of a mounted application that stands alone. */
export function callerOf(context: Context): Caller {
  return context.get('caller') ?? ONE_CLIENT
}

function isRequired({ required }: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(required) && required.length > 0
}

async function answer(route: Route, call: Call): Promise<Response> {
  const answered = await handled(route, call)
  if (answered instanceof Response) return answered
  return Response.json(answered, { status: Number(Object.keys(route.answers)[0]) })
}

/** What goes wrong because the service stops meanwhile is not the request's fault. */
async function handled(route: Route, call: Call): Promise<unknown> {
  try {
    return await route.handle(call)
  } catch (thrown) {
    if (call.service.closing.aborted) throw call.service.closing.reason
    throw thrown
  }
}

/** `@hono/node-server` gives Node's own response along. */
function abandonOf({ env }: Context): (() => void) | undefined {
  const { outgoing } = (env ?? {}) as { outgoing?: { destroy(): void } }
  return outgoing && (() => outgoing.destroy())
}

/** The path below which the app is mounted: what stands before its own path of this request. Empty if there is none. */
function mountOf(context: Context, own: string): string {
  const segments = new URL(context.req.url).pathname.replace(/(?<!\/)\/+$/, '').split('/')
  return segments.slice(0, segments.length - own.split('/').length + 1).join('/')
}

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

function methodsByPath(routes: readonly Route[]): Map<string, string[]> {
  const paths = new Map<string, string[]>()
  for (const { path, method } of routes) paths.set(path, [...(paths.get(path) ?? []), method.toUpperCase()])
  return paths
}

/** With the headers of every answer; those of its own stay. */
function finished(response: Response, more: Readonly<Record<string, string>> = {}): Response {
  for (const [name, value] of Object.entries({ ...SAFE_HEADERS, ...more }))
    if (!response.headers.has(name)) response.headers.set(name, value)
  return response
}

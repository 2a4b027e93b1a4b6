/**
 * OpenAI's protocol in front of a service: each strategy is a model. To be mounted at `/v1`.
 *
 * 1. A request is an exchange with a run: it starts one, or goes on with the one that waits for its tools' results.
 * 2. A client that goes away ends its run, unless the response is made in the background.
 * 3. Every error has OpenAI's form.
 */
import { type Context, Hono } from 'hono'
import { errorText, ThinkonError } from '../../protocol/index.ts'
import { callerOf, type Mount } from '../http/app.ts'
import { type LimitOptions, type Limits, limitsOf } from '../http/limits.ts'
import { HttpError } from '../http/problem.ts'
import { bodyBudget, readJson } from '../http/read-body.ts'
import type { Action } from '../scopes.ts'
import type { Service } from '../service.ts'
import { chatChunks, chatCompletion } from './chat.ts'
import { createConductor } from './conduct.ts'
import { errorResponse } from './errors.ts'
import { modelNames, modelObject, readModel } from './model-names.ts'
import { readChat } from './read-chat.ts'
import { responseRoutes } from './response-routes.ts'
import { sseResponse } from './sse.ts'

export interface OpenAiOptions {
  /** Those of the service that it is mounted in; limits of its own, unless given. */
  limits?: LimitOptions | Limits
  /** Whether there is somebody to ask for permission, in a page or on the command line. `nobody`, unless given: a client can't be asked. */
  asks?: 'person' | 'nobody'
  /** How long a run waits for the result of a client's tool. Default: an hour. */
  toolTimeoutMs?: number
  /** How long a run waits for a client that broke off in a loop of tools. Default: 30 seconds. */
  returnMs?: number
  /** Told of what goes wrong in the service itself. */
  onError?(thrown: unknown): void
}

const HOUR_MS = 3_600_000
const RETURN_MS = 30_000

/** For `mounts` of serviceApp: `{ '/v1': openaiMount(service) }`. */
export function openaiMount(service: Service, options: OpenAiOptions = {}): Mount {
  return { app: openaiApp(service, options), does: openaiAction, refuse: errorResponse }
}

function openaiApp(service: Service, options: OpenAiOptions = {}): Hono {
  const { asks = 'nobody', toolTimeoutMs = HOUR_MS, returnMs = RETURN_MS } = options
  const limits = limitsOf(options.limits)
  const onError = options.onError ?? ((thrown) => process.emitWarning(errorText(thrown), 'ThinkonWarning'))
  const conductor = createConductor(service, { limits, asks, returnMs })
  const app = new Hono()
  const body = (context: Context) =>
    readJson(context.req.raw, bodyBudget(limits.maxBodyBytes), limits.bodyTimeoutMs)

  app.onError((thrown, context) =>
    context.req.raw.signal.aborted ? new Response(null, { status: 499 }) : errorResponse(thrown, onError),
  )

  app.get('/models', () => Response.json({ object: 'list', data: modelNames(service).map(modelObject) }))
  // A name has a slash in it, which some clients escape.
  app.get('/models/:name{.+}', (context) => {
    const name = context.req.param('name')
    readModel(name, service)
    return Response.json(modelObject(name))
  })

  app.post('/chat/completions', async (context) => {
    const request = readChat(await body(context), toolTimeoutMs)
    const begun = await conductor.begin(request, callerOf(context))
    const gone = goneSignal(context)
    const { hasValue, run } = begun
    const { model, parallelCalls, includeUsage } = request
    const about = { run: run.id, model, hasValue, parallelCalls, includeUsage }
    const parts = conductor.exchange(begun, gone.signal)
    if (!request.stream) return Response.json(await chatCompletion(parts, about))
    return sseResponse(chatChunks(parts, about), {
      heartbeatMs: limits.heartbeatMs,
      last: 'data: [DONE]\n\n',
      onGone: () => gone.abort(),
      onError: (thrown) => ThinkonError.isInstance(thrown) || onError(thrown),
    })
  })

  responseRoutes(app, { service, conductor, limits, toolTimeoutMs, onError, body, goneSignal })

  app.all('*', (context) => {
    throw new HttpError(
      404,
      `there is nothing at ${context.req.method} ${context.req.path}; there are: models, chat/completions, responses`,
    )
  })
  return app
}

/** Aborted when the client has gone. */
function goneSignal(context: Context): AbortController {
  const gone = new AbortController()
  const { signal } = context.req.raw
  if (signal.aborted) gone.abort()
  signal.addEventListener('abort', () => gone.abort(), { once: true })
  return gone
}

/** The action of a request before its body is read; the conductor checks further actions. */
function openaiAction({ method, url }: Request): Action {
  if (method === 'GET' || method === 'HEAD') return 'look'
  if (method === 'DELETE') return 'delete'
  return new URL(url).pathname.endsWith('/cancel') ? 'cancel' : 'start'
}

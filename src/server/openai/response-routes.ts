/** `/v1/responses`: made, looked at again, cancelled and deleted. What a response is lies in the run's journal. */
import type { Context, Hono } from 'hono'
import { type SaidTurn, withoutInstructions } from '../../engine/dialogue/conversation.ts'
import { type Event, goalText, ROOT_PATH, ThinkonError } from '../../protocol/index.ts'
import { viewsOf } from '../../strategies/registry.ts'
import { createExchange, type ExchangePart } from '../../views/exchange.ts'
import { callerOf } from '../http/app.ts'
import type { Limits } from '../http/limits.ts'
import { requireAllowed } from '../http/route.ts'
import type { Caller } from '../scopes.ts'
import { isRunOf, requireDelete, type Service } from '../service.ts'
import type { Begun, Conductor } from './conduct.ts'
import { badRequest } from './errors.ts'
import type { ResponseEvent } from './output-items.ts'
import { type ResponseRequest, readResponseRequest } from './read-response-request.ts'
import { createResponse, type GrowingResponse, readResponseId } from './response.ts'
import { sseResponse } from './sse.ts'
import { createTelling } from './told.ts'

export interface ResponseParts {
  readonly service: Service
  readonly conductor: Conductor
  readonly limits: Limits
  readonly toolTimeoutMs: number
  onError(thrown: unknown): void
  body(context: Context): Promise<unknown>
  goneSignal(context: Context): AbortController
}

export function responseRoutes(app: Hono, parts: ResponseParts): void {
  const { service, conductor, limits, onError } = parts
  const { engine } = service

  app.post('/responses', async (context) => {
    const request = readResponseRequest(await parts.body(context), parts.toolTimeoutMs)
    const caller = callerOf(context)
    const turns = [...(await earlierTurns(service, request, caller)), ...request.turns]
    const begun = await conductor.begin({ ...request, turns }, caller)
    const response = createResponse(aboutOf(begun, request))
    if (request.background) return Response.json(response.object())
    const gone = parts.goneSignal(context)
    const events = responseEvents(conductor.exchange(begun, gone.signal), response, begun.hasValue)
    if (request.stream)
      return sseResponse(events, {
        heartbeatMs: limits.heartbeatMs,
        nameOf: ({ type }) => type,
        onGone: () => gone.abort(),
        onError: (thrown) => ThinkonError.isInstance(thrown) || onError(thrown),
      })
    for await (const _ of events);
    return Response.json(response.object())
  })

  app.get('/responses/:id', async (context) => {
    if (context.req.query('stream') === 'true')
      throw badRequest('stream: a response that is looked at again is not streamed', 'stream')
    return Response.json(await recordedResponse(service, context.req.param('id')))
  })

  app.post('/responses/:id/cancel', async (context) => {
    const id = context.req.param('id')
    const { run } = placeOf(id)
    const { status } = await engine.row(run)
    if (status === 'running' || status === 'waiting') {
      const attached = await service.attach(run)
      await engine.signal(run, ROOT_PATH, 'cancel', 'cancelled by its client')
      await attached.outcome.catch(() => {})
    }
    return Response.json(await recordedResponse(service, id))
  })

  app.delete('/responses/:id', async (context) => {
    const id = context.req.param('id')
    await requireDelete(engine, placeOf(id).run, callerOf(context))
    await engine.delete(placeOf(id).run)
    return Response.json({ id, object: 'response', deleted: true })
  })
}

async function* responseEvents(
  parts: AsyncIterable<ExchangePart>,
  response: GrowingResponse,
  hasValue: boolean,
): AsyncGenerator<ResponseEvent> {
  const telling = createTelling(hasValue)
  for await (const part of parts) for (const told of telling.follow(part)) yield* response.follow(told)
}

function aboutOf({ run }: Begun, { model, background, parallelCalls, echo }: ResponseRequest) {
  return { run: run.id, model, createdAt: Math.floor(Date.now() / 1000), background, parallelCalls, echo }
}

function placeOf(id: string): { run: string; from: number } {
  const place = readResponseId(id)
  if (place !== null) return place
  throw new ThinkonError('UNKNOWN_RUN', `there is no response "${id.slice(0, 200)}"`)
}

/** A response of the past, or of a run that is under way, as the journal has it. */
async function recordedResponse(service: Service, id: string): Promise<object> {
  const { run, from } = placeOf(id)
  const events: readonly Event[] = [...(await service.engine.events(run))]
  const [start] = events
  if (start?.type !== 'run-start') throw new ThinkonError('STORE_CORRUPT', `run ${run} has no beginning`)
  const strategy = start.strategy.slice(0, start.strategy.lastIndexOf('@'))
  const response = createResponse({
    run,
    model: `thinkon/${strategy}`,
    createdAt: Math.floor(Date.parse(start.ts) / 1000),
    background: false,
    parallelCalls: true,
    echo: {},
  })
  const exchange = createExchange(await viewsOf(service.strategies), run, from)
  const telling = createTelling(start.config.output !== undefined)
  const tell = (part: ExchangePart) => telling.follow(part).flatMap((told) => response.follow(told))
  let isBegun = false
  for (const event of events) {
    for (const part of exchange.follow(event)) tell(part)
    if (!isBegun && exchange.from !== null) {
      isBegun = true
      tell({ type: 'begun', from: exchange.from })
    }
  }
  if (!isBegun)
    throw new ThinkonError('UNKNOWN_RUN', `there is no response "${id}": run ${run} has not come so far`)
  if (exchange.mayRest) for (const part of exchange.rest()) tell(part)
  return response.object()
}

/** The conversation that a response goes on with: what was asked of its run, and what came of it. */
async function earlierTurns(
  service: Service,
  { previous, turns }: ResponseRequest,
  caller: Caller,
): Promise<SaidTurn[]> {
  // Results say themselves which run waits for them.
  if (previous === null || turns.some(({ role }) => role === 'tool')) return []
  const { run } = placeOf(previous)
  const { goal, outcome, config } = await service.engine.outline(run)
  if (!isRunOf(config, caller.client)) requireAllowed(caller, 'continue a conversation')
  if (outcome !== null)
    return [
      { role: 'user', text: withoutInstructions(goalText(goal)) },
      { role: 'assistant', text: outcome.result },
    ]
  throw badRequest(
    `previous_response_id: "${previous}" has not ended: give the results of the tools that it called, or wait for it`,
    'previous_response_id',
  )
}

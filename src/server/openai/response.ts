/** An exchange as a response of OpenAI's Responses API: an object that grows, and the events that tell of it. */
import { callId } from '../../engine/dialogue/call-id.ts'
import type { Outcome, Usage } from '../../protocol/index.ts'
import type { CallerCall } from '../../views/caller-calls.ts'
import { endingError, openAiError } from './errors.ts'
import { OutputItems, type ResponseEvent } from './output-items.ts'
import type { Told } from './told.ts'

export interface ResponseAbout {
  readonly run: string
  readonly model: string
  readonly createdAt: number
  readonly background: boolean
  readonly parallelCalls: boolean
  readonly echo: Readonly<Record<string, unknown>>
}

export type ResponseStatus = 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled'

export interface GrowingResponse {
  follow(told: Told): ResponseEvent[]
  /** As it is now. */
  object(): object
}

/** The run, and where in it the exchange began. */
export function responseId(run: string, from: number): string {
  return from === 1 ? `resp_${run}` : `resp_${run}_${from}`
}

/** Null if it is not such an id. */
export function readResponseId(id: string): { run: string; from: number } | null {
  const [, run, from = '1'] = /^resp_([^_]+)(?:_(\d{1,15}))?$/.exec(id) ?? []
  return run === undefined ? null : { run, from: Number(from) }
}

export function createResponse(about: ResponseAbout): GrowingResponse {
  const { run } = about
  let id = responseId(run, 1)
  let status: ResponseStatus = 'in_progress'
  let ended: { usage: Usage; outcome?: Outcome } | null = null
  let sequence = 0
  const emit = (type: string, fields: object): ResponseEvent => ({
    type,
    sequence_number: sequence++,
    ...fields,
  })
  const items = new OutputItems(() => id.slice('resp_'.length), emit)

  function object() {
    const outcome = ended?.outcome
    return {
      id,
      object: 'response',
      created_at: about.createdAt,
      status,
      background: about.background,
      error: outcome && status === 'failed' ? errorOf(run, outcome) : null,
      incomplete_details: outcome && status === 'incomplete' ? { reason: whyIncomplete(outcome) } : null,
      model: about.model,
      output: items.list(),
      usage: ended === null ? null : responseUsage(ended.usage),
      thinkon: {
        run,
        status: statusOf(outcome, ended !== null),
        ...(outcome?.reason !== undefined && { reason: outcome.reason }),
      },
      ...{ max_output_tokens: null, temperature: null, top_p: null, truncation: 'disabled', store: true },
      ...about.echo,
    }
  }

  function end(usage: Usage, as: ResponseStatus, outcome?: Outcome): ResponseEvent[] {
    const closed = items.close()
    ended = { usage, ...(outcome !== undefined && { outcome }) }
    status = as
    return [...closed, emit(`response.${as === 'cancelled' ? 'failed' : as}`, { response: object() })]
  }

  function called(calls: readonly CallerCall[], usage: Usage): ResponseEvent[] {
    const given = about.parallelCalls ? calls : calls.slice(0, 1)
    const told = given.flatMap((call) =>
      items.call({
        call_id: callId(run, call.question),
        name: call.tool,
        arguments: JSON.stringify(call.input ?? {}),
      }),
    )
    return [...told, ...end(usage, 'completed')]
  }

  return {
    follow(told) {
      switch (told.type) {
        case 'begun':
          id = responseId(run, told.from)
          return [
            emit('response.created', { response: object() }),
            emit('response.in_progress', { response: object() }),
          ]
        case 'step-start':
          return items.beginStep()
        case 'step-delta':
          return items.addToStep(told.delta)
        case 'step-end':
          return items.endStep()
        case 'text':
          return items.addText(told.delta)
        case 'calls':
          return called(told.calls, told.usage)
        case 'ended':
          return end(told.usage, responseStatus(told.outcome), told.outcome)
      }
    },
    object,
  }
}

function responseStatus({ status }: Outcome): ResponseStatus {
  return status === 'partial' || status === 'skipped' ? 'incomplete' : status
}

function statusOf(outcome: Outcome | undefined, isOver: boolean): string {
  return outcome?.status ?? (isOver ? 'waiting' : 'running')
}

function whyIncomplete({ limit, status }: Outcome): string {
  return limit === undefined ? status : 'max_output_tokens'
}

function errorOf(run: string, outcome: Outcome) {
  const { message } = openAiError(endingError(run, outcome))
  return { code: 'server_error', message }
}

function responseUsage({ inputTokens, outputTokens, cachedInputTokens = 0 }: Usage) {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  }
}

/**
 * Several models as one: the first that is not out answers, and its reply says which it was.
 *
 * 1. A model that was out is asked again after a while; until then only if all the others are out, too.
 * 2. Only when every one of them is out, it is an outage. Any other failure is the call's.
 */
import { DEFAULT_WINDOW } from '../../kernel/brief/prompt-budget.ts'
import { activityOf, type Clock, systemClock } from '../../kernel/clock.ts'
import type { Model, ModelIo } from '../../kernel/model.ts'
import { DEFAULT_OUTPUT_TOKENS } from '../../kernel/model-effect.ts'
import {
  defined,
  isObject,
  isOutage,
  MAX_REPLY_BYTES,
  type ModelReply,
  type ModelRequest,
  ThinkonError,
  type Usage,
} from '../../protocol/index.ts'

/** How long a model that was out is passed over, unless its provider asks for more. */
export const COOL_DOWN_MS = 60_000

export function firstAvailable(models: readonly Model[], clock: Clock = systemClock): Model {
  const id = models.map((model) => model.id).join(',')
  const outUntilMs = new Map<Model, number>()
  const maxOutputTokens = most(models, 'maxOutputTokens', DEFAULT_OUTPUT_TOKENS)
  const activity = activityOf(clock)

  async function call(request: ModelRequest, io: ModelIo): Promise<ModelReply> {
    const outages: ThinkonError[] = []
    for (const model of inOrder()) {
      try {
        const reply = await model.call(cappedBy(model, request, maxOutputTokens), io)
        outUntilMs.delete(model)
        return { ...reply, model: model.id, usage: pricedBy(model, reply.usage) }
      } catch (thrown) {
        io.signal.throwIfAborted()
        if (!isOutage(thrown)) throw thrown
        outages.push(thrown)
        outUntilMs.set(model, activity.activeMs() + coolDownMs(thrown))
        if (outages.length < models.length) tellNext(io, model, thrown, outages.length)
      }
    }
    throw allOut(outages)
  }

  /** Those that were out a moment ago come last. */
  function inOrder(): Model[] {
    const now = activity.activeMs()
    const isOut = (model: Model) => (outUntilMs.get(model) ?? 0) > now
    return [...models.filter((model) => !isOut(model)), ...models.filter(isOut)]
  }

  function tellNext(io: ModelIo, { id: model }: Model, { message, data }: ThinkonError, attempt: number) {
    const status = typeof data.status === 'number' ? { status: data.status } : {}
    io.onRetry?.({ model, message, ...status, attempt, of: models.length, waitMs: 0 })
  }

  function allOut(outages: readonly ThinkonError[]): ThinkonError {
    const message = outages.map((outage) => outage.message).join(' · ')
    return new ThinkonError('MODEL_OUTAGE', message, {
      retryable: outages.some(({ retryable }) => retryable),
      data: { ...outages[0]?.data, model: id },
    })
  }

  return {
    id,
    call,
    alternatives: models,
    ...windowOf(models),
    ...defined({
      maxOutputTokens,
      thinkingTokens: most(models, 'thinkingTokens', 0),
      maxReplyBytes: most(models, 'maxReplyBytes', MAX_REPLY_BYTES),
    }),
    refusal: (goal) => {
      const refusals = models.map((model) => model.refusal?.(goal) ?? null)
      return refusals.includes(null) ? null : (refusals[0] as ThinkonError)
    },
    ...(models.some(({ cost }) => cost !== undefined) && {
      // Before a call nobody knows which of them answers.
      cost: (usage: Omit<Usage, 'calls'>) => Math.max(...models.map((model) => model.cost?.(usage) ?? 0)),
    }),
  }
}

/** With the model's own cap, which may be less than that of the others; more room is more in proportion. */
function cappedBy(model: Model, request: ModelRequest, mostOfAll: number | undefined): ModelRequest {
  const asked = request.settings?.maxOutputTokens
  const own = model.maxOutputTokens
  if (asked === undefined || own === undefined || mostOfAll === undefined || own >= mostOfAll) return request
  const maxOutputTokens = Math.min(asked, Math.floor(own * Math.max(1, asked / mostOfAll)))
  return { ...request, settings: { ...request.settings, maxOutputTokens } }
}

function windowOf(models: readonly Model[]): Pick<Model, 'window'> {
  if (models.every(({ window }) => window === undefined)) return {}
  return { window: Math.min(...models.map(({ window }) => window ?? DEFAULT_WINDOW)) }
}

/** What has to be reserved before anyone knows which of them answers; undefined if none says it. */
function most(
  models: readonly Model[],
  name: 'maxOutputTokens' | 'maxReplyBytes' | 'thinkingTokens',
  otherwise: number,
): number | undefined {
  if (models.every((model) => model[name] === undefined)) return undefined
  return Math.max(...models.map((model) => model[name] ?? otherwise))
}

function coolDownMs({ data }: ThinkonError): number {
  return Math.max(COOL_DOWN_MS, typeof data.retryAfterMs === 'number' ? data.retryAfterMs : 0)
}

/** By the model that answered: the price of another one must not be filled in. */
function pricedBy(model: Model, usage: ModelReply['usage']): ModelReply['usage'] {
  // The kernel replaces any other by an estimate.
  if (!isObject(usage)) return usage
  return { ...usage, costUsd: usage.costUsd ?? model.cost?.(usage) ?? 0 }
}

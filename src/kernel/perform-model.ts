/**
 * A model call, performed: asked with its cap, completed if the reply reached it, checked and priced.
 *
 * Model objects are not trusted: whatever one returns or throws is the end of its step (see GuardedIo, checkedReply, checkedUsage).
 */
import { accumulate, isObject, type ModelReply, type ModelRequest, ThinkonError } from '../protocol/index.ts'
import { AroundIo } from './around-io.ts'
import type { Effect, EffectIo, Performed } from './durable.ts'
import { GuardedIo, isRefused } from './guarded-io.ts'
import type { Model, ModelIo } from './model.ts'
import { costOf } from './model-cost.ts'
import { partReserve, withCap } from './model-effect.ts'
import type { KernelServices } from './services.ts'
import { type Said, wholeReply } from './whole-reply.ts'

export async function performModel(
  effect: Effect & { kind: 'model' },
  io: EffectIo,
  services: KernelServices,
): Promise<Performed> {
  const model = modelFor(effect, services)
  const request = withCap(effect.request, model)
  const paid = io.paid()
  if (isRefused(paid)) throw ThinkonError.fromJSON(paid.refused)
  const guarded = new GuardedIo(io, request, model, services, effect.said)
  return guarded.within(async () => {
    const performed = isBegun(paid) ? await completed(paid, guarded) : await asked(guarded)
    const { usageProblem } = guarded
    return usageProblem === '' ? performed : { ...performed, usageProblem }
  })
}

/** Who was asked answers, also if the run is continued with another model. */
function modelFor({ request, said }: Effect & { kind: 'model' }, services: KernelServices): Model {
  const model = services.model(request.role)
  return said === undefined || model.asksPerson ? model : (services.person ?? model)
}

async function asked(io: GuardedIo): Promise<Performed> {
  const { model } = io
  const reply = await called(model, io.request, io, io)
  const usage = priced(reply.usage, model)
  if (reply.cutOff !== true) return { value: reply, usage }
  return completed({ ...reply, usage, whole: false }, io)
}

/** Throws before the call if what it costs can't be known. */
async function called(
  model: Model,
  request: ModelRequest,
  io: GuardedIo,
  modelIo: ModelIo,
): Promise<ModelReply> {
  costOf(model, NO_TOKENS)
  return io.reply(await model.call(request, modelIo))
}

/** The first reply of a step that reached its cap, as it is recorded: it was paid, and more follows. */
type Begun = ModelReply & { readonly whole: false }

function isBegun(paid: unknown): paid is Begun {
  return isObject(paid) && paid.whole === false && typeof paid.text === 'string' && isObject(paid.usage)
}

async function completed(begun: Begun, io: GuardedIo): Promise<Performed> {
  const { model, request } = io
  const cut = await io.paid(async () => ({ value: begun, usage: begun.usage }))
  const { said, more } = await wholeReply(cut, request, io, (next) =>
    io.paid(() => askPart(model, next, io), partReserve(next, model)),
  )
  return { value: { ...said, usage: NO_TOKENS, asks: more + 1 }, usage: NO_TOKENS }
}

async function askPart(model: Model, request: ModelRequest, io: GuardedIo) {
  const inside = new InsidePart(io)
  const { usage, ...value } = await called(model, request, io, inside)
  return { value: value as Said, usage: inside.with(priced(usage, model)) }
}

/** What a model gets while a part is run: parts of its own are paid with it. */
class InsidePart extends AroundIo<GuardedIo> implements ModelIo {
  private readonly usages: Performed['usage'][] = []

  get seed(): string {
    return this.io.seed
  }

  onDelta: ModelIo['onDelta'] = (text) => this.io.onDelta(text)

  onHidden: NonNullable<ModelIo['onHidden']> = (text) => this.io.onHidden(text)

  onRetry: NonNullable<ModelIo['onRetry']> = (note) => this.io.onRetry(note)

  part: ModelIo['part'] = async (run) => {
    const { value, usage } = await this.io.checkedPart(run)
    this.usages.push(usage)
    return value
  }

  with(usage: Performed['usage']): Performed['usage'] {
    const sum = { calls: 0, ...usage }
    for (const one of this.usages) accumulate(sum, { calls: 0, ...one })
    const { calls: _, ...all } = sum
    return all
  }
}

function priced(usage: ModelReply['usage'], model: Model): Performed['usage'] {
  if (usage.costUsd !== undefined) return usage
  const costUsd = costOf(model, usage)
  return costUsd === undefined ? usage : { ...usage, costUsd }
}

const NO_TOKENS: Performed['usage'] = { inputTokens: 0, outputTokens: 0 }

/** A model call, performed: asked with its cap, completed where the reply reached it, checked and priced. */
import {
  accumulate,
  checkDepth,
  isObject,
  type ModelReply,
  type ModelRequest,
  ThinkonError,
} from '../protocol/index.ts'
import { AroundIo } from './around-io.ts'
import type { Effect, EffectIo, Performed, Performing } from './durable.ts'
import { GuardedIo, isRefused } from './guarded-io.ts'
import type { Model, ModelIo } from './model.ts'
import { partReserve, withCap } from './model-effect.ts'
import type { KernelServices } from './services.ts'
import { type Said, wholeReply } from './whole-reply.ts'

export function performModel(
  effect: Effect & { kind: 'model' },
  io: EffectIo,
  services: KernelServices,
  step: Performing,
): void {
  const model = modelFor(effect, services)
  const request = withCap(effect.request, model)
  const paid = io.paid()
  if (isRefused(paid)) {
    step.failed(ThinkonError.fromJSON(paid.refused))
    return
  }
  const guarded = new GuardedIo(io, request, model, services, step, effect.said)
  if (isBegun(paid)) complete(paid, guarded)
  // No coroutine, no promise but the model's and what follows it, no closure but two: they would cost as much as the rest of a fast step.
  else
    called(model, request, guarded).then(
      (given) => replied(given, guarded),
      (thrown) => guarded.fail(guarded.error(thrown)),
    )
}

/** Who was asked answers, also if the run is continued with another model. */
function modelFor({ request, said }: Effect & { kind: 'model' }, services: KernelServices): Model {
  const model = services.model(request.role)
  return said === undefined || model.asksPerson ? model : (services.person ?? model)
}

function replied(given: ModelReply, io: GuardedIo): void {
  let reply: ModelReply
  try {
    reply = checkReply(io.reply(given), io)
  } catch (error) {
    io.fail(error)
    return
  }
  const usage = priced(reply.usage, io.model)
  if (reply.cutOff !== true) io.done({ value: reply, usage })
  else complete({ ...reply, usage, whole: false }, io)
}

function complete(begun: Begun, io: GuardedIo): void {
  completed(begun, io).then(
    (performed) => io.done(performed),
    (error) => io.fail(error),
  )
}

/** A model that throws at once fails like one that rejects. */
function called(model: Model, request: ModelRequest, io: ModelIo): Promise<ModelReply> {
  try {
    return Promise.resolve(model.call(request, io))
  } catch (thrown) {
    return Promise.reject(thrown)
  }
}

/** The first reply of a step that reached its cap, as it is recorded: it was paid, and more follows. */
type Begun = ModelReply & { readonly whole: false }

function isBegun(paid: unknown): paid is Begun {
  return isObject(paid) && paid.whole === false
}

async function completed(begun: Begun, io: GuardedIo): Promise<Performed> {
  const { model, request } = io
  const cut = await io.part(async () => ({ value: begun, usage: begun.usage }))
  const { said, more } = await wholeReply(cut, request, io, (next) =>
    io.part(() => askPart(model, next, io), partReserve(next, model)),
  )
  return { value: { ...said, usage: NO_TOKENS, asks: more + 1 }, usage: NO_TOKENS }
}

async function askPart(model: Model, request: ModelRequest, io: GuardedIo) {
  const inside = new InsidePart(io)
  const given = await called(model, request, inside).catch((thrown) => Promise.reject(io.error(thrown)))
  const { usage, ...value }: ModelReply = checkReply(io.reply(given), io)
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
    const { value, usage } = await run()
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

/** What is seen now must be what a later process reads from the journal. */
function checkReply(reply: ModelReply, io: GuardedIo): ModelReply {
  if (typeof reply?.text !== 'string' || typeof reply.usage !== 'object') {
    throw new ThinkonError('MODEL_ERROR', 'the model returned no reply: it needs a "text" and a "usage"')
  }
  checkDepth(reply, 'the reply', 'MODEL_ERROR')
  io.checkSize(reply)
  return reply.value === undefined ? reply : { ...reply, value: JSON.parse(JSON.stringify(reply.value)) }
}

function priced(usage: ModelReply['usage'], model: Model): Performed['usage'] {
  if (usage.costUsd !== undefined || model.cost === undefined) return usage
  return { ...usage, costUsd: model.cost(usage) }
}

const NO_TOKENS: Performed['usage'] = { inputTokens: 0, outputTokens: 0 }

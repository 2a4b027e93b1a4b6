/**
 * What a model gets while it is asked. Nothing that it says is recorded or shown as it comes:
 *
 * 1. A reply has a maximum size, whatever model it comes from. What arrives is counted as it arrives: the text that is shown, and what a
 *    model reports as hidden. Past the limit the model's signal is aborted, and nothing more is passed on.
 * 2. A model that ignores its signal is not waited for.
 * 3. What was received is paid, as a part of the step. A process that dies between payment and failure fails it again, unasked.
 * 4. Secrets are taken out of replies, of texts on their way, of notes and of errors (K9).
 */
import {
  bytesText,
  type ErrorData,
  isObject,
  isOutage,
  MAX_REPLY_BYTES,
  type ModelReply,
  type ModelRequest,
  ThinkonError,
} from '../protocol/index.ts'
import type { EffectIo, Performed, Performing, Said } from './durable.ts'
import type { Model, ModelIo } from './model.ts'
import { receivedUsage } from './model-effect.ts'
import type { CleanDeltas, CleanReplies, KernelServices } from './services.ts'

/** How long an aborted model has to stop. */
const GRACE_MS = 1_000

export class GuardedIo implements ModelIo {
  private readonly io: EffectIo
  readonly request: ModelRequest
  readonly model: Model
  private readonly said: Said | undefined
  private readonly services: KernelServices
  private readonly step: Performing
  private bytes = 0
  /** Made on first use, as the step's own: most models in this process never look. */
  private both: AbortSignal | null = null
  private controller: AbortController | null = null
  private deltas: CleanDeltas | null = null
  private refusal: ThinkonError | null = null
  private grace: NodeJS.Timeout | undefined
  private isOver = false

  constructor(
    io: EffectIo,
    request: ModelRequest,
    model: Model,
    services: KernelServices,
    step: Performing,
    said: Said | undefined,
  ) {
    this.io = io
    this.said = said
    this.request = request
    this.model = model
    this.services = services
    this.step = step
  }

  get seed(): string {
    return this.io.seed
  }

  private get cleaning(): CleanReplies {
    return this.services.replies
  }

  // --- how the call ends: the first end counts

  done(performed: Performed): void {
    if (this.isOver) return
    this.isOver = true
    clearTimeout(this.grace)
    this.step.done(performed)
  }

  /** Fails the step, once what the call has cost is recorded. */
  fail(thrown: unknown): void {
    if (this.isOver) return
    this.isOver = true
    clearTimeout(this.grace)
    const error = this.refusal ?? this.withPolicy(thrown)
    if (isTooLong(error)) void this.payRefused(error).then(() => this.step.failed(error))
    else this.step.failed(error)
  }

  /** An outage names its model; where it is to fail the step, it is a model's error like any other. */
  private withPolicy(error: unknown): unknown {
    if (!isOutage(error)) return error
    const { message, retryable, data } = error
    const code = this.services.onOutage === 'wait' ? 'MODEL_OUTAGE' : 'MODEL_ERROR'
    return new ThinkonError(code, message, { retryable, data: { model: this.model.id, ...data } })
  }

  private async payRefused(error: ThinkonError): Promise<void> {
    const refused: Refused = { refused: error.toJSON() }
    // Without room in the budget for another part, the step has paid for the call that it holds.
    await this.io.part(async () => ({ value: refused, usage: this.usage(error) })).catch(() => {})
  }

  // --- what a model has said in the end

  reply(given: ModelReply): ModelReply {
    this.endDeltas()
    return this.cleaning.data(given)
  }

  /** A whole reply: what was not streamed is counted here. */
  checkSize(reply: ModelReply): void {
    const { text, toolCalls, reasoning } = reply
    let bytes = sizeOf(text, this.maxBytes)
    if (toolCalls !== undefined) bytes += sizeOf(JSON.stringify(toolCalls), this.maxBytes)
    if (reasoning !== undefined) bytes += sizeOf(JSON.stringify(reasoning), this.maxBytes)
    if (bytes > this.maxBytes) throw this.tooLong(reply.usage)
  }

  /** What a model has thrown, or why it was told to stop. */
  error(thrown: unknown): unknown {
    this.endDeltas()
    const { signal } = this
    return signal.aborted ? signal.reason : this.cleaning.error(thrown)
  }

  // --- while it is asked

  get run(): string {
    return this.io.run
  }

  get path(): string {
    return this.io.path
  }

  get n(): number {
    return this.said?.n ?? this.io.n
  }

  get answers(): ModelIo['answers'] {
    return this.said?.answers
  }

  get signal(): AbortSignal {
    this.both ??= AbortSignal.any([this.io.signal, this.stop.signal])
    return this.both
  }

  // Made when they are asked for: a model may take them out of the object, and most need none.

  get onDelta(): ModelIo['onDelta'] {
    return (text) => {
      if (typeof text !== 'string') return
      this.count(text)
      if (this.refusal !== null) return
      this.deltas ??= this.cleaning.deltas((clean) => this.io.onDelta(clean))
      this.deltas.push(text)
    }
  }

  get onHidden(): NonNullable<ModelIo['onHidden']> {
    return (text) => this.count(text)
  }

  get onRetry(): NonNullable<ModelIo['onRetry']> {
    return (note) => {
      // Another attempt is another reply.
      this.bytes = 0
      this.io.onRetry?.(this.cleaning.data(note))
    }
  }

  get part(): EffectIo['part'] {
    return async (run, reserve) => {
      this.bytes = 0
      const cleaned = async () => {
        const { value, usage } = await run()
        return { value: this.cleaning.data(value), usage }
      }
      const value = await this.io.part(cleaned, reserve)
      if (isRefused(value)) throw ThinkonError.fromJSON(value.refused)
      return value
    }
  }

  /** What was held back of a text because it might have become a secret. */
  private endDeltas(): void {
    this.deltas?.end()
    this.deltas = null
  }

  private count(text: string): void {
    if (this.refusal !== null) return
    this.bytes += Buffer.byteLength(text)
    if (this.bytes <= this.maxBytes) return
    const error = this.tooLong()
    this.refusal = error
    this.stop.abort(error)
    this.grace = setTimeout(() => this.fail(error), GRACE_MS)
  }

  private get maxBytes(): number {
    return this.model.maxReplyBytes ?? MAX_REPLY_BYTES
  }

  private get stop(): AbortController {
    this.controller ??= new AbortController()
    return this.controller
  }

  private tooLong(usage?: ModelReply['usage']): ThinkonError {
    return new ThinkonError(
      'REPLY_TOO_LONG',
      `${this.path}: the reply to ${this.request.kind} is longer than ${bytesText(this.maxBytes)} and was not read further; ` +
        `if the model may say so much, raise "${SETTING}" of the model in the configuration`,
      { data: { setting: SETTING, maxBytes: this.maxBytes, ...(usage !== undefined && { usage }) } },
    )
  }

  private usage({ data }: ThinkonError): Performed['usage'] {
    const known = data.usage as Performed['usage'] | undefined
    return known ?? receivedUsage(this.request, this.model, this.bytes)
  }
}

const SETTING = 'maxReplyBytes'

/** A reply that was paid for and refused, as it is recorded. */
interface Refused {
  readonly refused: ErrorData
}

export function isRefused(paid: unknown): paid is Refused {
  return isObject(paid) && isObject(paid.refused)
}

/** Also one that a model has noticed by itself, such as a response without end. */
function isTooLong(error: unknown): error is ThinkonError {
  return ThinkonError.isInstance(error) && error.code === 'REPLY_TOO_LONG' && error.data.setting === SETTING
}

/** In bytes, as far as it matters: no character has more than three. */
function sizeOf(text: string, maxBytes: number): number {
  return text.length * 3 <= maxBytes ? text.length : Buffer.byteLength(text)
}

/**
 * A reply has a maximum size, whatever model it comes from.
 *
 * 1. What arrives is counted as it arrives: the text that is shown, and what a model reports as hidden. Past the limit the model's
 *    signal is aborted, and nothing more is passed on.
 * 2. A model that ignores its signal is not waited for.
 * 3. What was received is paid, as a part of the step. A process that dies between payment and failure fails it again, unasked.
 */
import {
  bytesText,
  type ErrorData,
  isObject,
  MAX_REPLY_BYTES,
  type ModelReply,
  type ModelRequest,
  ThinkonError,
} from '../protocol/index.ts'
import { AroundIo } from './around-io.ts'
import type { EffectIo, Performed } from './durable.ts'
import type { Model, ModelIo } from './model.ts'
import { receivedUsage } from './model-effect.ts'

/** How long an aborted model has to stop. */
const GRACE_MS = 1_000

export class BoundedIo extends AroundIo<EffectIo> implements ModelIo {
  private readonly request: ModelRequest
  private readonly model: Model
  private readonly maxBytes: number
  private bytes = 0
  /** Made on first use, as the step's own: most models in this process never look. */
  private both: AbortSignal | null = null
  private controller: AbortController | null = null
  private refusal: ThinkonError | null = null
  private giveUp: (thrown: unknown) => void = () => {}
  private grace: NodeJS.Timeout | undefined

  constructor(io: EffectIo, request: ModelRequest, model: Model) {
    super(io)
    this.request = request
    this.model = model
    this.maxBytes = model.maxReplyBytes ?? MAX_REPLY_BYTES
  }

  /** What is being asked, until the reply is too long. Rejects with what `asking` rejects with, or with REPLY_TOO_LONG. */
  within(asking: Promise<Performed>): Promise<Performed> {
    return new Promise((resolve, reject) => {
      this.giveUp = (thrown) => void this.paid(thrown).then(reject)
      asking.then(resolve, this.giveUp)
    })
  }

  /** The error of a call, once what it has cost is recorded. */
  private async paid(thrown: unknown): Promise<unknown> {
    clearTimeout(this.grace)
    const error = this.refusal ?? thrown
    if (!isTooLong(error)) return error
    const refused: Refused = { refused: error.toJSON() }
    // Without room in the budget for another part, the step has paid for the call that it holds.
    await this.io.part(async () => ({ value: refused, usage: this.usage(error) })).catch(() => {})
    return error
  }

  /** A whole reply: what was not streamed is counted here. */
  check(reply: ModelReply): void {
    const { text, toolCalls, reasoning } = reply
    let bytes = sizeOf(text, this.maxBytes)
    if (toolCalls !== undefined) bytes += sizeOf(JSON.stringify(toolCalls), this.maxBytes)
    if (reasoning !== undefined) bytes += sizeOf(JSON.stringify(reasoning), this.maxBytes)
    if (bytes > this.maxBytes) throw this.tooLong(reply.usage)
  }

  override get signal(): AbortSignal {
    this.both ??= AbortSignal.any([this.io.signal, this.stop.signal])
    return this.both
  }

  get onDelta(): ModelIo['onDelta'] {
    return (text) => {
      this.count(text)
      if (this.refusal === null) this.io.onDelta(text)
    }
  }

  get onHidden(): NonNullable<ModelIo['onHidden']> {
    return (text) => this.count(text)
  }

  get onRetry(): NonNullable<ModelIo['onRetry']> {
    return (note) => {
      // Another attempt is another reply.
      this.bytes = 0
      this.io.onRetry?.(note)
    }
  }

  get part(): EffectIo['part'] {
    return async (run, reserve) => {
      this.bytes = 0
      const value = await this.io.part(run, reserve)
      if (isRefused(value)) throw ThinkonError.fromJSON(value.refused)
      return value
    }
  }

  private count(text: string): void {
    if (this.refusal !== null) return
    this.bytes += Buffer.byteLength(text)
    if (this.bytes <= this.maxBytes) return
    const error = this.tooLong()
    this.refusal = error
    this.stop.abort(error)
    this.grace = setTimeout(() => this.giveUp(error), GRACE_MS)
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

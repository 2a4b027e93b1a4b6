/**
 * What a model gets while it is asked. Nothing that it says is recorded or shown as it comes:
 *
 * 1. A reply has a maximum size, whatever model it comes from. What arrives is counted as it arrives: the text that is shown, and what a
 *    model reports as hidden. Past the limit the model's signal is aborted, and nothing more is passed on.
 * 2. A model that ignores its signal is not waited for.
 * 3. What was received is paid, as a part of the step. A process that dies between payment and failure fails it again, unasked.
 * 4. Replies, parts, notes and errors are copied as plain data and checked before anything reads them. A wrong one fails the step.
 *    Callbacks never throw, because a model may call them outside of its call.
 * 5. Secrets are taken out of replies, of texts on their way, of notes and of errors (K9).
 */
import {
  bytesText,
  type ErrorData,
  isObject,
  isOutage,
  MAX_REPLY_BYTES,
  type ModelReply,
  type ModelRequest,
  type RetryNote,
  ThinkonError,
} from '../protocol/index.ts'
import { checkedError } from './checked-error.ts'
import { checkedReply, plainPart, type UnpaidReply } from './checked-reply.ts'
import { checkedUsage } from './checked-usage.ts'
import type { EffectIo, Performed, Said } from './durable.ts'
import type { Model, ModelIo } from './model.ts'
import { type CallUsage, costOf } from './model-cost.ts'
import { receivedUsage } from './model-effect.ts'
import { NotPlain } from './plain-value.ts'
import type { CleanDeltas, CleanReplies, KernelServices } from './services.ts'

/** How long an aborted model has to stop. */
const GRACE_MS = 1_000
/** A text and the value that was parsed from it, reasoning, calls, and fields of the model's own. */
const MOST_COPIES = 4

export class GuardedIo implements ModelIo {
  private readonly io: EffectIo
  readonly request: ModelRequest
  readonly model: Model
  private readonly said: Said | undefined
  private readonly services: KernelServices
  /** The problem with the reported usage; empty if there is none. */
  usageProblem = ''
  private bytes = 0
  /** The model has paid a part, so its reply may report 0 tokens. */
  private hasParts = false
  private both: AbortSignal | null = null
  private readonly stop = new AbortController()
  private deltas: CleanDeltas | null = null
  private refusal: ThinkonError | null = null
  /** Rejects when an aborted model has had its time to stop. */
  private readonly abandoned = Promise.withResolvers<never>()
  private grace: NodeJS.Timeout | undefined

  constructor(
    io: EffectIo,
    request: ModelRequest,
    model: Model,
    services: KernelServices,
    said: Said | undefined,
  ) {
    this.io = io
    this.said = said
    this.request = request
    this.model = model
    this.services = services
    this.abandoned.promise.catch(() => {})
  }

  get seed(): string {
    return this.io.seed
  }

  private get cleaning(): CleanReplies {
    return this.services.replies
  }

  // --- how the call ends: the first end counts

  /** Throws the step's error, once what the call has cost is recorded. */
  async within(perform: () => Promise<Performed>): Promise<Performed> {
    try {
      const performed = await Promise.race([perform(), this.abandoned.promise])
      if (this.refusal !== null) throw this.refusal
      return performed
    } catch (thrown) {
      const error = this.refusal ?? this.withPolicy(this.error(thrown))
      if (isTooLong(error)) await this.payRefused(error)
      throw error
    } finally {
      clearTimeout(this.grace)
    }
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
    await this.io.part(async () => ({ value: refused, usage: this.usageOf(error) })).catch(() => {})
  }

  /** The error of a call that threw: the reason of the signal if it was aborted. */
  private error(thrown: unknown): unknown {
    this.endDeltas()
    const { signal } = this
    return signal.aborted ? signal.reason : this.cleaning.error(checkedError(thrown, 'MODEL_ERROR'))
  }

  // --- what a model has said in the end

  /** The reply as a later process reads it from the journal. */
  reply(given: unknown): ModelReply {
    this.endDeltas()
    const usage = this.usage(() => (given as ModelReply).usage, given)
    try {
      const reply = this.cleaning.data(checkedReply(given, this.maxBytes * MOST_COPIES))
      this.checkSize(reply, usage)
      const isEstimated = this.usageProblem !== ''
      return { ...reply, usage, ...(isEstimated && { usageEstimated: true }) }
    } catch (thrown) {
      throw thrown instanceof NotPlain ? this.tooLong(usage) : thrown
    }
  }

  /** A whole reply: what was not streamed is counted here. */
  private checkSize({ text, toolCalls, reasoning }: UnpaidReply, usage: CallUsage): void {
    let bytes = sizeOf(text, this.maxBytes)
    if (toolCalls !== undefined) bytes += sizeOf(JSON.stringify(toolCalls), this.maxBytes)
    if (reasoning !== undefined) bytes += sizeOf(JSON.stringify(reasoning), this.maxBytes)
    if (bytes > this.maxBytes) throw this.tooLong(usage)
  }

  /** A part of a model object's own, checked like a reply. */
  async checkedPart<T>(
    run: () => Promise<{ value: T; usage: CallUsage }>,
  ): Promise<{ value: T; usage: CallUsage }> {
    const part: unknown = await run()
    if (!isObject(part)) throw new ThinkonError('MODEL_ERROR', NO_PART)
    const usage = this.usage(() => part.usage, part.value)
    const value = plainPart(part.value, 'part', this.maxBytes * MOST_COPIES)
    this.hasParts = true
    return { value: this.cleaning.data(value) as T, usage }
  }

  /** `said`: the reply or the value of a part, for the estimate of one that was not streamed. */
  private usage(read: () => unknown, said?: unknown): CallUsage {
    let given: unknown
    try {
      given = read()
    } catch {
      given = undefined
    }
    const { asksPerson, free, cost } = this.model
    const { usage, problem } = checkedUsage(given, {
      request: this.request,
      saidBytes: () => Math.max(this.bytes, bytesSaid(said)),
      isPriced: cost !== undefined,
      mayBeFree: this.hasParts || asksPerson === true || free === true,
    })
    if (problem !== undefined && this.usageProblem === '') this.usageProblem = problem
    return usage
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

  // Properties and no methods: a model may take them out of the object. Arguments of another type are ignored.

  readonly onDelta: ModelIo['onDelta'] = (text) => {
    if (!this.count(text)) return
    this.deltas ??= this.cleaning.deltas((clean) => this.io.onDelta(clean))
    this.deltas.push(text)
  }

  readonly onHidden: NonNullable<ModelIo['onHidden']> = (text) => {
    this.count(text)
  }

  readonly onRetry: NonNullable<ModelIo['onRetry']> = (note) => {
    // Another attempt is another reply.
    this.bytes = 0
    const plain = plainNote(note)
    if (plain !== null) this.io.onRetry?.(this.cleaning.data(plain))
  }

  readonly part: EffectIo['part'] = async (run, reserve) => {
    if (typeof run !== 'function') throw new ThinkonError('MODEL_ERROR', NO_PART)
    const value = await this.paid(() => this.checkedPart(run), reserve)
    this.hasParts = true
    return value
  }

  /** A part whose value and usage have been checked. */
  readonly paid: EffectIo['part'] = async (run, reserve) => {
    this.bytes = 0
    const value = await this.io.part(run, reserve)
    if (isRefused(value)) throw ThinkonError.fromJSON(value.refused)
    return value
  }

  /** What was held back of a text because it might have become a secret. */
  private endDeltas(): void {
    this.deltas?.end()
    this.deltas = null
  }

  /** Whether it is a text, and the reply may go on. */
  private count(text: unknown): boolean {
    if (this.refusal !== null || typeof text !== 'string') return false
    this.bytes += Buffer.byteLength(text)
    if (this.bytes <= this.maxBytes) return true
    const error = this.tooLong()
    this.refusal = error
    this.stop.abort(error)
    this.grace = setTimeout(() => this.abandoned.reject(error), GRACE_MS)
    return false
  }

  private get maxBytes(): number {
    return this.model.maxReplyBytes ?? MAX_REPLY_BYTES
  }

  private tooLong(usage?: ModelReply['usage']): ThinkonError {
    return new ThinkonError(
      'REPLY_TOO_LONG',
      `${this.path}: the reply to ${this.request.kind} is longer than ${bytesText(this.maxBytes)} and was not read further; ` +
        `if the model may say so much, raise "${SETTING}" of the model in the configuration`,
      { data: { setting: SETTING, maxBytes: this.maxBytes, ...(usage !== undefined && { usage }) } },
    )
  }

  private usageOf({ data }: ThinkonError): CallUsage {
    if (data.usage !== undefined) return this.usage(() => data.usage)
    const usage = receivedUsage(this.request, this.bytes)
    const costUsd = costOf(this.model, usage)
    return costUsd === undefined ? usage : { ...usage, costUsd }
  }
}

/** The size of a reply before it is checked. Never throws. */
function bytesSaid(said: unknown): number {
  try {
    if (typeof said === 'string') return Buffer.byteLength(said)
    if (!isObject(said)) return 0
    const { text, toolCalls, reasoning } = said
    const rest = JSON.stringify([toolCalls, reasoning])
    return (typeof text === 'string' ? Buffer.byteLength(text) : 0) + (rest === NO_REST ? 0 : rest.length)
  } catch {
    return 0
  }
}

const NO_REST = '[null,null]'

const SETTING = 'maxReplyBytes'

/** A reply that was paid for and refused, as it is recorded. */
interface Refused {
  readonly refused: ErrorData
}

export function isRefused(paid: unknown): paid is Refused {
  return isObject(paid) && isObject(paid.refused) && paid.refused.code === 'REPLY_TOO_LONG'
}

function plainNote(note: unknown): RetryNote | null {
  try {
    const plain = plainPart(note, 'note', MAX_NOTE_BYTES)
    return isObject(plain) ? (plain as unknown as RetryNote) : null
  } catch {
    return null
  }
}

const MAX_NOTE_BYTES = 64 * 1024
const NO_PART = 'the model called io.part without a function that returns { value, usage }'

/** Also one that a model has noticed by itself, such as a response without end. */
function isTooLong(error: unknown): error is ThinkonError {
  return ThinkonError.isInstance(error) && error.code === 'REPLY_TOO_LONG' && error.data.setting === SETTING
}

/** In bytes, as far as it matters: no character has more than three. */
function sizeOf(text: string, maxBytes: number): number {
  return text.length * 3 <= maxBytes ? text.length : Buffer.byteLength(text)
}

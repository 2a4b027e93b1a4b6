/**
 * A reply that reached its cap is not an answer.
 *
 * 1. A text that breaks off is continued: the model sees its reply so far and goes on from its end.
 * 2. A value, a call of a tool and a reply that was still being thought about are asked for again with twice the room; a value
 *    is continued, too, where the model gives no more room. A call that was cut off is never made.
 * 3. All of it together may take GROWTH times the first cap. What is longer fails with REPLY_TOO_LONG: a shortened answer is
 *    never passed on as the answer.
 * 4. The reply names in `repairs` what was done.
 */
import { DecodingBudget } from '../protocol/decoding-budget.ts'
import {
  defined,
  type Message,
  type ModelReply,
  type ModelRequest,
  parseJson,
  ThinkonError,
} from '../protocol/index.ts'
import { joinTexts } from './join-texts.ts'
import type { ModelIo } from './model.ts'
import { DEFAULT_OUTPUT_TOKENS } from './model-effect.ts'

/** A reply whose usage was recorded with its part. */
export type Said = Omit<ModelReply, 'usage'>

/** A whole reply, and how many requests it took beyond the first. */
export interface Whole {
  readonly said: Said
  readonly more: number
}

/** How much longer than its first cap a reply may become. */
const GROWTH = 4

/** Continues a reply that was cut off, or asks for it again, until it is whole. Each request is a part of the step. */
export async function wholeReply(
  cut: Said,
  request: ModelRequest,
  io: Pick<ModelIo, 'path' | 'signal'>,
  ask: (request: ModelRequest) => Promise<Said>,
): Promise<Whole> {
  const completing = new Completing(request, io.path)
  let said = cut
  for (let more = 0; ; more++) {
    if (said.cutOff !== true) return { said: completing.joined(said), more }
    const next = completing.next(said, more)
    io.signal.throwIfAborted()
    said = await ask(next)
  }
}

class Completing {
  private readonly request: ModelRequest
  private readonly path: string
  /** The room of the next request, and what all requests may take together. */
  private cap: number
  private readonly most: number
  /** What was said so far, and the room that it took. */
  private text = ''
  private taken = 0
  private readonly repairs: string[] = []
  private readonly budget: DecodingBudget

  constructor(request: ModelRequest, path: string) {
    this.request = request
    this.path = path
    this.cap = request.settings?.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS
    this.most = this.cap * GROWTH
    this.budget = new DecodingBudget(`${path}: the reply to ${request.kind}`)
  }

  /** The request that follows a reply that was cut off. */
  next(said: Said, asked: number): ModelRequest {
    const hasText = said.text.trim() !== '' && !said.toolCalls?.length
    const mayContinue = hasText && this.taken + this.cap < this.most
    const mayGrow = this.cap * 2 <= this.most && said.cutAt === undefined
    if (mayGrow && (!hasText || this.request.schema !== undefined)) {
      this.cap *= 2
      this.repairs.push('asked-with-more-room')
    } else if (mayContinue) {
      this.text = joinTexts(this.text, said.text, this.budget)
      this.taken += this.cap
      this.repairs.push('continued')
    } else throw this.tooLong(said, asked)
    return this.asking()
  }

  joined(said: Said): Said {
    const repairs = [...this.repairs, ...(said.repairs ?? [])]
    if (this.text === '') return { ...said, repairs }
    const text = joinTexts(this.text, said.text, this.budget)
    const value = this.request.schema === undefined ? undefined : parseJson(text)
    // What was thought about the continuation belongs to a request that later ones don't contain.
    const { reasoning: _, value: __, ...rest } = said
    return { ...rest, text, ...defined({ value }), repairs }
  }

  private asking(): ModelRequest {
    const { request, text } = this
    const settings = { ...request.settings, maxOutputTokens: this.cap }
    if (text === '') return { ...request, settings }
    // What follows the beginning of a value is not a value of its own.
    const { schema: _, ...rest } = request
    return { ...rest, settings, messages: [...request.messages, ...continuation(text)] }
  }

  private tooLong(said: Said, asked: number): ThinkonError {
    const { kind } = this.request
    const text = said.toolCalls?.length ? this.text : joinTexts(this.text, said.text, this.budget)
    const tokens = this.taken + this.cap
    const isThinking = text.trim() === '' && !said.toolCalls?.length
    const setting = isThinking ? 'thinkingTokens' : 'maxOutputTokens'
    const what = isThinking
      ? `the model had not begun its reply to ${kind} after ${tokens} tokens and what it may think`
      : `the reply to ${kind} is longer than ${tokens} tokens`
    return new ThinkonError(
      'REPLY_TOO_LONG',
      `${this.path}: ${what}, also after ${asked} more ${asked === 1 ? 'request' : 'requests'}; ` +
        `raise "${setting}" of the model in the configuration`,
      { data: { tokens, setting, text: text.slice(0, MAX_KEPT) } },
    )
  }
}

const MAX_KEPT = 64 * 1024

function continuation(text: string): Message[] {
  return [
    { role: 'assistant', content: text },
    {
      role: 'user',
      content:
        'Your reply was cut off because it reached its maximum length. Continue it from where it stops. Begin with its last ' +
        'words, exactly as they are, so that both parts can be joined, and write nothing before them:\n' +
        lastWords(text),
    },
  ]
}

const SHOWN = 60

function lastWords(text: string): string {
  const end = text.slice(-SHOWN)
  const space = end.search(/\s/)
  return text.length > SHOWN && space > 0 && space < SHOWN / 2 ? end.slice(space + 1) : end
}

/**
 * A model that says what a test tells it to. It records every request, heeds the abort signal, and knows at the end which
 * replies were not used and which requests were not foreseen.
 */
import { estimateTokens } from '../kernel/budget.ts'
import type { Model, ModelIo } from '../kernel/model.ts'
import {
  goalTitle,
  type ModelReply,
  type ModelRequest,
  messageText,
  ThinkonError,
  type ToolCall,
  type Usage,
} from '../protocol/index.ts'

/**
 * What the model says: a text as it is; any other value as JSON, with the value parsed already; an error is thrown; a
 * function is asked with the request, and what it returns is taken the same way.
 */
export type ScriptedReply = unknown | Error | ScriptedFunction
export type ScriptedFunction = (request: ModelRequest, io: ModelIo) => unknown

/**
 * Replies in order; or lists of replies by the goal or the kind of the request, so that children that run at the same time
 * get theirs whatever the order; or one function for all.
 */
export type Script =
  | readonly ScriptedReply[]
  | Readonly<Record<string, readonly ScriptedReply[] | ScriptedFunction>>
  | ScriptedFunction

export interface ScriptedModelOptions {
  id?: string
  /** What tokens cost, so that money can be limited. */
  cost?: Model['cost']
}

export interface ReplyDetails {
  /** Estimated from the texts unless given. */
  usage?: Omit<Usage, 'calls'>
  /** Pieces sent as deltas before the reply. */
  deltas?: readonly string[]
  toolCalls?: readonly ToolCall[]
}

export class ScriptedModel implements Model {
  readonly id: string
  readonly cost?: NonNullable<Model['cost']>
  /** Every request, in the order they came. */
  readonly calls: ModelRequest[] = []
  private readonly lists = new Map<string, ScriptedReply[]>()
  private readonly functions = new Map<string, ScriptedFunction>()
  private readonly unforeseen: string[] = []

  constructor(script: Script, options: ScriptedModelOptions = {}) {
    this.id = options.id ?? 'scripted'
    if (options.cost !== undefined) this.cost = options.cost
    if (typeof script === 'function') this.functions.set(ANY, script as ScriptedFunction)
    else if (Array.isArray(script)) this.lists.set(ANY, [...script])
    else {
      const byKey = script as Readonly<Record<string, readonly ScriptedReply[] | ScriptedFunction>>
      for (const [key, part] of Object.entries(byKey)) {
        if (typeof part === 'function') this.functions.set(key, part as ScriptedFunction)
        else this.lists.set(key, [...(part as readonly ScriptedReply[])])
      }
    }
  }

  async call(request: ModelRequest, io: ModelIo): Promise<ModelReply> {
    this.calls.push(request)
    io.signal.throwIfAborted()
    let said = this.next(request)
    while (typeof said === 'function')
      said = await heeding(io.signal, (said as ScriptedFunction)(request, io))
    const { body, details } = said instanceof DetailedReply ? said : new DetailedReply(said, {})
    if (body instanceof Error) throw body
    for (const delta of details.deltas ?? []) io.onDelta(delta)
    return replyOf(request, body, details)
  }

  /** Throws when replies are left over, or when requests came that nobody had foreseen. */
  assertComplete(): void {
    const unused = [...this.lists].flatMap(([key, replies]) =>
      replies.map((reply) => `unused${key === ANY ? '' : ` for "${key}"`}: ${shown(reply)}`),
    )
    const problems = [...unused, ...this.unforeseen]
    if (problems.length === 0) return
    throw new Error(`the script of the model "${this.id}" does not fit the run:\n${problems.join('\n')}`)
  }

  private next(request: ModelRequest): ScriptedReply {
    for (const key of [goalOf(request), request.kind, ANY]) {
      if (key === undefined) continue
      const list = this.lists.get(key)
      if (list !== undefined && list.length > 0) return list.shift()
      const answer = this.functions.get(key)
      if (answer !== undefined) return answer
    }
    const name = nameOf(request)
    this.unforeseen.push(`not foreseen: call ${this.calls.length}, ${name}`)
    return new ThinkonError(
      'MODEL_ERROR',
      `the script of the model "${this.id}" has no reply for call ${this.calls.length}: ${name}`,
      { data: { kind: request.kind, call: this.calls.length } },
    )
  }
}

/** A reply with more than its body: what it cost, the pieces it came in, the tools it calls. */
export function reply(body: ScriptedReply, details: ReplyDetails): ScriptedReply {
  return new DetailedReply(body, details)
}

class DetailedReply {
  readonly body: ScriptedReply
  readonly details: ReplyDetails

  constructor(body: ScriptedReply, details: ReplyDetails) {
    this.body = body
    this.details = details
  }
}

const ANY = ''

function replyOf(request: ModelRequest, body: unknown, { usage, toolCalls }: ReplyDetails): ModelReply {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? null)
  const estimated = {
    inputTokens: request.messages.reduce((sum, message) => sum + estimateTokens(messageText(message)), 0),
    outputTokens: estimateTokens(text),
  }
  return {
    text,
    ...(typeof body === 'string' ? {} : { value: JSON.parse(text) }),
    ...(toolCalls === undefined ? {} : { toolCalls }),
    usage: usage ?? estimated,
  }
}

/** The promise, or the signal's reason when that comes first. */
async function heeding<T>(signal: AbortSignal, promise: T): Promise<Awaited<T>> {
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** The goal a request is about, where its input says so. */
function goalOf({ input }: ModelRequest): string | undefined {
  const goal = (input as { goal?: unknown } | null | undefined)?.goal
  return typeof goal === 'string' && goal !== '' ? goal : undefined
}

function nameOf(request: ModelRequest): string {
  const goal = goalOf(request)
  const last = request.messages.at(-1)
  return goal !== undefined
    ? `${request.kind} for the goal "${goalTitle(goal)}"`
    : `${request.kind} with the message "${goalTitle(last === undefined ? '' : messageText(last))}"`
}

function shown(reply: ScriptedReply): string {
  if (typeof reply === 'function') return `a function${reply.name ? ` ${reply.name}` : ''}`
  if (reply instanceof DetailedReply) return shown(reply.body)
  if (reply instanceof Error) return `${reply.name}: ${reply.message}`
  return goalTitle(typeof reply === 'string' ? reply : (JSON.stringify(reply) ?? String(reply)))
}

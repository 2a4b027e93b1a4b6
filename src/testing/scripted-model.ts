/**
 * A model that replies what a test scripts. It records every request, respects the abort signal, and reports at the end which
 * replies were not used and which requests were unexpected.
 */
import { estimateTokens } from '../kernel/budget.ts'
import type { Model, ModelIo } from '../kernel/model.ts'
import { unlessAborted } from '../kernel/unless-aborted.ts'
import { checkArguments } from '../protocol/check-arguments.ts'
import {
  goalTitle,
  type ModelReply,
  type ModelRequest,
  messageText,
  ThinkonError,
  type ToolCall,
  type Usage,
} from '../protocol/index.ts'
import { REPLY, SCRIPTED_MODEL } from './entrances.ts'

/**
 * A reply: a text is sent as it is, any other value as JSON, already parsed; an error is thrown; a function is called with the
 * request, and its result is used the same way.
 */
export type ScriptedReply = unknown | Error | ScriptedFunction
export type ScriptedFunction = (request: ModelRequest, io: ModelIo) => unknown

/**
 * Replies in order; or lists of replies by the goal or the kind of the request, so that concurrent children get theirs in any
 * order; or one function for all.
 */
export type Script =
  | readonly ScriptedReply[]
  | Readonly<Record<string, readonly ScriptedReply[] | ScriptedFunction>>
  | ScriptedFunction

export interface ScriptedModelOptions {
  id?: string
  /** The cost of tokens, for testing cost limits. */
  cost?: Model['cost']
}

export interface ReplyDetails {
  /** Estimated from the texts unless given. */
  usage?: Omit<Usage, 'calls'>
  /** Pieces sent as deltas before the reply. */
  deltas?: readonly string[]
  toolCalls?: readonly ToolCall[]
  /** The reply reached its cap, and is not whole. */
  cutOff?: true
}

export class ScriptedModel implements Model {
  readonly id: string
  readonly cost?: NonNullable<Model['cost']>
  readonly free = true
  /** Every request, in order. */
  readonly calls: ModelRequest[] = []
  private readonly lists = new Map<string, ScriptedReply[]>()
  private readonly functions = new Map<string, ScriptedFunction>()
  private readonly unexpected: string[] = []

  constructor(script: Script, options: ScriptedModelOptions = {}) {
    checkArguments('ScriptedModel', SCRIPTED_MODEL, [script, options])
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
    let scripted = this.next(request)
    while (typeof scripted === 'function')
      scripted = await unlessAborted(Promise.resolve((scripted as ScriptedFunction)(request, io)), io.signal)
    const { body, details } = scripted instanceof DetailedReply ? scripted : new DetailedReply(scripted, {})
    if (body instanceof Error) throw body
    for (const delta of details.deltas ?? []) io.onDelta(delta)
    return replyOf(request, body, details)
  }

  /** Throws if replies are left over or if there were unexpected requests. */
  assertComplete(): void {
    const unused = [...this.lists].flatMap(([key, replies]) =>
      replies.map((reply) => `unused${key === ANY ? '' : ` for "${key}"`}: ${shown(reply)}`),
    )
    const problems = [...unused, ...this.unexpected]
    if (problems.length === 0) return
    throw new Error(`the script of the model "${this.id}" does not match the run:\n${problems.join('\n')}`)
  }

  private next(request: ModelRequest): ScriptedReply {
    for (const key of [goalOf(request), request.kind, ANY]) {
      if (key === undefined) continue
      const list = this.lists.get(key)
      if (list !== undefined && list.length > 0) return list.shift()
      const answer = this.functions.get(key)
      if (answer !== undefined) return answer
    }
    const description = describe(request)
    this.unexpected.push(`unexpected: call ${this.calls.length}, ${description}`)
    return new ThinkonError(
      'MODEL_ERROR',
      `the script of the model "${this.id}" has no reply for call ${this.calls.length}: ${description}`,
      { data: { kind: request.kind, call: this.calls.length } },
    )
  }
}

/** A reply with details: its usage, its deltas, the tools it calls. */
export function reply(body: ScriptedReply, details: ReplyDetails): ScriptedReply {
  checkArguments('reply', REPLY, [body, details])
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

function replyOf(
  request: ModelRequest,
  body: unknown,
  { usage, toolCalls, cutOff }: ReplyDetails,
): ModelReply {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? null)
  const estimated = {
    inputTokens: request.messages.reduce((sum, message) => sum + estimateTokens(messageText(message)), 0),
    outputTokens: estimateTokens(text + (toolCalls === undefined ? '' : JSON.stringify(toolCalls))),
  }
  return {
    text,
    ...(typeof body === 'string' ? {} : { value: JSON.parse(text) }),
    ...(toolCalls === undefined ? {} : { toolCalls }),
    ...(cutOff === undefined ? {} : { cutOff }),
    usage: usage ?? estimated,
  }
}

/** The promise, or the signal's reason when that comes first. */
/** The goal of a request, if its input has one. */
function goalOf({ input }: ModelRequest): string | undefined {
  const goal = (input as { goal?: unknown } | null | undefined)?.goal
  return typeof goal === 'string' && goal !== '' ? goal : undefined
}

function describe(request: ModelRequest): string {
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

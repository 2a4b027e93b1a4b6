/**
 * Events of steps and blocks as lists. Their keys would stand in a journal thousands of times, and take as much as most of what they say.
 *
 * `[references, n, …]`: `references` is 1 where texts stand as references (see Texts), else 0; then come the fields of the event, as `unpacked`
 * names them. A field that has just the parts that are named there is a list of them, too, or the text that is all there is to say; any other
 * is an object, as it is. An event that has other fields, or lacks one, is not packed.
 */
import type { Draft } from '../kernel/store.ts'
import type { Left, ModelReply, Outcome, Reserve, Result, Usage } from '../protocol/index.ts'

export type Packed = readonly [references: 0 | 1, n: number, ...fields: unknown[]]

/** Null if it is to be stored as an object. `request`: as it is stored. */
export function packed(draft: Draft, references: 0 | 1, request?: object): Packed | null {
  const list = listOf(draft, references, request)
  // Besides these it has its type, its path and its time; and it has none of what stands before them.
  return list === null || keysIn(draft) !== list.length + 2 || list.includes(undefined) ? null : list
}

function listOf(draft: Draft, references: 0 | 1, request: object | undefined): Packed | null {
  switch (draft.type) {
    case 'model-start':
      return [references, draft.n, packedRequest(request as StoredRequest), packedReserve(draft.reserve)]
    case 'model-end': {
      const usage = packedUsage(draft.usage)
      return [references, draft.n, packedReply(draft.result, usage), usage, packedLeft(draft.left)]
    }
    case 'tool-end': {
      const { n, result, usage, left } = draft
      return [references, n, result, packedUsage(usage), packedLeft(left)]
    }
    case 'block-start': {
      const { n, goal, strategy, options, kept, left } = draft
      return [references, n, goal, strategy, options, packedReserve(kept), packedLeft(left)]
    }
    case 'block-end':
      return [references, draft.n, packedOutcome(draft.outcome), packedLeft(draft.left)]
    case 'done-add':
      return [references, draft.n, draft.from]
    default:
      return null
  }
}

/** How long the list of an event is. */
const LENGTHS: Readonly<Record<string, number>> = {
  'model-start': 4,
  'model-end': 5,
  'tool-end': 5,
  'block-start': 7,
  'block-end': 4,
  'done-add': 3,
}

/** The fields of an event that was packed. Throws a TypeError where the list is another's, or was cut off. */
export function unpacked(type: string, list: Packed): object {
  if (list.length !== LENGTHS[type]) throw new TypeError(`an event of the type ${type} is no such list`)
  const [, n, first, second, third, fourth, fifth] = list
  switch (type) {
    case 'model-start':
      return { n, request: requestOf(first), reserve: reserveOf(second) }
    case 'model-end': {
      const usage = usageOf(second)
      return { n, result: resultOf(first, usage), usage, left: leftOf(third) }
    }
    case 'tool-end':
      return { n, result: first, usage: usageOf(second), left: leftOf(third) }
    case 'block-start': {
      const [kept, left] = [reserveOf(fourth), leftOf(fifth)]
      return { n, goal: first, strategy: second, options: third, kept, left }
    }
    case 'block-end':
      return { n, outcome: outcomeOf(first), left: leftOf(second) }
    default:
      return { n, from: first }
  }
}

// --- a request of one text

interface StoredRequest {
  readonly kind: string
  readonly version: number
  readonly role: string
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

function packedRequest(request: StoredRequest): unknown {
  const { kind, version, role, messages } = request
  const [message] = messages
  if (messages.length !== 1 || message?.role !== 'user' || keysIn(message) !== 2) return request
  return Array.isArray(message.content) ? request : partsOf(request, [kind, version, role, message.content])
}

function requestOf(stored: unknown): unknown {
  if (!Array.isArray(stored)) return stored
  const [kind, version, role, content] = stored
  return { kind, version, role, messages: [{ role: 'user', content }] }
}

// --- a reply that is a text, and has cost what its step has; how a block has ended

function packedReply(result: Result<ModelReply>, spent: unknown): unknown {
  // A text in its place would be taken for the reply's.
  if (typeof result !== 'object') return undefined
  const reply = result?.ok === true && keysIn(result) === 2 ? result.value : null
  if (typeof reply?.text !== 'string' || keysIn(reply) !== 2 || !Array.isArray(spent)) return result
  const usage = partsOf(reply.usage, [reply.usage?.inputTokens, reply.usage?.outputTokens])
  const isSpent = Array.isArray(usage) && usage[0] === spent[1] && usage[1] === spent[2]
  return isSpent ? reply.text : result
}

function resultOf(stored: unknown, usage: Usage): unknown {
  if (typeof stored !== 'string') return stored
  const { inputTokens, outputTokens } = usage
  return { ok: true, value: { text: stored, usage: { inputTokens, outputTokens } } }
}

function packedOutcome(outcome: Outcome): unknown {
  return partsOf(outcome, [outcome?.status, outcome?.result, packedUsage(outcome?.usage)])
}

function outcomeOf(stored: unknown): unknown {
  if (!Array.isArray(stored)) return stored
  const [status, result, usage] = stored
  return { status, result, usage: usageOf(usage) }
}

// --- figures

function packedUsage(usage: Usage): unknown {
  return partsOf(usage, [usage?.calls, usage?.inputTokens, usage?.outputTokens])
}

function usageOf(stored: unknown): Usage {
  if (!Array.isArray(stored)) return stored as Usage
  const [calls, inputTokens, outputTokens] = stored
  return { calls, inputTokens, outputTokens }
}

function packedReserve(reserve: Reserve): unknown {
  return partsOf(reserve, [reserve?.calls, reserve?.tokens, reserve?.costUsd])
}

function reserveOf(stored: unknown): unknown {
  if (!Array.isArray(stored)) return stored
  const [calls, tokens, costUsd] = stored
  return { calls, tokens, costUsd }
}

function packedLeft(left: Left): unknown {
  const known = [left?.tokens, left?.calls, left?.timeMs, left?.costUsd]
  return partsOf(left, left?.held === undefined ? known : [...known, packedReserve(left.held)])
}

function leftOf(stored: unknown): unknown {
  if (!Array.isArray(stored)) return stored
  const [tokens, calls, timeMs, costUsd, held] = stored
  const left = { tokens, calls, timeMs, costUsd }
  return held === undefined ? left : { ...left, held: reserveOf(held) }
}

/** The parts, if they are all that the value has; otherwise the value. A list in its place would be taken for the parts: undefined. */
function partsOf(value: object | undefined, parts: readonly unknown[]): unknown {
  if (value === undefined || Array.isArray(value)) return undefined
  return keysIn(value) !== parts.length || parts.includes(undefined) ? value : parts
}

function keysIn(value: object): number {
  let count = 0
  for (const _ in value) count++
  return count
}

/**
 * Requests of a block mostly begin as an earlier request of the block did. A stored `model-start` has the new messages and a reference to the
 * earlier request: the space of a conversation grows with its length.
 *
 * 1. A reference names an earlier event of the same run and block. Any other is damage: a TypeError.
 * 2. Requests are compared with, and extended from, the last ones of each kind in their block. Other earlier requests are read from the store.
 * 3. A whole request has as many characters as the stored forms that it consists of, at most: references add up, they don't multiply.
 */
import { isDeepStrictEqual } from 'node:util'
import type { EventBody, Message } from '../protocol/index.ts'
import { charsIn } from './chars-in.ts'

export type ModelStart = Extract<EventBody, { type: 'model-start' }>
export type JournalRequest = ModelStart['request']

/** The earlier request that a stored one begins with. */
export interface Previous {
  /** Of its event. */
  readonly seq: number
  /** The number of its messages that come first. */
  readonly messages: number
  /** The number of parts of its next message that the next message begins with. */
  readonly parts: number
  /** The fields that are equal: they are stored as null. */
  readonly same: readonly Shared[]
}

/** The stored form: `request` has only what is new. */
export interface StoredStart {
  readonly request: JournalRequest
  readonly previous?: Previous
}

const SHARED = ['tools', 'schema', 'toolRule'] as const
type Shared = (typeof SHARED)[number]

/** A whole request, and the characters of its messages. */
export interface WholeRequest {
  readonly seq: number
  readonly request: JournalRequest
  readonly chars: number
}

/** Of blocks with requests; the one that asked longest ago is forgotten first. */
const MAX_BLOCKS = 512
const MAX_KINDS = 16

export class Conversations {
  /** By run and block. */
  private readonly blocks = new Map<string, WholeRequest[]>()

  /** The stored form of a request, which is remembered. */
  shorten(run: number, path: string, seq: number, request: JournalRequest): StoredStart {
    const previous = bestOf(this.blocks.get(keyOf(run, path)) ?? [], request)
    this.remember(run, path, { seq, request, chars: 0 })
    if (previous === null) return { request }
    const messages = request.messages.slice(previous.messages)
    if (previous.parts > 0) messages[0] = withoutParts(messages[0] as Message, previous.parts)
    const fresh: JournalRequest = { ...request, messages }
    // The keys stay in their order: a run that is read and written again is the same text.
    for (const field of previous.same) Object.assign(fresh, { [field]: null })
    return { request: fresh, previous }
  }

  /**
   * The whole request of event `seq`, which is remembered. `earlier` reads the stored form of another event of the block, and throws if there is
   * none.
   */
  whole(
    run: number,
    path: string,
    seq: number,
    stored: StoredStart,
    earlier: (seq: number) => StoredStart,
  ): WholeRequest {
    const links: (readonly [seq: number, start: StoredStart])[] = []
    let found: WholeRequest | undefined
    let at = seq
    let start = stored
    while (start.previous !== undefined) {
      links.push([at, start])
      const before = earlierOf(at, start.previous)
      found = this.blocks.get(keyOf(run, path))?.find((one) => one.seq === before)
      if (found !== undefined) break
      at = before
      start = earlier(before)
    }
    found ??= { seq: at, request: start.request, chars: charsIn(start.request.messages) }
    for (const [seq, link] of links.reverse()) found = extended(found, seq, link)
    this.remember(run, path, found)
    return found
  }

  /** The block has ended. */
  ended(run: number, path: string): void {
    this.blocks.delete(keyOf(run, path))
  }

  forget(): void {
    this.blocks.clear()
  }

  private remember(run: number, path: string, request: WholeRequest): void {
    const key = keyOf(run, path)
    const others = (this.blocks.get(key) ?? []).filter((one) => one.request.kind !== request.request.kind)
    this.blocks.delete(key)
    this.blocks.set(key, [request, ...others.slice(0, MAX_KINDS - 1)])
    if (this.blocks.size > MAX_BLOCKS) this.blocks.delete(this.blocks.keys().next().value as string)
  }
}

function keyOf(run: number, path: string): string {
  return `${run} ${path}`
}

/** The reference that leaves the least to store; null if the requests have nothing in common. */
function bestOf(earlier: readonly WholeRequest[], request: JournalRequest): Previous | null {
  let best: Previous | null = null
  for (const one of earlier) {
    const next = inCommon(one, request)
    const isBetter =
      best === null ||
      next.messages > best.messages ||
      (next.messages === best.messages && next.parts > best.parts)
    if (isBetter) best = next
  }
  return best !== null && best.messages + best.parts + best.same.length > 0 ? best : null
}

function inCommon({ seq, request: earlier }: WholeRequest, request: JournalRequest): Previous {
  const most = Math.min(earlier.messages.length, request.messages.length)
  let messages = 0
  while (messages < most && isDeepStrictEqual(earlier.messages[messages], request.messages[messages]))
    messages++
  const parts = partsInCommon(earlier.messages[messages], request.messages[messages])
  const same = SHARED.filter((field) => {
    const value = request[field]
    return value !== undefined && (value === earlier[field] || isDeepStrictEqual(value, earlier[field]))
  })
  return { seq, messages, parts, same }
}

function partsInCommon(earlier: Message | undefined, message: Message | undefined): number {
  const [a, b] = [earlier?.content, message?.content]
  if (!Array.isArray(a) || !Array.isArray(b)) return 0
  let parts = 0
  while (parts < a.length && parts < b.length && a[parts] === b[parts]) parts++
  return parts
}

function withoutParts(message: Message, parts: number): Message {
  return { ...message, content: message.content.slice(parts) }
}

function earlierOf(seq: number, { seq: before, messages, parts, same }: Previous): number {
  const isReference =
    Number.isSafeInteger(before) &&
    before > 0 &&
    before < seq &&
    isCount(messages) &&
    isCount(parts) &&
    Array.isArray(same) &&
    same.every((field) => SHARED.includes(field))
  if (!isReference) throw new TypeError(`the request of event ${seq} does not refer to an earlier one`)
  return before
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** The whole request whose stored form refers to `earlier`. */
function extended(earlier: WholeRequest, seq: number, { request, previous }: StoredStart): WholeRequest {
  const { messages, parts, same } = previous as Previous
  const kept = earlier.request.messages.slice(0, messages)
  const [first, ...rest] = request.messages
  const before = earlier.request.messages[messages]
  const grown = parts === 0 ? request.messages : [grownBy(before, parts, first), ...rest]
  if (kept.length < messages)
    throw new TypeError(`the request of event ${seq} refers to messages that are missing`)
  const chars = earlier.chars - charsIn(earlier.request.messages.slice(messages)) + charsIn(grown)
  const whole = { ...request, messages: [...kept, ...grown] }
  for (const field of same) Object.assign(whole, { [field]: earlier.request[field] })
  return { seq, request: whole, chars }
}

/** The message with the first parts of the earlier one before its own. */
function grownBy(earlier: Message | undefined, parts: number, message: Message | undefined): Message {
  const [before, own] = [earlier?.content, message?.content]
  if (!Array.isArray(before) || !Array.isArray(own) || before.length < parts)
    throw new TypeError('a message refers to parts that are missing')
  return { ...(message as Message), content: [...before.slice(0, parts), ...own] }
}

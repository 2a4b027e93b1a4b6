/**
 * The messages of a conversation, each stored once: a link has a message and the hash of the link before it, so that the hash of
 * the last link stands for the list. The next request of the conversation only adds links. A message of many parts is a chain
 * of parts in the same way: it grows at its end.
 */
import type { DecodingBudget } from '../protocol/decoding-budget.ts'
import type { Message } from '../protocol/index.ts'
import type { Texts } from './texts.ts'

interface Chain {
  readonly messages: readonly Message[]
  /** The links' hashes, one for each message. */
  readonly keys: readonly string[]
}

interface Link {
  readonly before: string | null
  readonly message: Message
  /** What it takes from a budget. */
  readonly chars: number
}

/** A shorter list stands in its message. */
const MANY_PARTS = 16
const MAX_CHAINS = 512
const MAX_LINKS = 4_096
const MAX_LINK_CHARS = 16 * 1024 * 1024

export class MessageChains {
  private readonly texts: Texts
  /** The last request's, by block: the next one usually begins with the same messages. */
  private readonly last = new Map<string, Chain>()
  private readonly links = new Map<string, Link>()
  private linkChars = 0

  constructor(texts: Texts) {
    this.texts = texts
  }

  /** The hash that stands for the messages; there must be some. */
  put(run: number, path: string, messages: readonly Message[]): string {
    const block = `${run} ${path}`
    const last = this.last.get(block)
    const same = last === undefined ? 0 : commonMessages(last.messages, messages)
    const keys = last === undefined ? [] : last.keys.slice(0, same)
    for (const message of messages.slice(same)) keys.push(this.putLink(keys.at(-1) ?? null, message))
    if (this.last.size >= MAX_CHAINS) this.last.clear()
    this.last.set(block, { messages, keys })
    return keys.at(-1) as string
  }

  get(key: string, budget: DecodingBudget): Message[] {
    const messages: Message[] = []
    for (let at: string | null = key; at !== null; ) {
      const { before, message } = this.link(at, budget)
      messages.push(message)
      at = before
    }
    return messages.reverse()
  }

  /** The block has ended. */
  ended(run: number, path: string): void {
    if (this.last.size > 0) this.last.delete(`${run} ${path}`)
  }

  /** A commit was rolled back: what it stored is gone. */
  forget(): void {
    this.last.clear()
  }

  private putLink(before: string | null, message: Message): string {
    const { content, ...rest } = message
    const stored =
      typeof content === 'string' || content.length < MANY_PARTS
        ? this.texts.withReferences(message)
        : {
            ...message,
            ...(this.texts.withReferences(rest) as object),
            content: { parts: this.putParts(content) },
          }
    return this.texts.putOften(JSON.stringify([before, stored]))
  }

  private putParts(parts: readonly string[]): string | null {
    let before: string | null = null
    for (const part of parts)
      before = this.texts.putOften(JSON.stringify([before, this.texts.stringFor(part)]))
    return before
  }

  private parts(key: string, budget: DecodingBudget): string[] {
    const parts: string[] = []
    for (let at: string | null = key; at !== null; ) {
      const [before, part]: [string | null, string] = JSON.parse(this.texts.get(at, budget))
      parts.push(this.texts.withTexts(part, budget) as string)
      at = before
    }
    return parts.reverse()
  }

  private link(key: string, budget: DecodingBudget): Link {
    const known = this.links.get(key)
    if (known !== undefined) {
      budget.take(known.chars)
      return known
    }
    const left = budget.left
    const [before, stored] = JSON.parse(this.texts.get(key, budget))
    const message = this.texts.withTexts(stored, budget) as Message & { content: { parts?: string } }
    const { parts } = message.content
    const whole = parts === undefined ? message : { ...message, content: this.parts(parts, budget) }
    const link = { before, message: whole, chars: left - budget.left }
    if (this.links.size >= MAX_LINKS || this.linkChars >= MAX_LINK_CHARS) {
      this.links.clear()
      this.linkChars = 0
    }
    this.links.set(key, link)
    this.linkChars += link.chars
    return link
  }
}

/** How many messages both lists begin with. */
function commonMessages(a: readonly Message[], b: readonly Message[]): number {
  const most = Math.min(a.length, b.length)
  let i = 0
  while (i < most && isSame(a[i] as Message, b[i] as Message)) i++
  return i
}

function isSame(a: Message, b: Message): boolean {
  if (a === b) return true
  const { content: textA, ...restA } = a
  const { content: textB, ...restB } = b
  return isSameText(textA, textB) && JSON.stringify(restA) === JSON.stringify(restB)
}

function isSameText(a: Message['content'], b: Message['content']): boolean {
  if (typeof a === 'string' || typeof b === 'string') return a === b
  return a.length === b.length && a.every((part, i) => part === b[i])
}

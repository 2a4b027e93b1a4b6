/**
 * Events as rows. Bodies over 256 KiB, parts of messages, and lists of tools that recur in later requests are stored once,
 * by hash, so that a long run does not store its history again with every call.
 */
import { hash } from 'node:crypto'
import type { Draft } from '../kernel/store.ts'
import type { Event, Message, ToolSpec } from '../protocol/index.ts'

const MAX_INLINE_BODY = 256 * 1024
const MIN_PART = 512
const LONG_PART = 4_096
const MAX_REMEMBERED = 512

/** A row of the events table, and the texts that must be in the blobs table for it. */
export interface EventRow {
  id: number
  at: number
  type: string
  path: string
  body: string | null
  blob: string | null
}

export interface Blobs {
  put(hash: string, body: string): void
  get(hash: string): string
}

export class EventCodec {
  private readonly blobs: Blobs
  /** Hashes of recent texts: most parts of a prompt are the same as last time. */
  private readonly hashes = new Map<string, string>()
  /** Texts seen once. */
  private readonly seen = new Set<string>()
  private readonly toolTexts = new WeakMap<readonly ToolSpec[], string>()

  constructor(blobs: Blobs) {
    this.blobs = blobs
  }

  /** The body as it is stored: a text, or the hash of one. */
  encode(draft: Draft): { body: string | null; blob: string | null } {
    const { path: _path, atMs: _atMs, type: _type, ...fields } = draft
    if (draft.type === 'model-start') {
      const { request } = draft
      const messages = request.messages.map((message) => this.encodeMessage(message))
      const tools = request.tools && { tools: this.encodeTools(request.tools) }
      ;(fields as { request: unknown }).request = { ...request, messages, ...tools }
    }
    const body = JSON.stringify(fields)
    if (body.length <= MAX_INLINE_BODY) return { body, blob: null }
    return { body: null, blob: this.keep(body) }
  }

  decode(run: string, row: EventRow, seq: number): Event {
    const fields = JSON.parse(row.body ?? this.blobs.get(row.blob as string))
    if (row.type === 'model-start') {
      fields.request.messages = fields.request.messages.map((message: StoredMessage) =>
        this.decodeMessage(message),
      )
      const { tools } = fields.request
      if (tools?.part !== undefined) fields.request.tools = JSON.parse(this.blobs.get(tools.part))
    }
    return { seq, ts: new Date(row.at).toISOString(), run, path: row.path, type: row.type, ...fields }
  }

  private encodeMessage(message: Message): Message | StoredMessage {
    const { content } = message
    if (typeof content === 'string') return { ...message, content: this.encodePart(content) }
    return { ...message, content: content.map((part) => this.encodePart(part)) }
  }

  private decodeMessage(message: StoredMessage): Message {
    const { content } = message
    if (Array.isArray(content)) return { ...message, content: content.map((part) => this.decodePart(part)) }
    return { ...message, content: this.decodePart(content) }
  }

  /** Every request of a run has the same list: it is serialized once. */
  private encodeTools(tools: readonly ToolSpec[]): readonly ToolSpec[] | { part: string } {
    let text = this.toolTexts.get(tools)
    if (text === undefined) {
      text = JSON.stringify(tools)
      this.toolTexts.set(tools, text)
    }
    return text.length < MIN_PART ? tools : { part: this.keep(text) }
  }

  private encodePart(text: string): StoredPart {
    if (text.length < MIN_PART) return text
    if (text.length >= LONG_PART || this.hashes.has(text) || this.seen.has(text))
      return { part: this.keep(text) }
    // Most short texts occur once and are stored inline. One that recurs is worth a blob of its own.
    if (this.seen.size >= MAX_REMEMBERED) this.seen.clear()
    this.seen.add(text)
    return text
  }

  private decodePart(part: StoredPart): string {
    return typeof part === 'string' ? part : this.blobs.get(part.part)
  }

  private keep(text: string): string {
    const known = this.hashes.get(text)
    if (known !== undefined) return known
    const key = hash('sha256', text)
    this.blobs.put(key, text)
    if (this.hashes.size >= MAX_REMEMBERED) this.hashes.clear()
    if (text.length <= MAX_INLINE_BODY) this.hashes.set(text, key)
    return key
  }

  /** A commit was rolled back: what it stored is gone. */
  forget(): void {
    this.hashes.clear()
  }
}

type StoredPart = string | { part: string }
interface StoredMessage extends Omit<Message, 'content'> {
  content: StoredPart | StoredPart[]
}

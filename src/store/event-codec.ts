/**
 * Events as rows. Each message of a conversation, each list of tools and each long text is stored once, so that a run takes as much on
 * disk as was said in it, however often its requests repeat that.
 *
 * A body is the event's fields as JSON, or a list whose only item is the fields with references in them (see Texts). The messages of a
 * request may then begin with a hash, which stands for all messages but the last (see MessageChains).
 */
import type { Draft } from '../kernel/store.ts'
import type { Event, EventOf, Message, ModelReply } from '../protocol/index.ts'
import { MessageChains } from './message-chains.ts'
import { type Blobs, LONG_TEXT, Texts } from './texts.ts'

const MAX_INLINE_BODY = 256 * 1024
/** A shorter one has next to nothing that is worth a reference, and most are shorter. */
const LONG_BODY = 512
/** A shorter text that is the last message of a request is stored by hash the second time. */
const VERY_LONG_TEXT = 4_096
const MAX_SEEN = 512

/** A row of the events table. */
export interface EventRow {
  id: number
  at: number
  type: string
  path: string
  body: string | null
  /** The hash of a body that is too long for the row. */
  blob: string | null
}

export class EventCodec {
  private readonly texts: Texts
  private readonly chains: MessageChains
  /** Last messages. */
  private readonly seen = new Set<string>()

  constructor(blobs: Blobs) {
    this.texts = new Texts(blobs)
    this.chains = new MessageChains(this.texts)
  }

  /** The body as it is stored: a text, or the hash of one. `run` is the run's number. */
  encode(run: number, draft: Draft): Pick<EventRow, 'body' | 'blob'> {
    const { path, atMs: _, type, ...fields } = draft
    const body =
      draft.type === 'model-start'
        ? JSON.stringify([{ ...fields, request: this.storedRequest(`${run} ${path}`, draft.request) }])
        : this.bodyOf(fields, replyOf(draft))
    if (type === 'block-end') this.chains.ended(`${run} ${path}`)
    return body.length <= MAX_INLINE_BODY ? { body, blob: null } : { body: null, blob: this.texts.put(body) }
  }

  decode(run: string, row: EventRow, seq: number): Event {
    const body = JSON.parse(row.body ?? this.texts.get(row.blob as string))
    const isEarlier = !Array.isArray(body)
    const fields = isEarlier ? body : this.texts.withTexts(body[0])
    if (row.type === 'model-start') {
      const { request } = fields
      request.messages = isEarlier ? this.earlierMessages(request.messages) : this.messages(request.messages)
      if (isEarlier && request.tools?.part !== undefined)
        request.tools = JSON.parse(this.texts.get(request.tools.part))
    }
    return { seq, ts: new Date(row.at).toISOString(), run, path: row.path, type: row.type, ...fields }
  }

  /** A commit was rolled back: what it stored is gone. */
  forget(): void {
    this.texts.forget()
    this.chains.forget()
  }

  private bodyOf(fields: object, reply: Partial<ModelReply> | null): string {
    const body = JSON.stringify(fields)
    if (body.length < LONG_BODY) return body
    if (typeof reply?.text === 'string') this.texts.putReply(reply.text)
    const stored = this.texts.withReferences(fields)
    return stored === fields ? body : JSON.stringify([stored])
  }

  private storedRequest(block: string, request: JournalRequest): object {
    const { messages, tools, schema, ...rest } = request
    const before = messages.slice(0, -1)
    const last = messages.slice(before.length).map((message) => this.lastMessage(message))
    return {
      // First, so that the fields keep their order.
      ...request,
      ...(this.texts.withReferences(rest) as object),
      messages: before.length === 0 ? last : [this.chains.put(block, before), ...last],
      ...(tools && { tools: this.texts.jsonFor(tools) }),
      ...(schema && { schema: this.texts.jsonFor(schema) }),
    }
  }

  /** Parts come again; a message of one text seldom does: a blob would take more time than it saves space. */
  private lastMessage(message: Message): object {
    const { content, ...rest } = message
    if (typeof content !== 'string') return this.texts.withReferences(message) as object
    return { ...message, ...(this.texts.withReferences(rest) as object), content: this.lastText(content) }
  }

  private lastText(text: string): string {
    if (text.length < LONG_TEXT) return this.texts.inline(text)
    if (text.length >= VERY_LONG_TEXT || this.seen.has(text)) return this.texts.stringFor(text)
    if (this.seen.size >= MAX_SEEN) this.seen.clear()
    this.seen.add(text)
    return this.texts.inline(text)
  }

  private messages([first, ...others]: readonly (string | Message)[]): Message[] {
    const rest = others as Message[]
    if (first === undefined) return rest
    return typeof first === 'string' ? [...this.chains.get(first), ...rest] : [first, ...rest]
  }

  /** Up to 0.1.0 only parts were stored by hash. */
  private earlierMessages(messages: readonly EarlierMessage[]): Message[] {
    const partOf = (part: EarlierPart) => (typeof part === 'string' ? part : this.texts.get(part.part))
    return messages.map((message) => ({
      ...message,
      content: Array.isArray(message.content)
        ? message.content.map(partOf)
        : partOf(message.content as EarlierPart),
    }))
  }
}

type JournalRequest = EventOf<'model-start'>['request']
type EarlierPart = string | { readonly part: string }
interface EarlierMessage {
  readonly role: Message['role']
  readonly content: EarlierPart | readonly EarlierPart[]
}

function replyOf(draft: Draft): Partial<ModelReply> | null {
  if (draft.type === 'part-end') return (draft.value ?? null) as Partial<ModelReply> | null
  return draft.type === 'model-end' && draft.result.ok ? draft.result.value : null
}

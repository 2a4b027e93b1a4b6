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
        ? JSON.stringify([{ ...fields, request: this.storedRequest(run, path, draft.request) }])
        : this.bodyOf(fields, replyOf(draft))
    if (type === 'block-end') this.chains.ended(run, path)
    return body.length <= MAX_INLINE_BODY ? { body, blob: null } : { body: null, blob: this.texts.put(body) }
  }

  /** `late`: the messages of a request are put together when they are looked at. */
  decode(run: string, row: EventRow, seq: number, late = false): Event {
    const body = JSON.parse(row.body ?? this.texts.get(row.blob as string))
    const fields = Array.isArray(body)
      ? this.fields(row.type, body[0], late)
      : this.earlierFields(row.type, body)
    return {
      seq,
      ts: new Date(row.at).toISOString(),
      run,
      path: row.path,
      type: row.type,
      ...fields,
    } as Event
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

  private storedRequest(run: number, path: string, request: JournalRequest): object {
    const { messages, tools, schema, toolRule } = request
    const before = messages.slice(0, -1)
    const last = messages.slice(before.length).map((message) => this.lastMessage(message))
    return {
      ...request,
      messages: before.length === 0 ? last : [this.chains.put(run, path, before), ...last],
      ...(tools && { tools: this.texts.jsonFor(tools) }),
      ...(schema && { schema: this.texts.jsonFor(schema) }),
      ...(toolRule && { toolRule: this.texts.stringFor(toolRule) }),
    }
  }

  private request(stored: StoredRequest, late: boolean): object {
    const { messages, tools, schema, toolRule } = stored
    const request = {
      ...stored,
      ...(tools !== undefined && { tools: this.texts.withTexts(tools) }),
      ...(schema !== undefined && { schema: this.texts.withTexts(schema) }),
      ...(toolRule !== undefined && { toolRule: this.texts.withTexts(toolRule) }),
    }
    if (!late) return { ...request, messages: this.messages(messages) }
    const read = () => this.messages(messages)
    let whole: Message[] | null = null
    return {
      ...request,
      get messages() {
        whole ??= read()
        return whole
      },
    }
  }

  private messages(stored: StoredRequest['messages']): Message[] {
    const [first, ...rest] = stored
    const chained = typeof first === 'string'
    const last = (chained ? rest : stored).map((one) => this.texts.withTexts(one) as Message)
    return chained ? [...this.chains.get(first), ...last] : last
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

  private fields(type: string, stored: object, late: boolean): object {
    if (type !== 'model-start') return this.texts.withTexts(stored) as object
    return { ...stored, request: this.request((stored as { request: StoredRequest }).request, late) }
  }

  /** Up to 0.1.0 only lists of tools and parts of messages were stored by hash. */
  private earlierFields(type: string, stored: object): object {
    if (type !== 'model-start') return stored
    const { request } = stored as { request: EarlierRequest }
    const { tools } = request
    const partOf = (part: EarlierPart) => (typeof part === 'string' ? part : this.texts.get(part.part))
    const messages = request.messages.map((message) => {
      const { content } = message
      return {
        ...message,
        content: Array.isArray(content) ? content.map(partOf) : partOf(content as EarlierPart),
      }
    })
    const listed = tools && 'part' in tools ? { tools: JSON.parse(this.texts.get(tools.part)) } : {}
    return { ...stored, request: { ...request, messages, ...listed } }
  }
}

type JournalRequest = EventOf<'model-start'>['request']
type EarlierPart = string | { readonly part: string }
interface EarlierRequest {
  readonly messages: readonly { readonly content: EarlierPart | readonly EarlierPart[] }[]
  readonly tools?: readonly unknown[] | { readonly part: string }
}
interface StoredRequest extends Omit<JournalRequest, 'messages'> {
  readonly messages: readonly (string | Message)[]
}

function replyOf(draft: Draft): Partial<ModelReply> | null {
  if (draft.type === 'part-end') return (draft.value ?? null) as Partial<ModelReply> | null
  return draft.type === 'model-end' && draft.result.ok ? draft.result.value : null
}

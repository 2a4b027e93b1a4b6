/**
 * Events as rows. Each message of a conversation, each list of tools and each long text is stored once, so that a run takes as much on
 * disk as was said in it, however often its requests repeat that.
 *
 * The body of an event is its fields as JSON, or a list whose only item is the fields with references in them (see Texts). The messages
 * of a request may then begin with a hash, which stands for all messages but the last (see MessageChains).
 *
 * A row has one event, or it is a batch: what was committed together. Then `type` has the types of its events with spaces between them,
 * `path` their paths, or one that they all have, `at` is the time of the last one, and the body is a list: how many milliseconds
 * before that time each of them was (0: none), and their bodies. A string in place of a body is the hash of one.
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
  /** Of its last event: the number of the run and the event's `seq`. */
  id: number
  at: number
  type: string
  path: string
  body: string | null
  /** The hash of a body that is too long for the row. */
  blob: string | null
}

/** A row that has no place in a journal yet. */
export interface NewRow extends Omit<EventRow, 'id'> {
  /** How many events it has. */
  count: number
}

const all = (_seq: number) => true

type StoredBody = string | object
type Batch = readonly [earlierMs: 0 | readonly number[], ...StoredBody[]]

export class EventCodec {
  private readonly texts: Texts
  private readonly chains: MessageChains
  /** Last messages. */
  private readonly seen = new Set<string>()

  constructor(blobs: Blobs) {
    this.texts = new Texts(blobs)
    this.chains = new MessageChains(this.texts)
  }

  /** What is committed together: one row, unless that would be too long. `run` is the run's number. */
  encode(run: number, drafts: readonly Draft[]): NewRow[] {
    const rows: NewRow[] = []
    let bodies: Encoded[] = []
    let chars = 0
    for (let i = 0; i < drafts.length; i++) {
      const encoded = this.encodeOne(run, drafts[i] as Draft)
      chars += encoded.body?.length ?? 0
      if (chars > MAX_INLINE_BODY && bodies.length > 0) {
        rows.push(rowOf(drafts, i, bodies))
        bodies = []
        chars = encoded.body?.length ?? 0
      }
      bodies.push(encoded)
    }
    rows.push(rowOf(drafts, drafts.length, bodies))
    return rows
  }

  private encodeOne(run: number, draft: Draft): Encoded {
    const { path, atMs: _, type, ...fields } = draft
    const body =
      draft.type === 'model-start'
        ? JSON.stringify([{ ...fields, request: this.storedRequest(run, path, draft.request) }])
        : this.bodyOf(fields, replyOf(draft))
    if (type === 'block-end') this.chains.ended(run, path)
    return body.length <= MAX_INLINE_BODY ? { body, blob: null } : { body: null, blob: this.texts.put(body) }
  }

  /**
   * The events of a row that are wanted; `last` is the `seq` of the row's last event. `late`: the messages of a request are put
   * together when they are looked at.
   */
  decode(run: string, row: EventRow, last: number, wants = all, late = false): Event[] {
    const events: Event[] = []
    const { types, paths, earlierMs, bodies } = eventsOf(row)
    const first = last - types.length + 1
    for (let seq = first; seq <= last; seq++) {
      if (!wants(seq)) continue
      const i = seq - first
      const type = types[i] as string
      const path = paths[i] ?? paths[0]
      const ts = new Date(row.at - (earlierMs?.[i] ?? 0)).toISOString()
      events.push({
        seq,
        ts,
        run,
        path,
        type,
        ...this.fieldsOf(type, bodies[i] as StoredBody, late),
      } as Event)
    }
    return events
  }

  private fieldsOf(type: string, stored: StoredBody, late: boolean): object {
    const body = typeof stored === 'string' ? JSON.parse(this.texts.get(stored)) : stored
    return Array.isArray(body) ? this.fields(type, body[0], late) : this.earlierFields(type, body)
  }

  /** The first events of a row. */
  cut(row: EventRow, count: number): NewRow {
    const { types, paths, earlierMs, bodies } = eventsOf(row)
    const laterMs = earlierMs?.[count - 1] ?? 0
    const times = (earlierMs ?? types.map(() => 0)).slice(0, count).map((ms) => ms - laterMs)
    return {
      at: row.at - laterMs,
      type: types.slice(0, count).join(' '),
      path: paths.slice(0, count).join(' '),
      ...(count === 1
        ? single(bodies[0] as StoredBody)
        : { body: JSON.stringify([times, ...bodies.slice(0, count)]), blob: null }),
      count,
    }
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

interface Encoded {
  readonly body: string | null
  readonly blob: string | null
}

/** The row of the drafts before `end` whose bodies these are. */
function rowOf(drafts: readonly Draft[], end: number, encoded: readonly Encoded[]): NewRow {
  const count = encoded.length
  const { atMs: at, type, path } = drafts[end - 1] as Draft
  if (count === 1) return { at, type, path, ...(encoded[0] as Encoded), count }
  let types = ''
  let paths = ''
  let times = ''
  let bodies = ''
  let samePath = true
  let sameTime = true
  for (let i = 0; i < count; i++) {
    const draft = drafts[end - count + i] as Draft
    const { body, blob } = encoded[i] as Encoded
    types += i === 0 ? draft.type : ` ${draft.type}`
    paths += i === 0 ? draft.path : ` ${draft.path}`
    times += i === 0 ? at - draft.atMs : `,${at - draft.atMs}`
    bodies += `,${body ?? `"${blob}"`}`
    if (draft.path !== path) samePath = false
    if (draft.atMs !== at) sameTime = false
  }
  const body = `[${sameTime ? '0' : `[${times}]`}${bodies}]`
  return { at, type: types, path: samePath ? path : paths, body, blob: null, count }
}

/** What a row has, event by event. */
function eventsOf({ type, path, body, blob }: EventRow): {
  types: string[]
  paths: string[]
  earlierMs: readonly number[] | null
  bodies: readonly StoredBody[]
} {
  const types = type.split(' ')
  const paths = path.split(' ')
  const stored = blob ?? JSON.parse(body as string)
  if (types.length === 1) return { types, paths, earlierMs: null, bodies: [stored] }
  const [earlierMs, ...bodies] = stored as Batch
  return { types, paths, earlierMs: earlierMs === 0 ? null : earlierMs, bodies }
}

function single(body: StoredBody): Encoded {
  return typeof body === 'string' ? { body: null, blob: body } : { body: JSON.stringify(body), blob: null }
}

function replyOf(draft: Draft): Partial<ModelReply> | null {
  if (draft.type === 'part-end') return (draft.value ?? null) as Partial<ModelReply> | null
  return draft.type === 'model-end' && draft.result.ok ? draft.result.value : null
}

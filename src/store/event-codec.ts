/**
 * Events as rows. Each message of a conversation, each list of tools and each long text is stored once, so that a run takes as much on
 * disk as was said in it, however often its requests repeat that.
 *
 * The body of an event is its fields as JSON; or a list whose only item is the fields with references in them (see Texts); or a longer list, in
 * which they stand without their keys (see packed-events.ts). The messages of a request may begin with a hash, which stands for all messages but
 * the last (see MessageChains); the last one may be an edit of that of an earlier request (see RequestTexts).
 *
 * A row has one event, or it is a batch: what was committed together. Then `type` has the types of its events with spaces between them,
 * `path` their paths, each empty if it is that of the event before, `at` is the time of the last one, and the body is a list: how many milliseconds
 * before that time each of them was (0: none), and their bodies. A string in place of a body is the hash of one.
 */

import { tooLargeToRecord } from '../kernel/recorded-value.ts'
import type { Draft } from '../kernel/store.ts'
import { DecodingBudget, decodingLimit } from '../protocol/decoding-budget.ts'
import type { Event, Message, ModelReply } from '../protocol/index.ts'
import { DamagedEvent } from './damage.ts'
import { eventProblem } from './event-problem.ts'
import { MessageChains } from './message-chains.ts'
import { type Packed, packed, unpacked } from './packed-events.ts'
import { type EditedText, RequestTexts } from './request-texts.ts'
import { type Blobs, Texts } from './texts.ts'

const MAX_INLINE_BODY = 256 * 1024
/** A shorter one has next to nothing that is worth a reference, and most are shorter. */
const LONG_BODY = 512

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

/** What the codec reads from the store. */
export interface Stored extends Blobs {
  /** What reading a message later has thrown, as an error of the store. */
  failed?(thrown: unknown, run: string, seq: number): unknown

  /** The row that has the event with this key. */
  row(key: number): EventRow
}

export interface Decoding {
  readonly wants?: (seq: number) => boolean
  readonly late?: boolean
  readonly reading?: DecodingBudget
}

type StoredBody = string | object
type Batch = readonly [earlierMs: 0 | readonly number[], ...StoredBody[]]

export class EventCodec {
  private readonly stored: Stored
  private readonly packs: boolean
  private readonly texts: Texts
  private readonly chains: MessageChains
  private readonly requests: RequestTexts

  /** `packs`: for readers of this version and later ones only (see packed-events.ts). */
  constructor(stored: Stored, { packs = false } = {}) {
    this.stored = stored
    this.packs = packs
    this.texts = new Texts(stored)
    this.chains = new MessageChains(this.texts)
    this.requests = new RequestTexts(this.texts, (key, budget) =>
      this.lastContent(stored.row(key), key, budget),
    )
  }

  /** What is committed together, from `first` on: one row, unless that would be too long. `run` is the run's number. */
  encode(run: number, first: number, drafts: readonly Draft[]): NewRow[] {
    const rows: NewRow[] = []
    let bodies: Encoded[] = []
    let chars = 0
    for (let i = 0; i < drafts.length; i++) {
      const encoded = this.encodeOne(run, first + i, drafts[i] as Draft)
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

  private encodeOne(run: number, seq: number, draft: Draft): Encoded {
    const { path } = draft
    const body = draft.type === 'model-start' ? this.startOf(run, seq, draft) : this.bodyOf(draft)
    if (draft.type === 'block-end') this.chains.ended(run, path)
    return body.length <= MAX_INLINE_BODY ? { body, blob: null } : { body: null, blob: this.texts.put(body) }
  }

  /**
   * The events of a row that are wanted; `last` is the `seq` of the row's last event. `late`: the messages of a request are put
   * together when they are looked at. `reading` is the budget of all rows that are read; each event has one of its own.
   */
  *decode(
    run: string,
    row: EventRow,
    last: number,
    { wants = all, late = false, reading }: Decoding = {},
  ): Generator<Event> {
    const { types, paths, earlierMs, bodies } = eventsOf(row)
    const first = last - types.length + 1
    for (let seq = first; seq <= last; seq++) {
      if (!wants(seq)) continue
      const i = seq - first
      const type = types[i] as string
      const path = paths[i]
      const ts = new Date(row.at - (earlierMs?.[i] ?? 0)).toISOString()
      const budget = new DecodingBudget(`event ${seq} of run ${run}`, reading && { whole: reading })
      const place = { run, origin: row.id - last, seq, late, budget }
      const fields = this.fieldsOf(place, type, bodies[i] as StoredBody)
      const event = { seq, ts, run, path, type, ...fields } as Event
      const problem = eventProblem(event)
      if (problem !== null) throw new DamagedEvent(run, problem)
      yield event
    }
  }

  private fieldsOf(place: Place, type: string, stored: StoredBody): object {
    const body = this.whole(stored, place.budget)
    if (!isList(body)) return body
    const fields = listed(type, body)
    return body[0] === 0 ? fields : this.fields(place, type, fields)
  }

  private whole(stored: StoredBody, budget: DecodingBudget): object {
    return typeof stored === 'string' ? JSON.parse(this.texts.get(stored, budget)) : stored
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
    this.requests.forget()
  }

  private startOf(run: number, seq: number, draft: ModelStart): string {
    const request = this.storedRequest(run, seq, draft.path, draft.request)
    return JSON.stringify(this.pack(draft, 1, request) ?? [withoutColumns({ ...draft, request })])
  }

  private bodyOf(draft: Draft): string {
    const body = JSON.stringify(this.pack(draft, 0) ?? withoutColumns(draft))
    if (body.length < LONG_BODY) return body
    const limit = decodingLimit()
    if (body.length > limit) throw tooLargeToRecord(`an event (${draft.type})`, limit)
    const text = replyOf(draft)?.text
    if (typeof text === 'string') this.texts.putReply(text)
    const fields = withoutColumns(draft)
    const stored = this.texts.withReferences(fields)
    if (stored === fields) return body
    return JSON.stringify(this.pack({ ...(stored as Draft), type: draft.type } as Draft, 1) ?? [stored])
  }

  private pack(draft: Draft, references: 0 | 1, request?: object): Packed | null {
    return this.packs ? packed(draft, references, request) : null
  }

  private storedRequest(run: number, seq: number, path: string, request: JournalRequest): object {
    const { messages, tools, schema, toolRule, kind } = request
    const last = messages.at(-1)
    const stored: (string | object)[] = []
    if (messages.length > 1) stored.push(this.chains.put(run, path, messages.slice(0, -1)))
    if (last !== undefined) stored.push(this.lastMessage(run, seq, kind, last))
    const copy: Record<string, unknown> = { ...request, messages: stored }
    if (tools) copy.tools = this.texts.jsonFor(tools)
    if (schema) copy.schema = this.texts.jsonFor(schema)
    if (toolRule) copy.toolRule = this.texts.stringFor(toolRule)
    return copy
  }

  private request(place: Place, stored: StoredRequest): object {
    const { messages, tools, schema, toolRule } = stored
    const request = {
      ...stored,
      ...(tools !== undefined && { tools: this.texts.withTexts(tools, place.budget) }),
      ...(schema !== undefined && { schema: this.texts.withTexts(schema, place.budget) }),
      ...(toolRule !== undefined && { toolRule: this.texts.withTexts(toolRule, place.budget) }),
    }
    if (!place.late) return { ...request, messages: this.messages(place, messages) }
    const read = () => {
      try {
        return this.messages(place, messages)
      } catch (thrown) {
        throw this.stored.failed?.(thrown, place.run, place.seq) ?? thrown
      }
    }
    let whole: Message[] | null = null
    return {
      ...request,
      get messages() {
        whole ??= read()
        return whole
      },
    }
  }

  private messages(place: Place, stored: StoredRequest['messages']): Message[] {
    const [first, ...rest] = stored
    const chained = typeof first === 'string'
    const last = (chained ? rest : stored).map((one) => this.lastOf(place, one as StoredMessage))
    return chained ? [...this.chains.get(first, place.budget), ...last] : last
  }

  private lastOf({ origin, seq, budget }: Place, stored: StoredMessage): Message {
    const { content, ...rest } = stored
    if (Array.isArray(content)) return this.texts.withTexts(stored, budget) as Message
    const text = this.requests.get(origin, seq, content as string | EditedText, budget)
    return { ...stored, ...(this.texts.withTexts(rest, budget) as object), content: text }
  }

  /** Parts come again; a message of one text seldom does: a blob would take more time than it saves space. */
  private lastMessage(run: number, seq: number, kind: string, message: Message): object {
    const { content } = message
    if (typeof content !== 'string') return this.texts.withReferences(message) as object
    const text = this.requests.put(run, kind, seq, content)
    return { ...(this.texts.withReferences({ ...message, content: '' }) as object), content: text }
  }

  /** The content of the last message of the request with this key, as it is stored. */
  private lastContent(row: EventRow, key: number, budget: DecodingBudget): string | EditedText {
    const { types, bodies } = eventsOf(row)
    const at = bodies.length - 1 - (row.id - key)
    const body = this.whole(bodies[at] as StoredBody, budget)
    const fields = listed(types[at] as string, body as FieldList) as { request: StoredRequest }
    return (fields.request.messages.at(-1) as StoredMessage).content as string | EditedText
  }

  private fields(place: Place, type: string, stored: object): object {
    if (type !== 'model-start') return this.texts.withTexts(stored, place.budget) as object
    return { ...stored, request: this.request(place, (stored as { request: StoredRequest }).request) }
  }
}

type ModelStart = Extract<Draft, { type: 'model-start' }>
type JournalRequest = ModelStart['request']
interface StoredRequest extends Omit<JournalRequest, 'messages'> {
  readonly messages: readonly (string | StoredMessage)[]
}
interface StoredMessage extends Omit<Message, 'content'> {
  readonly content: Message['content'] | EditedText
}

/** Where an event is read: `origin` is what its run's keys begin behind. */
interface Place {
  readonly run: string
  readonly origin: number
  readonly seq: number
  readonly late: boolean
  readonly budget: DecodingBudget
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
  let before = ''
  let times = ''
  let bodies = ''
  let sameTime = true
  for (let i = 0; i < count; i++) {
    const draft = drafts[end - count + i] as Draft
    const { body, blob } = encoded[i] as Encoded
    types += i === 0 ? draft.type : ` ${draft.type}`
    paths += i === 0 ? draft.path : draft.path === before ? ' ' : ` ${draft.path}`
    before = draft.path
    times += i === 0 ? at - draft.atMs : `,${at - draft.atMs}`
    bodies += `,${body ?? `"${blob}"`}`
    if (draft.atMs !== at) sameTime = false
  }
  const body = `[${sameTime ? '0' : `[${times}]`}${bodies}]`
  return { at, type: types, path: paths, body, blob: null, count }
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
  for (let i = 1; i < paths.length; i++) if (paths[i] === '') paths[i] = paths[i - 1] as string
  const stored = blob ?? JSON.parse(body as string)
  if (types.length === 1) return { types, paths, earlierMs: null, bodies: [stored] }
  const [earlierMs, ...bodies] = stored as Batch
  return { types, paths, earlierMs: earlierMs === 0 ? null : earlierMs, bodies }
}

type FieldList = Packed | readonly [object]

function isList(body: object): body is FieldList {
  return Array.isArray(body)
}

/** The fields in a list: one object, or without their keys. */
function listed(type: string, body: FieldList): object {
  const [first] = body
  return typeof first === 'object' ? first : unpacked(type, body as Packed)
}

/** Without what has columns of its own: undefined, which JSON leaves out. A copy without it takes several times as long. */
function withoutColumns(draft: object): object {
  return { ...draft, path: undefined, atMs: undefined, type: undefined }
}

function single(body: StoredBody): Encoded {
  return typeof body === 'string' ? { body: null, blob: body } : { body: JSON.stringify(body), blob: null }
}

function replyOf(draft: Draft): Partial<ModelReply> | null {
  if (draft.type === 'part-end') return (draft.value ?? null) as Partial<ModelReply> | null
  return draft.type === 'model-end' && draft.result.ok ? draft.result.value : null
}

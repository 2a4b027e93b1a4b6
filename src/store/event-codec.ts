/**
 * Events as rows. A row has one event or several that were committed together: `type` has their types with spaces between them, `path` their
 * paths, each empty if it is that of the event before, `at` is the time of the last one, and the body is a JSON list: how many milliseconds before
 * that time each of them was (0: none of them was), and the other fields of each.
 *
 * A request does not repeat what an earlier one of its block had (see Conversations). A long body is compressed unless the encoder has `compresses: false`.
 */
import { deflateRawSync } from 'node:zlib'
import { tooLargeToRecord } from '../kernel/recorded-value.ts'
import type { Draft } from '../kernel/store.ts'
import { DecodingBudget, decodingLimit } from '../protocol/decoding-budget.ts'
import type { Event } from '../protocol/index.ts'
import { Conversations, type Previous, type StoredStart, type WholeRequest } from './conversations.ts'
import { DamagedEvent } from './damage.ts'
import { eventProblem } from './event-problem.ts'
import { inflate } from './inflate.ts'

/** A row of the events table. */
export interface EventRow {
  /** The `seq` of its last event. */
  readonly seq: number
  readonly at: number
  readonly type: string
  readonly path: string
  /** JSON, or a raw deflate of it. */
  readonly body: string | Uint8Array
}

/** A row that has no place in a journal yet. */
export interface NewRow extends Omit<EventRow, 'seq'> {
  /** How many events it has. */
  readonly count: number
  /** The earlier events that its requests refer to. */
  readonly refs: readonly number[]
}

/** A commit is one row, unless that would be longer. */
const MAX_ROW = 256 * 1024
/** From this length on a body is compressed. */
const MIN_COMPRESSED = 1_024
const FAST = { level: 1 } as const

type Body = readonly [earlierMs: 0 | readonly number[], ...fields: object[]]

export class EventEncoder {
  private readonly compresses: boolean
  private readonly conversations = new Conversations()

  constructor({ compresses = true } = {}) {
    this.compresses = compresses
  }

  /** The rows of a commit whose first event is `first`. `run` is the run's number. */
  encode(run: number, first: number, drafts: readonly Draft[]): NewRow[] {
    const rows: NewRow[] = []
    let row = new RowBuilder()
    for (const [i, draft] of drafts.entries()) {
      const { previous, ...fields } = this.stored(run, first + i, draft)
      const text = JSON.stringify(previous === undefined ? fields : { ...fields, previous })
      const limit = decodingLimit()
      if (text.length > limit) throw tooLargeToRecord(`an event (${draft.type})`, limit)
      if (row.count > 0 && row.chars + text.length > MAX_ROW) {
        rows.push(row.end(this.compresses))
        row = new RowBuilder()
      }
      row.add(draft, text, previous?.seq)
    }
    rows.push(row.end(this.compresses))
    return rows
  }

  /** A commit has failed: nothing that was encoded may be referred to. */
  forget(): void {
    this.conversations.forget()
  }

  /** The fields without those that have columns of their own. JSON leaves out what is undefined; a copy without it takes several times as long. */
  private stored(run: number, seq: number, draft: Draft): object & Pick<StoredStart, 'previous'> {
    const fields = { ...draft, path: undefined, atMs: undefined, type: undefined }
    if (draft.type === 'block-end') this.conversations.ended(run, draft.path)
    if (draft.type !== 'model-start') return fields
    return { ...fields, ...this.conversations.shorten(run, draft.path, seq, draft.request) }
  }
}

class RowBuilder {
  count = 0
  chars = 0
  private readonly drafts: Draft[] = []
  private readonly bodies: string[] = []
  private readonly refs: number[] = []

  add(draft: Draft, body: string, ref: number | undefined): void {
    this.drafts.push(draft)
    this.bodies.push(body)
    this.chars += body.length
    this.count++
    if (ref !== undefined) this.refs.push(ref)
  }

  end(compresses: boolean): NewRow {
    const { drafts, count, refs } = this
    const { atMs: at } = drafts.at(-1) as Draft
    const times = drafts.map(({ atMs }) => at - atMs)
    const paths = drafts.map(({ path }, i) => (path === drafts[i - 1]?.path ? '' : path))
    const text = `[${times.every((ms) => ms === 0) ? 0 : `[${times}]`},${this.bodies.join(',')}]`
    const body = compresses && text.length >= MIN_COMPRESSED ? deflateRawSync(text, FAST) : text
    return { at, type: drafts.map(({ type }) => type).join(' '), path: paths.join(' '), body, count, refs }
  }
}

/** The run that a decoder reads, and the store that has it. */
export interface Reading {
  readonly run: string
  /** Bounds all that is read together. */
  readonly budget: DecodingBudget
  /** Whose requests were read last; for the next reading. */
  readonly conversations: Conversations
  /** The row that has this event; throws if there is none. */
  row(seq: number): EventRow
  /** The messages of a request are put together when they are looked at. */
  readonly late?: boolean
  /** What reading a message later has thrown, as an error of the store. */
  failed?(thrown: unknown, seq: number): unknown
}

const all = (_seq: number) => true
/** In place of a run's number. */
const THIS_RUN = 0
/** A row that is looked up counts as at least this many characters. */
const LEAST_LOOK_UP = 1_000

/** Reads events of one run. */
export class EventDecoder {
  private readonly reading: Reading

  constructor(reading: Reading) {
    this.reading = reading
  }

  /** The events of a row that are wanted. */
  *decode(row: EventRow, wants: (seq: number) => boolean = all): Generator<Event> {
    const { run, budget, conversations } = this.reading
    const own = new DecodingBudget(`event ${row.seq} of run ${run}`, { whole: budget })
    if (typeof row.body === 'string') own.addStored(row.body.length)
    const { first, types, paths, earlierMs, bodies } = eventsOf(row, own)
    for (let seq = first; seq <= row.seq; seq++) {
      if (!wants(seq)) continue
      const i = seq - first
      const [type, path] = [types[i] as string, paths[i] as string]
      const ts = new Date(row.at - (earlierMs === 0 ? 0 : (earlierMs[i] as number))).toISOString()
      const fields = type === 'model-start' ? this.start(seq, path, bodies[i] as never) : bodies[i]
      if (type === 'block-end') conversations.ended(THIS_RUN, path)
      const event = { seq, ts, run, path, type, ...fields } as Event
      const problem = eventProblem(event)
      if (problem !== null) throw new DamagedEvent(run, problem)
      yield event
    }
  }

  private start(seq: number, path: string, stored: StoredStart): object {
    const { previous, ...fields } = stored
    const { request } = fields
    if (!isRequest(request)) return fields
    const whole = () => this.whole(seq, path, stored)
    if (!this.reading.late) return { ...fields, request: whole().request }
    return {
      ...fields,
      request: previous === undefined ? request : this.later(seq, request, previous, whole),
    }
  }

  private whole(seq: number, path: string, stored: StoredStart): WholeRequest {
    const { run, conversations } = this.reading
    const whole = conversations.whole(THIS_RUN, path, seq, stored, (at) => this.earlier(at, path))
    new DecodingBudget(`event ${seq} of run ${run}`).take(whole.chars)
    return whole
  }

  private later(seq: number, request: object, { same }: Previous, read: () => WholeRequest): object {
    let whole: WholeRequest | null = null
    const get = (field: string) => () => {
      try {
        whole ??= read()
      } catch (thrown) {
        throw this.reading.failed?.(thrown, seq) ?? thrown
      }
      return whole.request[field as keyof typeof whole.request]
    }
    const later = { ...request }
    for (const field of ['messages', ...same])
      Object.defineProperty(later, field, { get: get(field), enumerable: true })
    return later
  }

  /** The stored form of the request of another event. Rows that are looked up count for the whole, and don't add to it. */
  private earlier(seq: number, path: string): StoredStart {
    const { run, budget, row } = this.reading
    const { chars, first, types, paths, bodies } = eventsOf(
      row(seq),
      new DecodingBudget(`event ${seq} of run ${run}`),
    )
    budget.take(Math.max(chars, LEAST_LOOK_UP))
    const i = seq - first
    const start = bodies[i] as StoredStart | undefined
    if (types[i] !== 'model-start' || paths[i] !== path || !isRequest(start?.request))
      throw new TypeError(`event ${seq} is not an earlier request of block ${path}`)
    return start as StoredStart
  }
}

function isRequest(request: unknown): boolean {
  return Array.isArray((request as { messages?: unknown } | undefined)?.messages)
}

/** How many events a row has. */
export function countOf({ type }: Pick<EventRow, 'type'>): number {
  return type.split(' ').length
}

/** The events of a row up to `last`, which is one of them. */
export function cut(row: EventRow, last: number): NewRow {
  const { first, types, paths, earlierMs, bodies } = eventsOf(row, new DecodingBudget(`event ${row.seq}`))
  const count = last - first + 1
  const some = <T>(list: readonly T[]) => list.slice(0, count)
  const laterMs = earlierMs === 0 ? 0 : (earlierMs[count - 1] as number)
  const times = earlierMs === 0 ? 0 : some(earlierMs).map((ms) => ms - laterMs)
  const refs = some(bodies).flatMap((body) => (body as Partial<StoredStart>).previous?.seq ?? [])
  const body = JSON.stringify([times, ...some(bodies)])
  return { at: row.at - laterMs, type: some(types).join(' '), path: some(paths).join(' '), body, count, refs }
}

/** What a row has, event by event. */
function eventsOf(row: EventRow, budget: DecodingBudget) {
  const { seq, type, path, body } = row
  const types = type.split(' ')
  const paths = path.split(' ')
  for (let i = 1; i < paths.length; i++) if (paths[i] === '') paths[i] = paths[i - 1] as string
  const text = inflate(body, budget)
  const [earlierMs, ...bodies] = JSON.parse(text) as Body
  if (bodies.length !== types.length || paths.length !== types.length)
    throw new TypeError('a row does not have the events that it names')
  return { chars: text.length, first: seq - types.length + 1, types, paths, earlierMs, bodies }
}

/**
 * A run as one process knows it, at one version: the mirror. Actions run on it, synchronously, in layers that keep what they would
 * write; what was committed is absorbed. Nothing here asks a database.
 *
 * 1. A mirror is complete at its version: it has every note, every record's key and every signal that nobody has taken. What it
 *    does not have is not there.
 * 2. Bodies, which are events and large notes, are loaded when they are asked for, and may be dropped between two executions. One
 *    that is not here is noted as missing, and stops the action, which is executed again when the body is here.
 * 3. A layer changes nothing below it: an action that throws leaves nothing behind.
 */
import type { Draft, NewRun, RecordKind, SharedTransaction } from '../../kernel/store.ts'
import { type Event, type Signal, ThinkonError } from '../../protocol/index.ts'

/** Which event of the run is the record of which operation. */
export interface RunRecord {
  readonly path: string
  readonly n: number
  readonly kind: RecordKind
  readonly seq: number
}

type TakenSignal = Pick<Signal, 'path' | 'name' | 'number'>

export interface NewEvent {
  readonly draft: Draft
  readonly event: Event
  readonly record: RunRecord | null
}

/** A note of more characters is not mirrored: most processes never ask for it. */
export const LARGE_NOTE = 1_024

/** Of the bodies of a mirror. */
const MAX_BODY_CHARS = 8 * 1024 * 1024
/** About what an entry takes besides its text. */
const ENTRY_CHARS = 64

/** What actions read. */
interface RunState {
  /** The last event's. */
  readonly seq: number
  /** As JSON. */
  note(key: string): string | null
  record(path: string, n: number, kind: RecordKind): RunRecord | undefined
  records(path: string): RunRecord[]
  event(seq: number): Event
  pending(): Signal[]
  nextNumber(path: string, name: string): number
}

/** Stops an action; what it asked for is in `missing`. */
const MISSING = new Error('this is not in the mirror')

export class Mirror implements RunState {
  readonly run: string
  /** The run's number in the store; 0: there is no such run. */
  no = 0
  version = 0
  seq = 0
  readonly missing = { events: new Set<number>(), notes: new Set<string>() }
  /** Null: it is large, and a body. */
  private readonly notes = new Map<string, string | null>()
  /** By path; then by number and kind. */
  private readonly operations = new Map<string, Map<string, RunRecord>>()
  private readonly inbox = new Map<string, Signal>()
  private readonly numbers = new Map<string, number>()
  /** Events by `seq`, large notes by key; what was used last comes last. */
  private readonly bodies = new Map<
    number | string,
    { readonly body: Event | string; readonly chars: number }
  >()
  private chars = 0
  private bodyChars = 0

  constructor(run: string) {
    this.run = run
  }

  /** About how much memory it takes, in characters. */
  get size(): number {
    return this.chars + this.bodyChars
  }

  get isMissing(): boolean {
    return this.missing.events.size + this.missing.notes.size > 0
  }

  // --- what actions read

  note(key: string): string | null {
    const value = this.notes.get(key)
    if (value !== null) return value ?? null
    const body = this.body(key)
    if (body !== undefined) return body as string
    this.missing.notes.add(key)
    throw MISSING
  }

  record(path: string, n: number, kind: RecordKind): RunRecord | undefined {
    return this.operations.get(path)?.get(`${n} ${kind}`)
  }

  records(path: string): RunRecord[] {
    const records = [...(this.operations.get(path)?.values() ?? [])]
    // They will all be asked for.
    for (const { seq } of records) if (!this.bodies.has(seq)) this.missing.events.add(seq)
    if (this.isMissing) throw MISSING
    return records
  }

  event(seq: number): Event {
    const body = this.body(seq)
    if (body !== undefined) return body as Event
    this.missing.events.add(seq)
    throw MISSING
  }

  pending(): Signal[] {
    return [...this.inbox.values()]
  }

  nextNumber(path: string, name: string): number {
    return (this.numbers.get(`${path} ${name}`) ?? 0) + 1
  }

  // --- what is known of the run

  /** Nothing is: it is another run, or none. */
  clear(): void {
    this.no = this.version = this.seq = this.chars = this.bodyChars = 0
    for (const map of [this.notes, this.operations, this.inbox, this.numbers, this.bodies]) map.clear()
  }

  /** `value` null: it is too large to be mirrored. */
  setNote(key: string, value: string | null): void {
    const before = this.notes.get(key)
    if (before !== undefined) this.chars -= noteChars(key, before)
    this.drop(key)
    this.notes.delete(key)
    if (value === 'null') return
    const mirrored = value !== null && value.length > LARGE_NOTE ? null : value
    this.notes.set(key, mirrored)
    this.chars += noteChars(key, mirrored)
    if (value !== mirrored) this.keep(key, value as string)
  }

  setRecord(record: RunRecord): void {
    const { path, n, kind } = record
    const records = this.operations.get(path) ?? new Map<string, RunRecord>()
    this.operations.set(path, records.set(`${n} ${kind}`, record))
    this.chars += ENTRY_CHARS
  }

  setSignal(signal: Signal, taken: boolean): void {
    const { path, name, number } = signal
    const sent = `${path} ${name}`
    this.numbers.set(sent, Math.max(number, this.numbers.get(sent) ?? 0))
    if (taken) this.inbox.delete(signalKey(signal))
    else this.inbox.set(signalKey(signal), signal)
  }

  /** A body: an event by its `seq`, or a large note by its key. */
  keep(key: number | string, body: Event | string): void {
    const chars = typeof body === 'string' ? body.length : JSON.stringify(body).length
    this.drop(key)
    this.bodies.set(key, { body, chars })
    this.bodyChars += chars + ENTRY_CHARS
  }

  /** What was committed is the run's state now. */
  absorb(changes: Changes, no: number, version: number): void {
    this.no = no
    this.version = version
    this.seq = changes.seq
    for (const { event, record } of changes.events) {
      this.keep(event.seq, event)
      if (record !== null) this.setRecord(record)
    }
    for (const [key, value] of changes.notes) this.setNote(key, value)
    for (const signal of changes.taken) this.inbox.delete(signal)
  }

  /** Drops the bodies that were not used for longest: not while actions are executed, which may need many at once. */
  trim(): void {
    for (const key of this.bodies.keys()) {
      if (this.bodyChars <= MAX_BODY_CHARS) return
      this.drop(key)
    }
  }

  private body(key: number | string): Event | string | undefined {
    const found = this.bodies.get(key)
    if (found === undefined) return undefined
    this.bodies.delete(key)
    this.bodies.set(key, found)
    return found.body
  }

  private drop(key: number | string): void {
    const body = this.bodies.get(key)
    if (body === undefined) return
    this.bodies.delete(key)
    this.bodyChars -= body.chars + ENTRY_CHARS
  }
}

/** What one or more actions would write, on top of what is there. */
export class Changes implements RunState {
  /** The run is not there, and is created with the rest. */
  created: NewRun | null = null
  readonly events: NewEvent[] = []
  /** As JSON. */
  readonly notes = new Map<string, string>()
  /** Signals, by path, name and number. */
  readonly taken = new Set<string>()
  private readonly below: RunState
  private readonly recorded = new Map<string, RunRecord>()

  constructor(below: RunState) {
    this.below = below
  }

  get isEmpty(): boolean {
    return this.created === null && this.events.length + this.notes.size === 0
  }

  get seq(): number {
    return this.events.at(-1)?.event.seq ?? this.below.seq
  }

  note(key: string): string | null {
    return this.notes.get(key) ?? this.below.note(key)
  }

  record(path: string, n: number, kind: RecordKind): RunRecord | undefined {
    return this.recorded.get(`${path} ${n} ${kind}`) ?? this.below.record(path, n, kind)
  }

  records(path: string): RunRecord[] {
    const added = [...this.recorded.values()].filter((record) => record.path === path)
    return [...this.below.records(path), ...added]
  }

  event(seq: number): Event {
    const added = this.events[seq - (this.events[0]?.event.seq ?? 0)]
    return added?.event ?? this.below.event(seq)
  }

  pending(): Signal[] {
    return this.below.pending().filter((signal) => !this.taken.has(signalKey(signal)))
  }

  nextNumber(path: string, name: string): number {
    return this.below.nextNumber(path, name)
  }

  append(added: NewEvent): void {
    const { draft, record } = added
    this.events.push(added)
    if (record !== null) this.recorded.set(`${record.path} ${record.n} ${record.kind}`, record)
    const signal = takenBy(draft)
    if (signal !== null) this.taken.add(signalKey(signal))
  }

  /** Takes over what a layer on top of this one has. */
  absorb(layer: Changes): void {
    this.created ??= layer.created
    for (const added of layer.events) this.append(added)
    for (const [key, value] of layer.notes) this.notes.set(key, value)
  }
}

/** What an action gets: it reads through the layer, and writes to it. */
export function transactionOn(run: string, layer: Changes): SharedTransaction {
  return {
    get seq() {
      return layer.seq
    },
    find(path, n, kind) {
      const record = layer.record(path, n, kind)
      return record === undefined ? null : layer.event(record.seq)
    },
    records: (path) =>
      layer
        .records(path)
        .map(({ n, kind, seq }) => ({ n, kind, event: layer.event(seq) }))
        .sort((a, b) => a.n - b.n || a.event.seq - b.event.seq),
    note<T>(key: string) {
      const value = layer.note(key)
      return value === null ? null : (JSON.parse(value) as T)
    },
    pending: () => layer.pending(),
    nextNumber: (path, name) => layer.nextNumber(path, name),
    append(draft, at) {
      const seq = layer.seq + 1
      const event = eventOf(run, seq, draft)
      if (at !== undefined && layer.record(at.path, at.n, at.kind) !== undefined) throw recordedTwice(run, at)
      layer.append({ draft, event, record: at === undefined ? null : { ...at, seq } })
      return event
    },
    setNote: (key, value) => void layer.notes.set(key, JSON.stringify(value ?? null)),
  }
}

/** As it will be read: without what JSON does not keep. */
function eventOf(run: string, seq: number, { atMs, path, type, ...fields }: Draft): Event {
  const ts = new Date(atMs).toISOString()
  return { seq, ts, run, path, type, ...JSON.parse(JSON.stringify(fields)) }
}

function recordedTwice(run: string, { path, n, kind }: Omit<RunRecord, 'seq'>): ThinkonError {
  return new ThinkonError('INTERNAL', `run ${run} has the ${kind} of operation ${n} of block ${path} already`)
}

/** The signal that an event takes out of the inbox. */
export function takenBy(draft: Draft): TakenSignal | null {
  if (draft.type !== 'signal-taken' && draft.type !== 'signal-answered') return null
  const { name, number } = draft
  return { path: draft.type === 'signal-taken' ? draft.to : draft.path, name, number }
}

function signalKey({ path, name, number }: TakenSignal): string {
  return `${path} ${name} ${number}`
}

function noteChars(key: string, value: string | null): number {
  return ENTRY_CHARS + key.length + (value?.length ?? 0)
}

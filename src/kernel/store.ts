/**
 * The port of what is at rest: events, the inbox, and who owns a run. Implementations: store/sqlite.ts, store/memory.ts.
 *
 * 1. `append` is atomic: all of a batch or nothing. `seq` follows the last committed one: no gaps, in order.
 * 2. `append` checks the epoch in the same commit: a process that lost the run writes nothing.
 * 3. Events are never changed; they go with their run, when it is deleted, and only then.
 * 4. What a run refers to is there as long as the run: `sweep` frees only what no run needs, also while other processes write.
 */
import {
  type Ephemeral,
  type Event,
  type EventBody,
  type Goal,
  isObject,
  type Signal,
  ThinkonError,
} from '../protocol/index.ts'
import type { LimiterFor } from './call-limiter.ts'
import { editRequest } from './edit-request.ts'
import type { QuestionKey, QuestionQuery, RowStatus, RunQuery, RunRow } from './run-query.ts'

export type { QuestionKey, QuestionQuery, RowStatus, RunQuery, RunRow } from './run-query.ts'

/** An event before the store gives it its `seq`. */
export type Draft = EventBody & { path: string; atMs: number; inactiveMs?: number }

export interface NewRun {
  id: string
  goal: Goal
  strategy: string
}

export interface SweepProgress {
  readonly done: number
  readonly of: number
  readonly freedBytes: number
}

/** A run that comes from elsewhere. */
export interface ImportedRun extends NewRun {
  readonly createdMs: number
  readonly forkOf: string | null
  /** Signals that no event before the first of `append` has taken. */
  readonly inbox: readonly Signal[]
  /** The run of this store that the events were taken from. If that one is `own`, this one is, too. */
  readonly takenFrom?: string
}

/** An import under way. Nobody sees the run before `commit`; if the process dies, there is no run, and `sweep` frees what was written. */
export interface RunImport {
  append(drafts: readonly Draft[]): void
  commit(): void
  abort(): void
}

/**
 * Where a run comes from. `own`: everything was written with the store's key, or nothing outlives the process. `unsigned`: something was
 * written without a key. `other-key`: it was signed with another key. `altered`: a signature is wrong. `unchecked`: the store has no key.
 */
export type RunOrigin = 'own' | 'unsigned' | 'other-key' | 'altered' | 'unchecked'

export interface Store {
  /** True when an append is over at once, so that nothing is won by gathering a turn's events into one commit. */
  readonly instant: boolean
  /** A new run with its first event, owned by this process. Returns its epoch. */
  create(run: NewRun, first: Draft): number
  /** Makes this process the owner: returns the new epoch, or throws RUN_LOCKED while the owner lives. */
  acquire(run: string): number
  release(run: string, epoch: number): void
  /** Returns the `seq` of the first of the batch. `flush`: on disk, not only in the system's hands, when it returns. */
  append(run: string, epoch: number, drafts: readonly Draft[], flush: boolean): number
  has(run: string): boolean
  read(run: string, from?: number, to?: number): Iterable<Event>
  /**
   * The events with these numbers, which ascend, then all from `from` on. The messages of a request are read from the store when
   * they are looked at: whoever only needs its kind does not pay for them.
   */
  pick(run: string, seqs: readonly number[], from: number): Iterable<Event>
  /** What `keepOutline` kept last; null if there is none. */
  outline(run: string): string | null
  /** Keeps what its owner derived from the journal so far, so that nobody has to read all of it again. It is not part of the truth. */
  keepOutline(run: string, outline: string): void
  row(run: string): RunRow
  /** Newest first, in the order in which they came into this store. */
  list(query?: RunQuery): RunRow[]
  /** How many there are, whatever the limit. */
  count(query?: RunQuery): number
  /** Copies the journal up to `at`; `edit` is merged over the event at `at`. */
  fork(run: string, at: number, id: string, edit?: Record<string, unknown>): void
  /** Adds a signal to the inbox, with the next number of its run, path and name. */
  send(run: string, path: string, name: string, value: unknown): Signal
  /**
   * Adds the answer to an open question to the inbox, and closes the question in the same commit: of two answers one is accepted. Null if
   * the run has no such question, or it is closed.
   */
  answer(run: string, question: number, value: unknown): Signal | null
  /** Accepts no answer to an open question from now on. False if one was accepted before, or the question is not open. */
  expire(run: string, path: string, name: string): boolean
  /** Open questions of all runs, oldest first. */
  questions(query?: QuestionQuery): QuestionKey[]
  /** Signals that no event has taken yet, in the order they came. */
  pending(run: string): Signal[]
  /** Deletes a run; throws RUN_LOCKED while a living process works on it. `sweep` frees what only this run needed. */
  delete(run: string): void
  /** Frees what no run needs any more, a little at each step, so that others can write in between. */
  sweep(): Iterable<SweepProgress>
  /** Gives freed space back to the disk; returns how many bytes. Throws RUN_LOCKED while a living process works on any run. */
  compact(): number
  /** Copies the store as it is now to a file that is not there yet, while other processes write. */
  backup(file: string): void
  import(run: ImportedRun): RunImport
  /** Whether the run, and every signal that waits for it, was written with the store's key. Reads the whole journal. */
  origin(run: string): RunOrigin
  /** Changes when another connection wrote: cheap enough to be asked often. */
  version(): number
  close(): void
}

type Later<F> = F extends (...given: infer G) => infer A ? (...given: G) => Promise<A> : never
type AllLater<T, Others extends keyof T> = { [M in Exclude<keyof T, Others>]: Later<T[M]> }

export type AsyncRunImport = AllLater<RunImport, never>

/**
 * A store whose answers come later, as those of a database server do. It makes the same promises. A run makes one commit at a time on it,
 * of everything that was appended while the last one was under way.
 */
export type AsyncStore = AllLater<Store, 'instant' | 'read' | 'pick' | 'sweep' | 'import'> & {
  readonly instant: false
  readonly later: true
  read(run: string, from?: number, to?: number): AsyncIterable<Event>
  pick(run: string, seqs: readonly number[], from: number): AsyncIterable<Event>
  sweep(): AsyncIterable<SweepProgress>
  import(run: ImportedRun): Promise<AsyncRunImport>
  /** Counts the calls to a provider of all who use the store. */
  readonly limiterFor?: LimiterFor
  /** Notifies this process about its runs, in place of polling. Returns how to stop listening. */
  listen?(listener: OwnerListener): () => void
  /**
   * Calls back when something of the run (or of any run: null) was written, soon after it was; sometimes without a reason. Returns how to stop
   * watching.
   */
  watch?(run: string | null, changed: () => void): () => void
  /** Passes it to all processes that hear the run: soon and in order, or never. Nothing is kept. */
  say?(said: Said): void
  /** Returns how to stop hearing. */
  hear?(run: string, heard: (said: Said) => void): () => void
}

/** Notifications about the runs that a process owns. */
export interface OwnerListener {
  /** A signal came for the run; sometimes without a reason. */
  signalled(run: string): void
  /** Another process has taken the run over: nothing more is written here. */
  lost(run: string): void
}

/** What an engine and its host work on: they await whatever the store answers. One that answers at once costs the host no turn of the queue. */
export type AnyStore = Store | AsyncStore

/** Events as a store gives them. */
export type Events = Iterable<Event> | AsyncIterable<Event>

/** For whoever can't wait between two events: read as they are looked at, or all in advance where the store answers later. */
export async function readAtOnce(
  store: AnyStore,
  run: string,
  from?: number,
  to?: number,
): Promise<Iterable<Event>> {
  if ('later' in store) return gathered(store.read(run, from, to))
  return { [Symbol.iterator]: () => store.read(run, from, to)[Symbol.iterator]() }
}

export async function eventAt(store: AnyStore, run: string, seq: number): Promise<Event | undefined> {
  for await (const event of store.read(run, seq, seq)) return event
  return undefined
}

export async function gathered(events: Events): Promise<Event[]> {
  const all: Event[] = []
  for await (const event of events) all.push(event)
  return all
}

/** An event for listeners that no journal keeps: text as it streams, a failed attempt of a model. */
export interface Said {
  /** The start of the step that it is about. */
  readonly seq: number
  readonly what: Ephemeral
}

/** What an event changes a run's status to, or null. */
export function statusAfter(draft: Draft): RowStatus | null {
  switch (draft.type) {
    case 'run-end':
      return draft.status
    case 'run-wait':
      return 'waiting'
    case 'run-resume':
    case 'run-fork':
      return 'running'
    default:
      return null
  }
}

export function runExists(id: string): ThinkonError {
  return new ThinkonError('BAD_INPUT', `there is a run "${id}" already`, { data: { run: id } })
}

/** `by` is a process. */
export function runLocked(id: string, by: string): ThinkonError {
  return new ThinkonError(
    'RUN_LOCKED',
    `run ${id} is being worked on by ${by}: steer it from here (skip, redo, answer, message, cancel), or wait until it ends`,
    { data: { run: id, by } },
  )
}

/** Thrown by `append`, and the error of runs that another process has taken over. */
export function ownershipLost(run: string): ThinkonError {
  return new ThinkonError(
    'OWNERSHIP_LOST',
    `run ${run} was taken over by another process; this one has stopped`,
  )
}

/** `near` is a run that may have been meant. */
export function unknownRun(id: string, near?: string): ThinkonError {
  const hint = near === undefined ? '; thinkon list shows the runs there are' : `: did you mean "${near}"?`
  return new ThinkonError('UNKNOWN_RUN', `no run "${id}" in this store${hint}`, { data: { run: id } })
}

export function draftOf(event: Event): Draft {
  const { seq: _seq, ts, run: _run, ...body } = event
  return { ...body, atMs: Date.parse(ts) } as Draft
}

const NOT_EDITABLE: ReadonlySet<string> = new Set(['seq', 'ts', 'run', 'path', 'type', 'n'])

/** The event with the edit in it. `value` stands for a successful result, where the event has one: of a model, for what its reply says. */
export function editEvent(event: Event, edit: Record<string, unknown>): Event {
  if (event.type === 'model-start') return editRequest(event, edit)
  const { value: given, ...fields } = edit
  const value = event.type === 'model-end' ? replyOf(given) : given
  const changes = 'value' in edit && 'result' in event ? { ...fields, result: { ok: true, value } } : edit
  for (const key of Object.keys(changes)) {
    if (key in event && !NOT_EDITABLE.has(key)) continue
    if (key === 'request') throw hasNoRequest(event)
    const allowed = Object.keys(event).filter((name) => !NOT_EDITABLE.has(name))
    throw new ThinkonError(
      'BAD_INPUT',
      `event ${event.seq} is a ${event.type}: "${key}" can't be edited; these can: ${allowed.join(', ')}`,
      { data: { key, allowed } },
    )
  }
  return { ...event, ...changes } as Event
}

function hasNoRequest({ seq, type }: Event): ThinkonError {
  return new ThinkonError(
    'BAD_INPUT',
    `event ${seq} is a ${type}, which has no request: edit that of a model-start (thinkon events shows them)`,
  )
}

/** A reply that says this, as a text or a value; one that is whole stays as it is. */
function replyOf(said: unknown): unknown {
  if (isObject(said) && typeof said.text === 'string' && isObject(said.usage)) return said
  const usage = { inputTokens: 0, outputTokens: 0 }
  return typeof said === 'string'
    ? { text: said, usage }
    : { text: JSON.stringify(said ?? null), value: said, usage }
}

export function seqOutOfRange(run: string, at: number, last: number): ThinkonError {
  return new ThinkonError('BAD_INPUT', `run ${run} has events 1 to ${last}; ${at} is not one of them`, {
    data: { run, at, last },
  })
}

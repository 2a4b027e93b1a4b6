/**
 * One run as the page knows it: its journal so far, and the folds that draw it. Every view is made of these; none keeps a second truth.
 * Events come in bursts: whoever listens is told once for each frame, and less often while the journal is read, which drawing would hold up.
 */
import {
  type Event,
  emptyState,
  foldEvent,
  type ModelRetry,
  type RunState,
  type TextDelta,
} from 'thinkon/protocol'
import { createDetails, createStreams, type Details, SHIPPED_VIEWS, type Streams } from 'thinkon/views'

/** What can be drawn of a run at one event. */
export interface Moment {
  /** The last event that it knows; 0 before the first. */
  readonly seq: number
  readonly state: RunState
  readonly details: Details
  /** When that was; now for a run under way. */
  readonly nowMs: number
}

/** `reading`: what is in the journal already. `lost`: it is tried again; `missing` and `failed` are not: there is no such run, it can't be read. */
export type Connection = 'reading' | 'live' | 'lost' | 'ended' | 'missing' | 'failed'

export interface RunLog {
  readonly run: string
  /** `events[i].seq` is `i + 1`. */
  readonly events: readonly Event[]
  /** How many there are, read or not. */
  readonly count: number
  readonly streams: Streams
  readonly connection: Connection
  /** Why it was lost, in words. */
  readonly problem: string
  /** Changes with everything else; for `useSyncExternalStore`. */
  readonly version: number
  /** The newest, or as it was at an event. It is changed in place by what comes: read it while you draw, keep `version`. */
  moment(seq?: number | null): Moment
  /** Why the model call of a block is tried again; null if it is not. */
  retryOf(path: string): ModelRetry | null
  subscribe(listener: () => void): () => void
}

export interface RunLogWriter extends RunLog {
  add(item: Event | ModelRetry | TextDelta): void
  connect(connection: Connection, problem?: string): void
  /** So many events are in the journal. */
  expect(count: number): void
}

interface Fold {
  state: RunState
  details: Details
}

export function createRunLog(run: string): RunLogWriter {
  const events: Event[] = []
  const streams = createStreams(SHIPPED_VIEWS)
  const retries = new Map<string, ModelRetry>()
  const listeners = new Set<() => void>()
  const live = newFold()
  /** Where a person was last: going on from there costs only what lies between. */
  let travelled = newFold()
  let connection: Connection = 'reading'
  let problem = ''
  let version = 0
  let expected = 0
  let isTelling = false

  function changed(): void {
    version++
    if (isTelling) return
    isTelling = true
    nextFrame(connection === 'reading' && events.length > FIRST_VIEW, () => {
      isTelling = false
      for (const listener of listeners) listener()
    })
  }

  function travel(seq: number): Fold {
    if (seq < travelled.state.seq) travelled = newFold()
    for (let at = travelled.state.seq; at < seq; at++) take(travelled, events[at] as Event)
    return travelled
  }

  return {
    run,
    events,
    streams,
    get count() {
      return Math.max(expected, events.length)
    },
    get connection() {
      return connection
    },
    get problem() {
      return problem
    },
    get version() {
      return version
    },
    moment(seq = null) {
      const isNewest = seq === null || seq >= events.length
      const { state, details } = isNewest ? live : travel(Math.max(0, seq))
      const isUnderWay = isNewest && state.outcome === null && connection === 'live'
      return { seq: state.seq, state, details, nowMs: isUnderWay ? Date.now() : timeOf(state) }
    },
    retryOf: (path) => retries.get(path) ?? null,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    add(item) {
      if (item.type === 'text-delta') streams.add(item)
      else if (item.type === 'model-retry') retries.set(item.path, item)
      else {
        if (item.seq !== events.length + 1) return
        events.push(item)
        take(live, item)
        streams.follow(item)
        if (item.type === 'model-end' || item.type === 'block-end') retries.delete(item.path)
      }
      changed()
    },
    connect(next, why = '') {
      connection = next
      problem = why
      changed()
    },
    expect(count) {
      expected = count
    },
  }
}

function newFold(): Fold {
  return { state: emptyState(), details: createDetails(SHIPPED_VIEWS) }
}

function take(fold: Fold, event: Event): void {
  foldEvent(fold.state, event)
  fold.details.follow(event)
}

function timeOf({ changedAt }: RunState): number {
  return changedAt === '' ? 0 : Date.parse(changedAt)
}

/** So many events make a first view, which is drawn at once. */
const FIRST_VIEW = 1_000
const SELDOM_MS = 200

/** A page that is not seen draws no frames. */
function nextFrame(isSeldom: boolean, draw: () => void): void {
  if (isSeldom || document.hidden) setTimeout(draw, SELDOM_MS)
  else requestAnimationFrame(draw)
}

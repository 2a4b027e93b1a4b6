/** A run's events, whoever works on it: told as they happen where it is worked on here, otherwise read from the store. */
import type { Engine } from '../engine/api.ts'
import type { Event, ModelRetry, TextDelta } from '../protocol/index.ts'
import type { RunsAtWork } from './runs-at-work.ts'

export interface Following {
  readonly engine: Engine
  readonly work: RunsAtWork
  /** Aborted when the service is closed. */
  readonly closing: AbortSignal
}

export interface FollowOptions {
  /** The number of the first event; 1, unless given. */
  from?: number
  deltas?: boolean
  signal?: AbortSignal
}

/** A run that nobody works on is looked at less and less often. */
const LOOK_MS = 200
const MAX_LOOK_MS = 2_000
/** So many events are read at a time. */
const PAGE = 64

type Streamed = Event | ModelRetry | TextDelta

export async function* followRun(
  following: Following,
  run: string,
  { from = 1, deltas = false, signal: gone }: FollowOptions,
): AsyncGenerator<Streamed> {
  const signal = AbortSignal.any([following.closing, ...(gone === undefined ? [] : [gone])])
  try {
    yield* eventsOf(following, run, { from, deltas, signal })
  } catch (thrown) {
    // A store that is closed meanwhile can't be read.
    if (!signal.aborted) throw thrown
  }
}

async function* eventsOf(
  following: Following,
  run: string,
  { from, deltas, signal }: Required<FollowOptions>,
): AsyncGenerator<Streamed> {
  let next = await firstToRead(following, run, from)
  if (next === null) return
  for (let lookMs = LOOK_MS; !signal.aborted; ) {
    let isNews = false
    for await (const item of newsOf(following, run, { from: next, deltas, signal })) {
      if (signal.aborted) return
      isNews = true
      if ('seq' in item) next = item.seq + 1
      yield item
      if (item.type === 'run-end') return
    }
    lookMs = isNews ? LOOK_MS : Math.min(MAX_LOOK_MS, lookMs * 1.5)
    await following.work.arrival(run, lookMs, signal)
  }
}

/** What happens as long as the run is worked on here; otherwise what is in the store by now. */
async function* newsOf(
  { engine, work }: Following,
  run: string,
  options: Required<FollowOptions>,
): AsyncGenerator<Streamed> {
  const here = work.get(run)?.run
  if (here !== undefined) return yield* here.events.with(options)
  for (let { from } = options; ; from += PAGE) {
    // All at once: a reader that takes its time must not keep the store's reading open.
    const page = [...(await engine.events(run, from, from + PAGE - 1))]
    yield* page
    if (page.length < PAGE) return
  }
}

/** Whoever claims to have read more than there is goes on after the last event. Null if that is the run's end. */
async function firstToRead({ engine }: Following, run: string, from: number): Promise<number | null> {
  const { seq } = await engine.row(run)
  if (from <= seq) return from
  const [last] = await engine.events(run, seq, seq)
  return last?.type === 'run-end' ? null : seq + 1
}

import type { RunningRun } from '../../kernel/durable.ts'
import { type AnyStore, gathered } from '../../kernel/store.ts'
import { checkArguments } from '../../protocol/check-arguments.ts'
import type { Event, ModelRetry, TextDelta } from '../../protocol/index.ts'
import { readable } from '../../streams/readable.ts'
import { RUN_METHODS } from '../../streams/run-methods.ts'
import type { RunEvents } from '../api.ts'

export type Streamed = Event | ModelRetry | TextDelta

/** `running`: the run, if this process works on it or follows it. */
export function runEvents(store: AnyStore, id: string, running: () => RunningRun | undefined): RunEvents {
  const read = (deltas: boolean, from = 1, ends?: AbortSignal) =>
    readable((gone) => {
      const signal = ends === undefined ? gone : AbortSignal.any([gone, ends])
      return eventStream(store, id, running(), { deltas, from, signal })
    })
  return {
    ...(read(false) as AsyncIterable<Event | ModelRetry>),
    with(options) {
      checkArguments('run.events.with', RUN_METHODS.with, [options])
      return read(options.deltas ?? false, options.from, options.signal)
    },
  }
}

interface Reading {
  readonly deltas: boolean
  readonly from: number
  readonly signal: AbortSignal
}

/**
 * A run's events, what models write and failed attempts as they happen; ends when the run ends or stops here, or when `signal` is aborted.
 * Texts that a slow reader has not taken yet come as one. One that has fallen far behind reads the events from the store again, so that it
 * costs no memory: it misses nothing but failed attempts, and the text of replies that have ended meanwhile. Of a reply under way, the text
 * so far comes first.
 */
async function* eventStream(
  store: AnyStore,
  id: string,
  run: RunningRun | undefined,
  { deltas, from, signal }: Reading,
): AsyncGenerator<Streamed> {
  const told = listenTo(run, { deltas, from, signal })
  const given = whatWasGiven(from)
  try {
    do {
      // What is told from now on follows these.
      const texts = deltas ? (run?.telling.textsUnderWay() ?? []) : []
      const last = run?.telling.seq
      told.begin()
      for await (const event of inPages(store, id, given.next(), last)) {
        if (signal.aborted) return
        yield given.note(event)
      }
      yield* given.rest(texts)
      for (let items = await told.take(); items.length > 0; items = await told.take())
        for (const item of items) yield given.note(item)
    } while (told.isBehind())
  } finally {
    told.stop()
  }
}

/** So many events are read at a time. */
const PAGE = 64

/** A reader that takes its time must not keep the store's reading open: what is written meanwhile could not be tidied up. */
async function* inPages(
  store: AnyStore,
  id: string,
  from: number,
  to = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<Event> {
  for (let next = from; next <= to; next += PAGE) {
    const page = await gathered(store.read(id, next, Math.min(to, next + PAGE - 1)))
    yield* page
    if (page.length < PAGE) return
  }
}

/** How far a reader has come: in the events, and in the text of each reply under way. */
function whatWasGiven(from: number) {
  const lengths = new Map<string, number>()
  const lengthOf = (delta: TextDelta) => lengths.get(stepKey(delta)) ?? 0
  let next = from
  return {
    next: () => next,
    note(item: Streamed): Streamed {
      if ('seq' in item) next = item.seq + 1
      if (item.type === 'text-delta') lengths.set(stepKey(item), lengthOf(item) + item.text.length)
      else if (item.type === 'model-end') lengths.delete(stepKey(item))
      return item
    },
    *rest(texts: readonly TextDelta[]): Generator<Streamed> {
      for (const delta of texts) {
        const text = delta.text.slice(lengthOf(delta))
        if (text !== '') yield this.note({ ...delta, text })
      }
    },
  }
}

function stepKey({ path, n }: { path: string; n: number }): string {
  return `${path} ${n}`
}

/** So many items wait for a reader; then they are let go. */
const MAX_WAITING = 1_000

interface Told {
  /** What is told from now on is kept for `take`. */
  begin(): void
  /** What was told since the last time; waits for it. Nothing once the run is over, or the reader is gone or too far behind. */
  take(): Promise<Streamed[]>
  /** Whether something that was told since `begin` was not kept. */
  isBehind(): boolean
  stop(): void
}

function listenTo(run: RunningRun | undefined, { deltas, from, signal }: Reading): Told {
  let queue: Streamed[] = []
  let wake = () => {}
  let isOver = run === undefined
  let isBehind = false
  const stop = run?.telling.listen((event) => {
    if (isBehind || event.type === 'folder-written') return
    if ('seq' in event && event.seq < from) return
    if (event.type !== 'text-delta') queue.push(event)
    else if (!deltas) return
    else if (!addText(queue.at(-1), event)) queue.push({ ...event })
    if (queue.length > MAX_WAITING) {
      isBehind = true
      queue = []
    }
    wake()
  })
  const end = () => {
    isOver = true
    wake()
  }
  run?.outcome.then(end, end)
  signal.addEventListener('abort', end, { once: true })
  return {
    begin() {
      queue = []
      isBehind = false
    },
    async take() {
      while (queue.length === 0 && !isOver && !isBehind)
        await new Promise<void>((resolve) => (wake = resolve))
      const taken = signal.aborted ? [] : queue
      queue = []
      return taken
    },
    isBehind: () => isBehind && !signal.aborted,
    stop() {
      stop?.()
      signal.removeEventListener('abort', end)
    },
  }
}

/** Adds the text to that of the same reply, if that is what comes before it. */
function addText(last: Streamed | undefined, { path, n, text }: TextDelta): boolean {
  if (last?.type !== 'text-delta' || last.path !== path || last.n !== n) return false
  last.text += text
  return true
}

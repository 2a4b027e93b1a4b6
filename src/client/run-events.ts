/**
 * The events of a run of a service, over connections that break.
 *
 * 1. Every event comes once and in order, whatever happens to the connections and to the service. What comes twice is left out, and a
 *    gap is read again.
 * 2. The text of a reply under way goes on where it was: the service sends it from its beginning to whoever comes again.
 * 3. Nothing is read that is not asked for: a reader that takes its time makes the service wait.
 */
import type { RunEvents } from '../engine/api.ts'
import { checkArguments } from '../protocol/check-arguments.ts'
import { DecodingBudget } from '../protocol/decoding-budget.ts'
import { type Event, type ModelRetry, type TextDelta, ThinkonError } from '../protocol/index.ts'
import { readable } from '../streams/readable.ts'
import { RUN_METHODS } from '../streams/run-methods.ts'
import type { Http } from './http.ts'
import type { Patience } from './patience.ts'
import { unreachable } from './problem.ts'
import { type ServerSent, serverSent } from './server-sent.ts'

export interface Service {
  readonly http: Http
  patience(): Patience
  /** A stream that brings nothing for so long is broken. */
  readonly silenceMs: number
}

type Streamed = Event | ModelRetry | TextDelta

export function runEvents(service: Service, run: string): RunEvents {
  const read = (deltas: boolean, from = 1, ends?: AbortSignal) =>
    readable((gone) => {
      const signal = ends === undefined ? gone : AbortSignal.any([gone, ends])
      return follow(service, run, { deltas, from, signal })
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

async function* follow(service: Service, run: string, reading: Reading): AsyncGenerator<Streamed> {
  const { signal } = reading
  const patience = service.patience()
  const taken = whatWasTaken(reading.from)
  while (!signal.aborted) {
    try {
      for await (const item of connection(service, run, reading, taken, patience)) {
        if (signal.aborted) return
        patience.restore()
        yield item
        if (item.type === 'run-end') return
      }
      return
    } catch (thrown) {
      if (!signal.aborted) await patience.wait(thrown, signal)
    }
  }
}

/** What one connection brings. Ends if there is no more; throws if it is worth coming again, as when the service stops. */
async function* connection(
  { http, silenceMs }: Service,
  run: string,
  { deltas, from, signal }: Reading,
  taken: ReturnType<typeof whatWasTaken>,
  patience: Patience,
): AsyncGenerator<Streamed> {
  const path = `/runs/${encodeURIComponent(run)}/events`
  const last = taken.last()
  const headers = last === null ? {} : { 'last-event-id': String(last) }
  const query = { from, ...(deltas && { deltas }) }
  const { status, body } = await http.send({ path, query, headers, signal }, 'text/event-stream')
  patience.reached()
  if (status === 204 || body === null) return
  for await (const sent of unbroken(
    serverSent(body, silenceMs, new DecodingBudget('a line of the stream')),
  )) {
    if (sent.event !== 'end') yield* taken.take(sent)
    else if (sent.data.includes('run-end')) return
  }
  throw broken('it ended before the run did')
}

async function* unbroken(sent: AsyncIterable<ServerSent>): AsyncGenerator<ServerSent> {
  try {
    yield* sent
  } catch (thrown) {
    // It would be too large again.
    if (ThinkonError.isInstance(thrown)) throw thrown
    throw broken(thrown)
  }
}

/** How far a reader has come: in the events, and in the text of each reply under way. */
function whatWasTaken(from: number) {
  const lengths = new Map<string, number>()
  let next = from

  /** Without what was taken before. */
  function rest({ offset, ...delta }: TextDelta & { readonly offset: number }): TextDelta[] {
    const key = stepKey(delta)
    const got = lengths.get(key) ?? 0
    const text = delta.text.slice(Math.max(0, got - offset))
    lengths.set(key, Math.max(got, offset + delta.text.length))
    return text === '' ? [] : [{ ...delta, text }]
  }

  function inOrder(event: Event): Event[] {
    if (event.seq > next) throw broken(`event ${event.seq} came where ${next} was due`)
    if (event.seq < next) return []
    next++
    // Replies under way are asked for again.
    if (event.type === 'run-resume') lengths.clear()
    if (event.type === 'model-end') lengths.delete(stepKey(event))
    return [event]
  }

  return {
    /** The last event; null if there was none. */
    last: () => (next === from ? null : next - 1),
    take({ data }: ServerSent): readonly Streamed[] {
      const item = read(data)
      if (item.type === 'text-delta') return rest(item)
      return 'seq' in item ? inOrder(item) : [item]
    },
  }
}

type Read = Event | ModelRetry | (TextDelta & { readonly offset: number })

function read(data: string): Read {
  try {
    return JSON.parse(data) as Read
  } catch {
    throw broken('what came is not JSON')
  }
}

function broken(why: unknown) {
  return unreachable("the stream of the run's events", why)
}

function stepKey({ path, n }: { path: string; n: number }): string {
  return `${path} ${n}`
}

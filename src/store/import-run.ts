/**
 * Reads a run's file (export-run.ts) into a store. The file is first spooled to a temporary database and checked to its end; only then the
 * store is written to. Nobody sees the run before it is whole. A file is data from anywhere: nothing in it is trusted.
 */
import { type AnyStore, type Draft, draftOf, type Events } from '../kernel/store.ts'
import { whenFree } from '../kernel/when-free.ts'
import { withoutOrigin } from '../kernel/without-origin.ts'
import {
  core4Problem,
  type Event,
  type EventOf,
  emptyState,
  errorText,
  foldEvent,
  isObject,
  isPath,
  isTooDeep,
  MAX_DEPTH,
  ThinkonError,
} from '../protocol/index.ts'
import { charsIn } from './chars-in.ts'
import { DamagedEvent } from './damage.ts'
import { badFile, isRunId, type Spool, spoolFile } from './run-spool.ts'

/** The journal format that this version writes. */
const JOURNAL_FORMAT = 1
const PAGE = 64
/** Of texts in a page. */
const PAGE_CHARS = 4 * 1024 * 1024
/** Around a value, those of its event. */
const EVENT_LEVELS = 20

export interface Imported {
  readonly run: string
  readonly events: number
  /** The store had the same run already: nothing was written. */
  readonly existed: boolean
}

/** `as`: the run's new id. `signal` gives up; then nothing was written. */
export async function importRun(
  store: AnyStore,
  file: Parameters<typeof spoolFile>[0],
  { as, signal }: { as?: string; signal?: AbortSignal } = {},
): Promise<Imported> {
  const turn = async () => {
    await new Promise(setImmediate)
    if (signal?.aborted) throw new ThinkonError('INTERRUPTED', 'the import was stopped; nothing was written')
  }
  const spool = await spoolFile(file)
  try {
    const id = as ?? spool.run
    if (!isRunId(id)) throw new ThinkonError('BAD_INPUT', `"${id}" can't be the id of a run`)
    const start = await check(spool, id, turn)
    const existed = await store.has(id)
    if (existed) await compare(store, spool, id, turn)
    else await write(store, spool, id, start, turn)
    return { run: id, events: spool.events, existed }
  } finally {
    spool.close()
  }
}

/** Lets others do something; throws if the import is given up. */
type Turn = () => Promise<void>

/** Throws if there is an event that can't be read, or can't be where it is. */
async function check(spool: Spool, id: string, turn: Turn): Promise<EventOf<'run-start'>> {
  const state = emptyState()
  let seq = 0
  let start: EventOf<'run-start'> | null = null
  try {
    for (const event of spool.read(id)) {
      seq++
      const problem = problemOf(event, seq)
      if (problem !== null) throw new Error(problem)
      if (event.type === 'run-start') start = event
      foldEvent(state, event)
      if (seq % PAGE === 0) await turn()
    }
  } catch (thrown) {
    if (ThinkonError.isInstance(thrown)) throw thrown
    if (thrown instanceof DamagedEvent) throw badFile(thrown.message)
    throw badFile(`event ${Math.max(1, seq)} can't be read: ${errorText(thrown)}`)
  }
  if (start === null || seq !== spool.events) throw badFile('it does not have all of its events')
  return start
}

function problemOf(event: Event, seq: number): string | null {
  if (event.seq !== seq || !isPath(event.path)) return 'it is not the next one'
  if (isTooDeep(event, MAX_DEPTH + EVENT_LEVELS)) return `it is nested deeper than ${MAX_DEPTH} levels`
  if ((event.type === 'run-start') !== (seq === 1)) return 'a journal begins with run-start'
  return event.type === 'run-start' ? startProblem(event) : null
}

function startProblem({ format, goal, strategy, limits, config }: EventOf<'run-start'>): string | null {
  if (typeof format === 'number' && format > JOURNAL_FORMAT) {
    throw new ThinkonError(
      'STORE_NEWER',
      `the run's journal has format ${format}, this Thinkon reads ${JOURNAL_FORMAT}: update thinkon`,
      { data: { format, supported: JOURNAL_FORMAT } },
    )
  }
  const isGoal = typeof goal === 'string' || (isObject(goal) && core4Problem(goal) === null)
  const isStart = format === JOURNAL_FORMAT && isGoal && typeof strategy === 'string'
  return isStart && isObject(limits) && isObject(config) ? null : 'it does not say what the run is'
}

/** Throws unless the store's run has the same events and signals. */
async function compare(store: AnyStore, spool: Spool, id: string, turn: Turn): Promise<void> {
  const text = (value: unknown) => JSON.stringify(value)
  const eventText = (event: Event | undefined) => text(event && withoutOrigin(event))
  const existing = eachOf(store.read(id))
  try {
    for (const event of spool.read(id)) {
      if (eventText((await existing.next()).value) !== eventText(event)) throw otherRun(id)
      if (event.seq % PAGE === 0) await turn()
    }
    if ((await existing.next()).done !== true) throw otherRun(id)
  } finally {
    await existing.return(undefined)
  }
  if (text(await store.pending(id)) !== text(spool.signals)) throw otherRun(id)
}

async function* eachOf(events: Events): AsyncGenerator<Event, undefined> {
  yield* events
}

async function write(
  store: AnyStore,
  spool: Spool,
  id: string,
  start: EventOf<'run-start'>,
  turn: Turn,
): Promise<void> {
  const { createdMs, forkOf, signals } = spool
  const strategy = start.strategy.split('@')[0] as string
  const coming = await whenFree(() =>
    store.import({ id, goal: start.goal, strategy, createdMs, forkOf, inbox: signals }),
  )
  try {
    let page: Draft[] = []
    let chars = 0
    for (const event of spool.read(id)) {
      page.push(draftOf(withoutOrigin(event)))
      chars += charsIn(event)
      if (page.length < PAGE && chars < PAGE_CHARS && event.seq < spool.events) continue
      const events = page
      await whenFree(() => coming.append(events))
      page = []
      chars = 0
      await turn()
    }
    await whenFree(() => coming.commit())
  } catch (thrown) {
    await coming.abort()
    throw thrown
  }
}

function otherRun(id: string): ThinkonError {
  const message = `there is a run "${id}" already, with other events: give the new one another id (--as <id>)`
  return new ThinkonError('BAD_INPUT', message, { data: { run: id } })
}

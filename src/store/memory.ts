/**
 * A store in this process's memory: nothing outlives the process, no other process sees it, an append is done at once. It forgets runs
 * that have ended when it has grown too large.
 */
import { matchesQuery, standingOf } from '../kernel/run-query.ts'
import {
  type Draft,
  draftOf,
  editEvent,
  type NewRun,
  type RunRow,
  runExists,
  runLocked,
  type Store,
  seqOutOfRange,
  statusAfter,
  unknownRun,
} from '../kernel/store.ts'
import {
  type Arguments,
  checkArguments,
  type Fields,
  fields,
  wholeAmount,
} from '../protocol/check-arguments.ts'
import { type Event, type Signal, ThinkonError } from '../protocol/index.ts'
import { OpenQuestions } from './open-questions.ts'

export interface MemoryOptions {
  /** How many events are kept in all; then runs that have ended are forgotten, those that ended first, first. Default: 100,000. */
  maxEvents?: number
}

const MEMORY_STORE: Arguments = {
  checks: { options: fields({ maxEvents: wholeAmount } satisfies Fields<MemoryOptions>) },
}

const MAX_EVENTS = 100_000
/** How many runs it remembers to have forgotten. */
const MAX_FORGOTTEN = 10_000

interface MemoryRun extends NewRun {
  readonly createdMs: number
  readonly drafts: Draft[]
  readonly questions: OpenQuestions
  readonly inbox: Signal[]
  readonly numbers: Map<string, number>
  epoch: number
  owned: boolean
  forkOf: string | null
  outline: string | null
}

export function memoryStore(options: MemoryOptions = {}): Store {
  checkArguments('memoryStore', MEMORY_STORE, [options])
  const { maxEvents = MAX_EVENTS } = options
  const runs = new Map<string, MemoryRun>()
  /** In the order in which they ended. */
  const ended = new Set<MemoryRun>()
  const forgotten = new Set<string>()
  let events = 0
  let version = 0

  function find(id: string): MemoryRun {
    const run = runs.get(id)
    if (run !== undefined) return run
    throw forgotten.has(id) ? forgottenRun(id, maxEvents) : unknownRun(id)
  }

  function remove(run: MemoryRun): void {
    runs.delete(run.id)
    ended.delete(run)
    events -= run.drafts.length
  }

  /** Forgets ended runs while there are too many events; the run that ended last is kept. */
  function forget(): void {
    for (const run of ended) {
      if (events <= maxEvents || ended.size === 1) return
      remove(run)
      if (forgotten.size >= MAX_FORGOTTEN) forgotten.delete(forgotten.values().next().value as string)
      forgotten.add(run.id)
    }
  }

  function noteEnd(run: MemoryRun): void {
    ended.delete(run)
    if (!hasEnded(run)) return
    ended.add(run)
    forget()
  }

  function row(id: string): RunRow {
    return rowOf(find(id))
  }

  function create(run: NewRun, forkOf: string | null, createdMs = Date.now()): MemoryRun {
    if (runs.has(run.id)) throw runExists(run.id)
    const made: MemoryRun = {
      ...run,
      createdMs,
      drafts: [],
      questions: new OpenQuestions(),
      inbox: [],
      numbers: new Map(),
      epoch: 1,
      owned: forkOf === null,
      forkOf,
      outline: null,
    }
    runs.set(run.id, made)
    forgotten.delete(run.id)
    return made
  }

  function send(id: string, path: string, name: string, value: unknown): Signal {
    const run = find(id)
    const number = (run.numbers.get(`${path} ${name}`) ?? 0) + 1
    const signal = { path, name, number, value: value ?? null }
    receive(run, signal)
    version++
    return signal
  }

  function* read(id: string, from = 1, to = Number.POSITIVE_INFINITY): Generator<Event> {
    const { drafts } = find(id)
    for (let seq = Math.max(1, from); seq <= Math.min(to, drafts.length); seq++) {
      yield eventOf(id, seq, drafts[seq - 1] as Draft)
    }
  }

  return {
    instant: true,
    create(run, first) {
      const made = create(run, null)
      made.drafts.push(first)
      events++
      return made.epoch
    },
    acquire(id) {
      const run = find(id)
      if (run.owned) throw new ThinkonError('RUN_LOCKED', `run ${id} is already running in this process`)
      run.owned = true
      ended.delete(run)
      return ++run.epoch
    },
    release(id, epoch) {
      const run = find(id)
      if (run.epoch !== epoch) return
      run.owned = false
      noteEnd(run)
    },
    append(id, epoch, drafts) {
      const run = find(id)
      if (run.epoch !== epoch) throw new ThinkonError('OWNERSHIP_LOST', `run ${id} was taken over`)
      const first = run.drafts.length + 1
      events += drafts.length
      for (const draft of drafts) addEvent(run, draft)
      return first
    },
    has: (id) => runs.has(id),
    read,
    *pick(id, seqs, from) {
      for (const seq of seqs) yield* read(id, seq, seq)
      yield* read(id, from)
    },
    outline: (id) => find(id).outline,
    keepOutline(id, outline) {
      find(id).outline = outline
    },
    row,
    list({ limit, offset = 0, ...query } = {}) {
      const rows = [...runs.values()].map(rowOf).reverse()
      return rows
        .filter((one) => matchesQuery(one, query))
        .slice(offset)
        .slice(0, limit)
    },
    count: (query = {}) => [...runs.values()].filter((run) => matchesQuery(rowOf(run), query)).length,
    fork(id, at, newId, edit) {
      const run = find(id)
      const last = run.drafts[at - 1]
      if (last === undefined) throw seqOutOfRange(id, at, run.drafts.length)
      const edited = edit === undefined ? last : draftOf(editEvent(eventOf(id, at, last), edit))
      const made = create({ id: newId, goal: run.goal, strategy: run.strategy }, id)
      for (const draft of run.drafts.slice(0, at - 1)) addEvent(made, draft)
      addEvent(made, edited)
      const fork = { type: 'run-fork' as const, from: id, at, edited: edit !== undefined }
      addEvent(made, { ...fork, path: '1', atMs: Math.max(Date.now(), edited.atMs) })
      events += made.drafts.length
    },
    send,
    answer(id, question, value) {
      const answered = find(id).questions.take(question)
      return answered === undefined ? null : send(id, answered.path, answered.name, value)
    },
    expire: (id, path, name) => find(id).questions.expire(path, name),
    questions({ run, for: wanted, limit, offset = 0 } = {}) {
      const asking = run === undefined ? [...runs.values()] : [find(run)]
      const open = asking.flatMap(({ id, drafts, questions }) =>
        questions.list().map((one) => ({ ...one, run: id, atMs: drafts[one.id - 1]?.atMs ?? 0 })),
      )
      const listed = open
        .filter((one) => wanted === undefined || one.for === wanted)
        .sort((a, b) => a.atMs - b.atMs)
      const page = listed.slice(offset).slice(0, limit)
      return page.map(({ run, id, path, name }) => ({ run, id, path, name }))
    },
    pending: (id) => [...find(id).inbox],
    delete(id) {
      const run = find(id)
      if (run.owned) throw runLocked(id, 'this process')
      remove(run)
    },
    // What nobody refers to any more is the garbage collector's.
    sweep: () => [],
    compact: () => 0,
    backup() {
      throw new ThinkonError('BAD_INPUT', 'a store in memory has no backup: export its runs, or use a file')
    },
    import({ id, goal, strategy, createdMs, forkOf, inbox }) {
      if (runs.has(id)) throw runExists(id)
      const drafts: Draft[] = []
      return {
        append: (more) => void drafts.push(...more),
        commit() {
          const made = create({ id, goal, strategy }, forkOf, createdMs)
          made.owned = false
          for (const signal of inbox) receive(made, signal)
          for (const draft of drafts) addEvent(made, draft)
          for (const { path, name } of made.inbox) made.questions.close(path, name)
          events += drafts.length
          noteEnd(made)
        },
        abort() {},
      }
    },
    origin(id) {
      find(id)
      return 'own'
    },
    version: () => version,
    close() {},
  }
}

function receive(run: MemoryRun, signal: Signal): void {
  run.inbox.push(signal)
  const key = `${signal.path} ${signal.name}`
  run.numbers.set(key, Math.max(signal.number, run.numbers.get(key) ?? 0))
}

function hasEnded({ drafts }: MemoryRun): boolean {
  return drafts.at(-1)?.type === 'run-end'
}

function forgottenRun(id: string, maxEvents: number): ThinkonError {
  return new ThinkonError(
    'UNKNOWN_RUN',
    `run "${id}" has ended and was forgotten: a store in memory keeps ${maxEvents.toLocaleString('en')} events; use a file to keep all runs`,
    { data: { run: id, forgotten: true } },
  )
}

function addEvent(run: MemoryRun, draft: Draft): void {
  run.drafts.push(draft)
  run.questions.follow(draft, run.drafts.length)
  if (run.inbox.length > 0) takeFromInbox(run, draft)
}

function takeFromInbox(run: MemoryRun, draft: Draft): void {
  if (draft.type !== 'signal-taken' && draft.type !== 'signal-answered') return
  const path = draft.type === 'signal-taken' ? draft.to : draft.path
  const index = run.inbox.findIndex(
    (s) => s.path === path && s.name === draft.name && s.number === draft.number,
  )
  if (index !== -1) run.inbox.splice(index, 1)
}

function eventOf(run: string, seq: number, draft: Draft): Event {
  const { atMs, path, ...body } = draft
  return { seq, ts: new Date(atMs).toISOString(), run, path, ...body } as Event
}

function rowOf(run: MemoryRun): RunRow {
  const last = run.drafts.at(-1)
  return {
    id: run.id,
    goal: run.goal,
    strategy: run.strategy,
    ...standingOf((last && statusAfter(last)) ?? 'running', run.owned, run.questions.asks),
    seq: run.drafts.length,
    createdAt: new Date(run.createdMs).toISOString(),
    changedAt: new Date(last?.atMs ?? run.createdMs).toISOString(),
    forkOf: run.forkOf,
    owned: run.owned,
  }
}

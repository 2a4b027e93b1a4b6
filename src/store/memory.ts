/** A store in this process's memory: nothing outlives the process, no other process sees it, an append is done at once. */
import {
  type Draft,
  editEvent,
  type NewRun,
  type RunRow,
  runExists,
  type Store,
  seqOutOfRange,
  statusAfter,
  unknownRun,
} from '../kernel/store.ts'
import { type Event, type Signal, ThinkonError } from '../protocol/index.ts'

interface MemoryRun extends NewRun {
  readonly createdMs: number
  readonly drafts: Draft[]
  readonly inbox: Signal[]
  readonly numbers: Map<string, number>
  epoch: number
  owned: boolean
  forkOf: string | null
  outline: string | null
}

export function memoryStore(): Store {
  const runs = new Map<string, MemoryRun>()
  let version = 0

  function find(id: string): MemoryRun {
    const run = runs.get(id)
    if (run === undefined) throw unknownRun(id)
    return run
  }

  function create(run: NewRun, forkOf: string | null): MemoryRun {
    if (runs.has(run.id)) throw runExists(run.id)
    const made: MemoryRun = {
      ...run,
      createdMs: Date.now(),
      drafts: [],
      inbox: [],
      numbers: new Map(),
      epoch: 1,
      owned: forkOf === null,
      forkOf,
      outline: null,
    }
    runs.set(run.id, made)
    return made
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
      return made.epoch
    },
    acquire(id) {
      const run = find(id)
      if (run.owned) throw new ThinkonError('RUN_LOCKED', `run ${id} is already running in this process`)
      run.owned = true
      return ++run.epoch
    },
    release(id, epoch) {
      const run = find(id)
      if (run.epoch === epoch) run.owned = false
    },
    append(id, epoch, drafts) {
      const run = find(id)
      if (run.epoch !== epoch) throw new ThinkonError('OWNERSHIP_LOST', `run ${id} was taken over`)
      const first = run.drafts.length + 1
      for (const draft of drafts) {
        run.drafts.push(draft)
        if (run.inbox.length > 0) takeFromInbox(run, draft)
      }
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
    row: (id) => rowOf(find(id)),
    list: () => [...runs.values()].map(rowOf).reverse(),
    fork(id, at, newId, edit) {
      const run = find(id)
      const last = run.drafts[at - 1]
      if (last === undefined) throw seqOutOfRange(id, at, run.drafts.length)
      const edited = edit === undefined ? last : draftOf(editEvent(eventOf(id, at, last), edit))
      const made = create({ id: newId, goal: run.goal, strategy: run.strategy }, id)
      made.drafts.push(...run.drafts.slice(0, at - 1), edited)
      const fork = { type: 'run-fork' as const, from: id, at, edited: edit !== undefined }
      made.drafts.push({ ...fork, path: '1', atMs: Math.max(Date.now(), edited.atMs) })
    },
    send(id, path, name, value) {
      const run = find(id)
      const key = `${path} ${name}`
      const number = (run.numbers.get(key) ?? 0) + 1
      run.numbers.set(key, number)
      const signal = { path, name, number, value: value ?? null }
      run.inbox.push(signal)
      version++
      return signal
    },
    pending: (id) => [...find(id).inbox],
    version: () => version,
    close() {},
  }
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

function draftOf(event: Event): Draft {
  const { seq: _seq, ts, run: _run, ...body } = event
  return { ...body, atMs: Date.parse(ts) } as Draft
}

function rowOf(run: MemoryRun): RunRow {
  const last = run.drafts.at(-1)
  return {
    id: run.id,
    goal: run.goal,
    strategy: run.strategy,
    status: (last && statusAfter(last)) ?? 'running',
    seq: run.drafts.length,
    createdAt: new Date(run.createdMs).toISOString(),
    changedAt: new Date(last?.atMs ?? run.createdMs).toISOString(),
    forkOf: run.forkOf,
    owned: run.owned,
  }
}

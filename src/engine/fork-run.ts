/** Forks a run, or redoes a block of it: in a fork if the run has ended. */
import { type Draft, draftOf, type Events, eventAt } from '../kernel/store.ts'
import { whenFree } from '../kernel/when-free.ts'
import {
  type Event,
  type EventOf,
  type ForkEdit,
  type ForkRedo,
  type LostStep,
  parentPath,
  ROOT_PATH,
  type RunState,
  ThinkonError,
} from '../protocol/index.ts'
import type { ForkOptions } from './api.ts'
import { newRunId, raisableLimits } from './input.ts'
import { type EngineParts, stateOf } from './parts.ts'
import { planRedo, type RedoPlan } from './plan-redo.ts'
import { rootRuns } from './send-signal.ts'

/** Makes a new run that shares the journal up to event `at`; returns its id. */
export async function forkRun(
  parts: EngineParts,
  id: string,
  at: number,
  edit: ForkEdit | undefined,
  { toResume, strict, budget }: ForkOptions = {},
): Promise<string> {
  const { store, clock, host } = parts
  const { outcome } = await stateOf(parts, id)
  const event = await eventAt(store, id, at)
  const isRootEnd = event?.type === 'block-end' && event.path === ROOT_PATH && outcome !== null
  if (event?.type === 'run-end' || isRootEnd)
    throw new ThinkonError('BAD_INPUT', `run ${id} has ended by event ${at}: fork at an earlier one`)
  if (toResume || strict)
    await host.check(
      id,
      { strict, budget: budget && raisableLimits(budget) },
      again(() => store.read(id, 1, at)),
    )
  const forked = newRunId(clock.nowMs())
  await whenFree(() => store.fork(id, at, forked, edit))
  return forked
}

/** Solves a block again; returns the run in which that happens. */
export async function redoBlock(
  parts: EngineParts,
  id: string,
  path: string,
  message: string,
  { toResume, strict, budget }: ForkOptions = {},
): Promise<string> {
  const { host, store, clock } = parts
  const state = await stateOf(parts, id)
  if (state.outcome === null) {
    checkRedo(state, id, path)
    await host.signal(id, path, 'redo', message)
    return id
  }
  const plan = await planRedo(store.read(id), path)
  const forked = newRunId(clock.nowMs())
  if (toResume || strict)
    await host.check(
      id,
      { strict, budget: budget && raisableLimits(budget) },
      again(() => keptEvents(store.read(id), plan, message)),
    )
  await importFork(parts, id, forked, plan, { path, message, ...(plan.anew && { anew: true }) })
  // A block without an end is redone like one that is running.
  if (!plan.anew && plan.end === null) await host.signal(forked, path, 'redo', message)
  return forked
}

/** Events that are read anew each time they are iterated. */
function again(read: () => Events): AsyncIterable<Event> {
  return {
    async *[Symbol.asyncIterator]() {
      yield* read()
    },
  }
}

/** Writes the events that are kept as a new run. */
async function importFork(
  { store, clock }: EngineParts,
  id: string,
  made: string,
  plan: RedoPlan,
  redo: ForkRedo,
): Promise<void> {
  const { goal, strategy } = await store.row(id)
  const nowMs = clock.nowMs()
  const writing = await store.import({
    id: made,
    goal,
    strategy,
    createdMs: nowMs,
    forkOf: id,
    inbox: [],
    takenFrom: id,
  })
  try {
    let last: Event | null = null
    let batch: Draft[] = []
    for await (const event of keptEvents(store.read(id), plan, redo.message)) {
      last = event
      batch.push(draftOf(event))
      if (batch.length < BATCH) continue
      await writing.append(batch)
      batch = []
    }
    const { seq = 0, ts = '' } = last ?? {}
    const atMs = Math.max(nowMs, Date.parse(ts))
    await writing.append([
      ...batch,
      { type: 'run-fork', from: id, at: seq, edited: false, redo, path: ROOT_PATH, atMs },
    ])
    await writing.commit()
  } catch (error) {
    await writing.abort()
    throw error
  }
}

/** How many events are written at a time. */
const BATCH = 500

async function* keptEvents(events: Events, plan: RedoPlan, message: string): AsyncGenerator<Event> {
  for await (const event of events) {
    if (!plan.keeps(event)) continue
    if (event.type === 'run-resume' && event.lost !== undefined) yield withoutCut(event, event.lost, plan)
    else if (event.type === 'block-end') yield withRedo(event, plan, message)
    else yield event
  }
}

function withRedo(event: EventOf<'block-end'>, plan: RedoPlan, message: string): Event {
  if (event.seq === plan.end) return { ...event, redo: { message } }
  return event.redo === undefined ? event : { ...event, redo: { message: plan.messageFor(event.path) } }
}

/** What was charged for a step that is not kept is not kept either. */
function withoutCut(event: EventOf<'run-resume'>, lost: readonly LostStep[], plan: RedoPlan): Event {
  const { lost: _, ...rest } = event
  const kept = lost.filter(({ path, n }) => plan.keepsOperation(path, n))
  return kept.length === 0 ? rest : { ...rest, lost: kept }
}

/** In a run that has not ended, a redo is done by the block's parent, which must be running. */
function checkRedo({ blocks }: RunState, id: string, path: string): void {
  const parent = blocks.get(parentPath(path) ?? '')
  if (path === ROOT_PATH) throw rootRuns(id)
  if (parent === undefined) throw new ThinkonError('BAD_INPUT', `there is no block ${path} in run ${id}`)
  if (parent.outcome !== null) {
    throw new ThinkonError(
      'BAD_INPUT',
      `block ${parent.path} has ended, so ${path} can't be redone in it: redo ${parent.path}`,
    )
  }
}

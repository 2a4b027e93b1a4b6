/** Forks a run, or redoes a block of it: in a fork if the run has ended. */
import { type Event, parentPath, ROOT_PATH, type RunState, ThinkonError } from '../protocol/index.ts'
import type { ForkOptions } from './api.ts'
import { newRunId } from './input.ts'
import { type EngineParts, stateOf } from './parts.ts'

/** Makes a new run that shares the journal up to event `at`; returns its id. */
export async function forkRun(
  parts: EngineParts,
  id: string,
  at: number,
  edit: Record<string, unknown> | undefined,
  { toResume }: ForkOptions = {},
): Promise<string> {
  const { store, clock, host } = parts
  const { outcome } = stateOf(parts, id)
  const [event] = store.read(id, at, at)
  const isRootEnd = event?.type === 'block-end' && event.path === ROOT_PATH && outcome !== null
  if (event?.type === 'run-end' || isRootEnd)
    throw new ThinkonError('BAD_INPUT', `run ${id} has ended by event ${at}: fork at an earlier one`)
  if (toResume) await host.check(id, at)
  const forked = newRunId(clock.nowMs())
  store.fork(id, at, forked, edit)
  return forked
}

/** Solves a block again; returns the run in which that happens. */
export async function redoBlock(
  parts: EngineParts,
  id: string,
  path: string,
  message: string,
  { toResume }: ForkOptions = {},
): Promise<string> {
  const { host, store, clock } = parts
  const state = stateOf(parts, id)
  if (state.outcome === null) {
    checkRedo(state, id, path)
    await host.signal(id, path, 'redo', message)
    return id
  }
  const at = lastStart(store.read(id), path) - 1
  if (toResume) await host.check(id, at)
  const forked = newRunId(clock.nowMs())
  store.fork(id, at, forked)
  if (message !== '') await host.signal(forked, path, 'message', message)
  return forked
}

/** In a run that has not ended, a redo is done by the block's parent, which must be running. */
function checkRedo({ blocks }: RunState, id: string, path: string): void {
  const parent = blocks.get(parentPath(path) ?? '')
  if (path === ROOT_PATH)
    throw new ThinkonError('BAD_INPUT', `run ${id} is still running: cancel it, then redo ${ROOT_PATH}`)
  if (parent === undefined) throw new ThinkonError('BAD_INPUT', `there is no block ${path} in run ${id}`)
  if (parent.outcome !== null) {
    throw new ThinkonError(
      'BAD_INPUT',
      `block ${parent.path} has ended, so ${path} can't be redone in it: redo ${parent.path}`,
    )
  }
}

/** The seq of the block's start. */
function lastStart(events: Iterable<Event>, path: string): number {
  let found = 0
  for (const event of events) if (event.type === 'block-start' && event.path === path) found = event.seq
  if (found === 0) throw new ThinkonError('BAD_INPUT', `there is no block ${path} in this run`)
  return found
}

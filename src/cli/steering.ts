/** Shared by the commands that steer a run from outside: finding the block, and reporting what happens next. */
import type { RunRow } from '../kernel/store.ts'
import {
  type BlockState,
  goalTitle,
  isPath,
  parentPath,
  placeOf,
  ROOT_PATH,
  type RunState,
} from '../protocol/index.ts'
import type { CommandCall } from './command.ts'
import { badInput } from './options.ts'
import { type Session, withRun } from './session.ts'

export interface Target {
  session: Session
  row: RunRow
  state: RunState
  block: BlockState
}

/** The run and the block that the first two arguments name. */
export function withBlock<T>(
  { name, values, args }: CommandCall,
  use: (target: Target) => Promise<T>,
): Promise<T> {
  const [run = '', path] = args
  if (path === undefined) throw badInput(`thinkon ${name} needs <run> <path>; see thinkon ${name} --help`)
  if (!isPath(path))
    throw badInput(`"${path}" is not a path: 1 is the root, 1-2 its second child, 1-2#2 a second attempt`)
  return withRun(values, run, async (session, row) => {
    const { engine } = session
    const open = await engine.outline(row.id)
    // A block inside one that has ended is not in the outline.
    const state = open.blocks.has(path) ? open : await engine.state(row.id)
    const block = state.blocks.get(path)
    if (block === undefined) throw noSuchBlock(state, path)
    return use({ session, row, state, block })
  })
}

export function refuseEndedRun({ state, row, session }: Pick<Target, 'state' | 'row' | 'session'>): void {
  if (state.outcome === null) return
  throw badInput(
    `run ${row.id} has ended (${state.outcome.status}) and can't be steered; ` +
      `to redo a part of it: ${session.hint(`redo ${row.id} <path>`)}`,
  )
}

/** An ended block can't be steered; the error says what can be done instead. */
export function refuseEndedBlock({ state, row, session, block }: Target): void {
  if (block.outcome === null) return
  const latest = latestAttempt(state, block.path)
  const open =
    latest.outcome === null && latest !== block ? `; its latest attempt ${latest.path} is still running` : ''
  const redo =
    block.path === ROOT_PATH || open !== ''
      ? ''
      : `; to redo it: ${session.hint(`redo ${row.id} ${block.path}`)}`
  throw badInput(`block ${block.path} has ended (${block.outcome.status})${open}${redo}`)
}

/** When a signal takes effect: at once if a process works on the run, otherwise when the run is resumed. */
function whenText({ row, session }: Pick<Target, 'row' | 'session'>): string {
  if (row.owned) return `see: ${session.hint(`show ${row.id}`)}`
  return `nothing is working on this run; it takes effect on resume: ${session.hint(`resume ${row.id}`)}`
}

/** Reports a signal that was sent: one line for people, one object for programs. */
export function reportSignal(
  { out }: CommandCall,
  target: Target,
  name: string,
  value: unknown,
  text: string,
): void {
  const { row, block } = target
  if (out.json) out.data({ type: 'signal', run: row.id, path: block.path, name, value, running: row.owned })
  else out.print(`${text}; ${whenText(target)}`)
}

export function latestAttempt(state: RunState, path: string): BlockState {
  const place = placeOf(path)
  let latest = state.blocks.get(path) as BlockState
  for (const block of state.blocks.values()) if (placeOf(block.path) === place) latest = block
  return latest
}

function noSuchBlock(state: RunState, path: string): Error {
  const near = nearPaths(state, path)
  const list = near.map((one) => `${one} "${goalTitle(state.blocks.get(one)?.goal ?? '', 40)}"`).join(', ')
  return badInput(`run ${state.run} has no block ${path}; near it: ${list || 'none'}`, { path, near })
}

/** The nearest existing ancestor and its children. */
function nearPaths(state: RunState, path: string): string[] {
  for (let up = parentPath(path); up !== null; up = parentPath(up)) {
    const parent = state.blocks.get(up)
    if (parent !== undefined) return [up, ...parent.children].slice(0, 6)
  }
  return [...state.blocks.keys()].slice(0, 6)
}

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
import type { Lang } from '../views/words.ts'
import type { CommandCall } from './command.ts'
import { commandWords } from './command-words.ts'
import { badInput } from './options.ts'
import { langFor, type Session, withRun } from './session.ts'

export interface Target {
  session: Session
  row: RunRow
  state: RunState
  block: BlockState
  /** In which the run is talked about. */
  lang: Lang
}

/** The run and the block that the first two arguments name. */
export function withBlock<T>(
  { name, values, args, out }: CommandCall,
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
    const lang = langFor(values, session, state.goal)
    out.lang = lang
    if (block === undefined) throw noSuchBlock(state, path, lang)
    return use({ session, row, state, block, lang })
  })
}

export function refuseEndedRun({ state, row, session, lang }: Target): void {
  if (state.outcome === null) return
  const redo = session.hint(`redo ${row.id} <path>`)
  throw badInput(commandWords(lang).notSteered(row.id, state.outcome.status, redo))
}

/** An ended block can't be steered; the error says what can be done instead. */
export function refuseEndedBlock({ state, row, session, block, lang }: Target): void {
  if (block.outcome === null) return
  const latest = latestAttempt(state, block.path)
  const open = latest.outcome === null && latest !== block ? latest.path : null
  const redo = block.path === ROOT_PATH || open !== null ? null : session.hint(`redo ${row.id} ${block.path}`)
  throw badInput(commandWords(lang).blockEnded(block.path, block.outcome.status, open, redo))
}

/** When a signal takes effect: at once if a process works on the run, otherwise when the run is resumed. */
export function whenText({ row, session, lang }: Pick<Target, 'row' | 'session' | 'lang'>): string {
  const words = commandWords(lang)
  if (row.owned) return words.see(session.hint(`show ${row.id}`))
  return words.onResume(session.hint(`resume ${row.id}`))
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
  else out.print(commandWords(target.lang).followed(text, whenText(target)))
}

export function latestAttempt(state: RunState, path: string): BlockState {
  const place = placeOf(path)
  let latest = state.blocks.get(path) as BlockState
  for (const block of state.blocks.values()) if (placeOf(block.path) === place) latest = block
  return latest
}

function noSuchBlock(state: RunState, path: string, lang: Lang): Error {
  const near = nearPaths(state, path)
  const list = near.map((one) => `${one} "${goalTitle(state.blocks.get(one)?.goal ?? '', 40)}"`).join(', ')
  return badInput(commandWords(lang).noBlock(state.run, path, list), { path, near })
}

/** The nearest existing ancestor and its children. */
function nearPaths(state: RunState, path: string): string[] {
  for (let up = parentPath(path); up !== null; up = parentPath(up)) {
    const parent = state.blocks.get(up)
    if (parent !== undefined) return [up, ...parent.children].slice(0, 6)
  }
  return [...state.blocks.keys()].slice(0, 6)
}

/** Signals to the blocks of a run. */
import { requireRecordable } from '../kernel/recorded-value.ts'
import { redactDeep } from '../models/secrets.ts'
import {
  type BlockState,
  CONTROL_SIGNALS,
  goalTitle,
  isControlSignal,
  isInside,
  parentPath,
  ROOT_PATH,
  type RunState,
  ThinkonError,
} from '../protocol/index.ts'
import { strategyName } from '../views/block-views.ts'
import { type EngineParts, openStateOf, stateOf } from './parts.ts'

/**
 * Throws BAD_INPUT for an unknown block, and for a name that the block's strategy neither declares nor waits for. A message to a block is
 * also sent to the running blocks below it, where the work is done.
 */
export async function sendSignal(
  parts: EngineParts,
  id: string,
  path: string,
  name: string,
  given: unknown,
): Promise<void> {
  const state = await openStateOf(parts, id)
  if (!isControlSignal(name) || !takesControl(state, path)) {
    // A block inside one that has ended is not in the state of what is open.
    const whole = hasBlock(state, path) ? state : await stateOf(parts, id)
    requireBlock(whole, path)
    requireName(parts, whole, path, name)
  }
  if (name === 'redo' && path === ROOT_PATH && state.outcome === null) throw rootRuns(id)
  const value = requireRecordable(redactDeep(given), `the signal ${name}`)
  await parts.host.signal(id, path, name, value)
  if (name !== 'message') return
  for (const block of state.blocks.values()) {
    if (block.outcome === null && block.path !== path && isInside(block.path, path))
      await parts.host.signal(id, block.path, name, value)
  }
}

/** A redo is done by the parent of a block, and the root has none. */
export function rootRuns(id: string): ThinkonError {
  const message = `run ${id} is still running: cancel it, then redo ${ROOT_PATH}`
  return new ThinkonError('BAD_INPUT', message, { data: { run: id } })
}

/** Also a child whose turn has not come yet: its parent has called it. */
function takesControl(state: RunState, path: string): boolean {
  const parent = state.blocks.get(parentPath(path) ?? '')
  return hasBlock(state, path) || parent?.outcome === null
}

/** The root is there before its start is recorded. */
function hasBlock({ blocks }: RunState, path: string): boolean {
  return path === ROOT_PATH || blocks.has(path)
}

function requireBlock(state: RunState, path: string): void {
  if (hasBlock(state, path)) return
  const { run, blocks } = state
  const some = [...blocks.values()].slice(0, 8).map((one) => `${one.path} "${goalTitle(one.goal, 40)}"`)
  const more = blocks.size > 8 ? ', …' : ''
  throw new ThinkonError(
    'BAD_INPUT',
    `run ${run} has no block ${path}; there are: ${some.join(', ')}${more}`,
    {
      data: { run, path },
    },
  )
}

function requireName({ strategies }: EngineParts, state: RunState, path: string, name: string): void {
  if (isControlSignal(name)) return
  const block: BlockState | undefined = state.blocks.get(path)
  const strategy = strategyName(block?.strategy ?? state.strategy)
  const names = new Set([...(strategies.get(strategy)?.signals ?? []), ...(block?.listens ?? [])])
  if (names.has(name)) return
  const allowed = [...CONTROL_SIGNALS, ...names]
  const isQuestion = block?.questions.some((question) => question.name === name) === true
  const hint = isQuestion ? '; a question is answered by its id, with answer' : ''
  throw new ThinkonError(
    'BAD_INPUT',
    `block ${path} of run ${state.run} takes no signal "${name}", only ${allowed.join(', ')}${hint}`,
    { data: { run: state.run, path, name, allowed } },
  )
}

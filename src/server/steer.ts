/** The block that a request to steer a run names, for every front door. */
import type { Engine } from '../engine/api.ts'
import { type BlockState, goalTitle, isPath, type RunState, ThinkonError } from '../protocol/index.ts'

export interface BlockTarget {
  readonly state: RunState
  readonly block: BlockState
}

/** Throws BAD_INPUT if there is no such block. */
export async function blockAt(engine: Engine, run: string, path: string): Promise<BlockTarget> {
  if (!isPath(path)) throw badInput(`"${path}" is not a path: 1 is the root, 1-2 its second child`, { path })
  const open = await engine.outline(run)
  // A block inside one that has ended is not in the outline.
  const state = open.blocks.has(path) ? open : await engine.state(run)
  const block = state.blocks.get(path)
  if (block !== undefined) return { state, block }
  const some = [...state.blocks.values()].slice(0, 8).map((one) => `${one.path} "${goalTitle(one.goal, 40)}"`)
  throw badInput(
    `run ${run} has no block ${path}; there are: ${some.join(', ')}${state.blocks.size > 8 ? ', …' : ''}`,
    { path },
  )
}

/** Throws BAD_INPUT, a conflict, if the block or its run has ended: nothing can be told to it any more. */
export async function openBlock(engine: Engine, run: string, path: string): Promise<BlockTarget> {
  const found = await blockAt(engine, run, path)
  const { state, block } = found
  if (state.outcome !== null)
    throw conflict(
      `run ${run} has ended (${state.outcome.status}); redo solves a block of it again in a fork`,
      run,
    )
  if (block.outcome !== null)
    throw conflict(`block ${path} has ended (${block.outcome.status}); redo solves it again`, run)
  return found
}

function badInput(message: string, data: Record<string, unknown>): ThinkonError {
  return new ThinkonError('BAD_INPUT', message, { data })
}

function conflict(message: string, run: string): ThinkonError {
  return badInput(message, { run, conflict: true })
}

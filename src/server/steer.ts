/** What a person does to a run, for every front door: the block and the question that are meant, or what is wrong with what was said. */
import type { Engine } from '../engine/api.ts'
import {
  type BlockState,
  goalTitle,
  isPath,
  type OpenQuestion,
  type RunState,
  ThinkonError,
} from '../protocol/index.ts'
import { openQuestions, pickChoice, refusalText } from '../views/questions.ts'
import { cleanLine } from '../views/text-width.ts'
import { langOf } from '../views/words.ts'

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

/**
 * The open question of this block and name, or the only one there is. Of several with one name, as a strategy may ask them, it is the
 * oldest: that is the one which takes the next answer of that name.
 */
export function questionFor(
  state: RunState,
  path?: string,
  name?: string,
): readonly [path: string, open: OpenQuestion] {
  const all = [...openQuestions(state)]
  const fitting = all.filter(
    ([at, open]) => (path === undefined || at === path) && (name === undefined || open.name === name),
  )
  const [first] = fitting
  const isOneName = fitting.every(([at, open]) => at === first?.[0] && open.name === first[1].name)
  if (first !== undefined && isOneName) return first
  if (all.length === 0)
    throw conflict(`run ${state.run} has no open question: it is ${state.status}`, state.run)
  const listed = all
    .map(([at, { name, question }]) => `block ${at}, name "${name}": ${cleanLine(question?.text ?? '', 80)}`)
    .join('; ')
  throw badInput(
    fitting.length === 0
      ? `there is no such question; open are: ${listed}`
      : `which question? Open are: ${listed}`,
    { run: state.run },
  )
}

/** A text is one of the question's choices, its number or its beginning; other values are for questions without choices. */
export function answerTo(open: OpenQuestion, given: unknown, state: RunState): unknown {
  if (typeof given !== 'string') {
    if (open.question?.choices === undefined) return given
    throw badInput('the answer must be a text: one of the choices', { choices: open.question.choices })
  }
  const value = pickChoice(open, given)
  if (value !== undefined) return value
  throw badInput(refusalText(open, given, langOf(state.goal)), { choices: open.question?.choices ?? [] })
}

function badInput(message: string, data: Record<string, unknown>): ThinkonError {
  return new ThinkonError('BAD_INPUT', message, { data })
}

function conflict(message: string, run: string): ThinkonError {
  return badInput(message, { run, conflict: true })
}

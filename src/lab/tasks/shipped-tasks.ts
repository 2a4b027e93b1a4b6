/** The tasks that ship: made by chance, the same for the same seed. */

import { seededRandom } from '../../kernel/random.ts'
import { ThinkonError } from '../../protocol/index.ts'
import type { Random } from '../chance.ts'
import { DEPTHS, drawExpression } from './expressions.ts'
import { drawLogic, LOGIC_KINDS } from './logic.ts'
import { drawPuzzle } from './puzzles.ts'
import type { Drawn, Split, Task } from './task.ts'
import { drawWordProblem } from './word-problems.ts'

interface TaskSet {
  readonly summary: string
  /** The option that says which of them are drawn, as `depth=6`; all in turn without it. */
  readonly option?: { readonly name: string; readonly values: readonly (string | number)[] }
  draw(random: Random, value: string | number | undefined, wanted: Split): Drawn | null
}

export const TASK_SETS: Readonly<Record<string, TaskSet>> = {
  expressions: {
    summary: 'nested arithmetic, as deep as depth=1 to 6',
    option: { name: 'depth', values: DEPTHS },
    draw: (random, depth) => drawExpression(random, Number(depth)),
  },
  puzzles: {
    summary: 'four numbers that reach a target: target=24',
    option: { name: 'target', values: [24] },
    draw: (random, target, wanted) => drawPuzzle(random, Number(target), wanted),
  },
  words: {
    summary: 'short word problems in English and Chinese',
    draw: (random) => drawWordProblem(random),
  },
  logic: {
    summary: 'who stands where (kind=order), who tells the truth (kind=truth), in English and Chinese',
    option: { name: 'kind', values: LOGIC_KINDS },
    draw: (random, kind) => drawLogic(random, kind as 'order'),
  },
}

export interface TaskChoice {
  readonly set: string
  readonly options: Readonly<Record<string, unknown>>
  readonly count: number
  readonly seed: string
  readonly split: Split
}

/** Draws that may come to nothing new before a set counts as exhausted. */
const MOST_DRAWS = 20_000

/** So many different tasks, in turn of each kind that the set has. */
export function shippedTasks({ set, options, count, seed, split }: TaskChoice): Task[] {
  const { draw, option } = TASK_SETS[set] as TaskSet
  const values = valuesOf(set, options)
  const random = seededRandom(`lab/${set}/${values.join()}/${split}/${seed}`)
  const found = new Map<string, Task>()
  for (let draws = 0; found.size < count; draws++) {
    if (draws > MOST_DRAWS)
      throw badTasks(`there are only ${found.size} ${split} tasks of ${set}; ${count} were asked for`)
    const drawn = draw(random, option && values[found.size % values.length], split)
    if (drawn === null || found.has(drawn.goal)) continue
    const { split: of, ...task } = drawn
    if (of !== 'both' && of !== split) continue
    found.set(task.goal, { id: `${set}-${found.size + 1}`, ...task, group: `${set}, ${task.group}` })
    draws = 0
  }
  return [...found.values()]
}

/** Of a target any whole number will do; of the others those that are listed. */
function valuesOf(set: string, options: TaskChoice['options']): readonly (string | number)[] {
  const { option } = TASK_SETS[set] as TaskSet
  const stray = Object.keys(options).find((name) => name !== option?.name)
  if (stray !== undefined)
    throw badTasks(`${set} has ${option ? `the option ${option.name} only` : 'no options'}, not "${stray}"`)
  const given = option && options[option.name]
  if (option === undefined || given === undefined) return option?.values ?? []
  const isKnown =
    option.name === 'target'
      ? Number.isSafeInteger(given) && (given as number) > 0
      : option.values.includes(given as string)
  if (isKnown) return [given as string]
  throw badTasks(`${option.name} of ${set} is one of ${option.values.join(', ')}, not "${given}"`)
}

export function badTasks(message: string): ThinkonError {
  return new ThinkonError('BAD_INPUT', message)
}

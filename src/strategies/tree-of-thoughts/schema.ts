/** The strategy's options, and what each type of task begins with. */
import { ThinkonError } from '../../protocol/index.ts'
import { type OptionRule, readOptions } from '../read-options.ts'
import { SEARCH_STRATEGIES, type SearchStrategy, TASK_TYPES, type TaskType } from './protocol.ts'

export type Generation = 'independent_sampling' | 'sequential_proposal'
export type EvaluationStrategy = 'independent_scoring' | 'comparative_voting'

export interface TotOptions {
  /** What is left out comes from the task's type. */
  search?: SearchStrategy
  depth?: number
  /** How many candidates are asked for per parent. */
  branching?: number
  /** How many survive a layer. */
  beam?: number
  threshold?: number
  generation?: Generation
  evaluation?: EvaluationStrategy
  task_type: TaskType | 'auto'
  /** Where the log folder is made; read by the view that writes it. */
  logs?: string
  selection: 'greedy' | 'sampled'
  /** Thoughts that reach the same state are expanded and evaluated once. */
  merge: boolean
  /** A value is remembered by the state it was given to. */
  remember: boolean
  /** Which answers are checked by program: every one, those that survive the last layer, or only the final one. */
  verify: 'all' | 'survivors' | false
  /** States of arithmetic are worked out from the operation, and wrong arithmetic is dropped. */
  recompute: boolean
  /** How many parents are expanded at once; all of a layer unless given. */
  concurrency?: number
  /** How often one thought is scored. */
  samples: number
  votes: number
  /** Searches once more, twice as wide, when nothing was found. */
  widen: boolean
  max_nodes: number
  /** Of Monte Carlo tree search. */
  iterations: number
  exploration: number
  /** The strategy that solves thoughts which take work of their own, tools included. */
  solver: string
  /** Thoughts come from blocks of this strategy instead of a generator. */
  generator?: { readonly strategy: string; readonly options?: Readonly<Record<string, unknown>> }
}

const RULES: Readonly<Record<keyof TotOptions, OptionRule>> = {
  search: { type: 'choice', choices: SEARCH_STRATEGIES },
  depth: { type: 'whole', least: 1, most: 100 },
  branching: { type: 'whole', least: 1, most: 1_000 },
  beam: { type: 'whole', least: 1, most: 1_000 },
  threshold: { type: 'number', least: 0, most: 10 },
  generation: { type: 'choice', choices: ['independent_sampling', 'sequential_proposal'] },
  evaluation: { type: 'choice', choices: ['independent_scoring', 'comparative_voting'] },
  task_type: { type: 'choice', choices: ['auto', ...TASK_TYPES], fallback: 'auto' },
  logs: { type: 'text' },
  selection: { type: 'choice', choices: ['greedy', 'sampled'], fallback: 'greedy' },
  merge: { type: 'switch', fallback: true },
  remember: { type: 'switch', fallback: true },
  verify: { type: 'own', check: checkVerify, fallback: 'all' },
  recompute: { type: 'switch', fallback: true },
  concurrency: { type: 'whole', least: 1 },
  samples: { type: 'whole', least: 1, most: 100, fallback: 1 },
  votes: { type: 'whole', least: 1, most: 100, fallback: 1 },
  widen: { type: 'switch', fallback: true },
  max_nodes: { type: 'whole', least: 1, fallback: 1_000 },
  iterations: { type: 'whole', least: 1, fallback: 40 },
  exploration: { type: 'number', least: 0, fallback: 1.4 },
  solver: { type: 'text', fallback: 'fractal' },
  generator: { type: 'own', check: checkGenerator },
}

export function checkOptions(name: string, given: Readonly<Record<string, unknown>>): TotOptions {
  return readOptions(name, RULES, given)
}

export interface TaskDefaults {
  readonly granularity: string
  readonly search: SearchStrategy
  readonly depth: number
  /** The Decomposer's estimate is kept within it; the document has none for debugging. */
  readonly range: readonly [number, number]
  readonly branching: number
  readonly threshold: number
  readonly generation: Generation
  readonly evaluation: EvaluationStrategy
}

/** The document's table, with the numbers it leaves open. */
export const TASKS: Readonly<Record<TaskType, TaskDefaults>> = {
  math_reasoning: {
    granularity: 'equation',
    search: 'BFS',
    depth: 3,
    range: [3, 4],
    branching: 5,
    threshold: 5,
    generation: 'sequential_proposal',
    evaluation: 'independent_scoring',
  },
  creative_writing: {
    granularity: 'paragraph',
    search: 'BFS',
    depth: 2,
    range: [2, 3],
    branching: 4,
    threshold: 6,
    generation: 'independent_sampling',
    evaluation: 'comparative_voting',
  },
  planning: {
    granularity: 'action_step',
    search: 'DFS',
    depth: 4,
    range: [3, 5],
    branching: 3,
    threshold: 5.5,
    generation: 'sequential_proposal',
    evaluation: 'independent_scoring',
  },
  architecture_design: {
    granularity: 'component',
    search: 'BFS',
    depth: 2,
    range: [2, 3],
    branching: 4,
    threshold: 6.5,
    generation: 'independent_sampling',
    evaluation: 'comparative_voting',
  },
  debugging: {
    granularity: 'hypothesis',
    search: 'DFS',
    depth: 4,
    range: [1, 8],
    branching: 3,
    threshold: 5,
    generation: 'sequential_proposal',
    evaluation: 'independent_scoring',
  },
}

export const DEFAULT_BEAM = 5

function checkVerify(value: unknown): unknown {
  if (value === 'all' || value === 'survivors' || value === false) return value
  throw new ThinkonError('BAD_INPUT', `verify must be "all", "survivors" or false, not ${String(value)}`)
}

function checkGenerator(value: unknown): unknown {
  const { strategy, options = {} } = (value ?? {}) as { strategy?: unknown; options?: unknown }
  if (typeof strategy === 'string' && typeof options === 'object' && options !== null) return value
  throw new ThinkonError(
    'BAD_INPUT',
    'generator must be {"strategy":"…","options":{…}}; options may be left out',
  )
}

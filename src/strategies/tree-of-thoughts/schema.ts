/** The strategy's options, and what models reply where that is not a message of the protocol. */
import type { Schema } from '../../kernel/schema.ts'
import type { Context } from '../../kernel/strategy.ts'
import { ThinkonError } from '../../protocol/index.ts'
import type { AnyOptions, StrategyName } from '../../protocol/strategy-registry.ts'
import { type JsonSchema, schemaProblem } from '../../schema/check-schema.ts'
import { CHECK_RULE, type CheckOptions } from '../closing/option.ts'
import { type OptionRules, optionsSchema, readOptions } from '../read-options.ts'
import { invalidReply } from '../read-value.ts'
import { anything, object, PAYLOADS, score, share, text } from './messages.ts'
import type { TotNotes } from './notes.ts'
import {
  type Candidate,
  EVALUATION_STRATEGIES,
  type EvaluationStrategy,
  GENERATION_STRATEGIES,
  type GenerationStrategy,
  type NodeEvaluation,
  SEARCH_STRATEGIES,
  type SearchStrategy,
  TASK_TYPES,
  type TaskType,
} from './protocol.ts'

export type TotContext = Context<TotOptions, TotNotes>

export interface TotOptions extends CheckOptions {
  /** How the tree is searched. Default: what suits the type of the task. */
  search?: SearchStrategy
  /** How many thoughts a path has. Default: what the Decomposer estimates, or what suits the type of the task. */
  depth?: number
  /** How many candidates are asked for per parent. Default: what suits the type of the task, 3 to 5. */
  branching?: number
  /** How many survive a layer. Default: 5. */
  beam?: number
  /** Fewer survive where the judges agree which are the best, and more, up to twice as many, where they disagree. Default: false. */
  adaptive: boolean
  /** Thoughts that are scored below it, 0 to 10, are pruned. Default: what suits the type of the task, 5 to 6.5. */
  threshold?: number
  /** How many independent trees there are; their answers are put to a vote. Default: 1. */
  trees: number
  /** Whether candidates are proposed in one call or sampled one by one. Default: what suits the type of the task. */
  generation?: GenerationStrategy
  /** Whether each candidate is scored or all are put to a vote. Default: what suits the type of the task. */
  evaluation?: EvaluationStrategy
  /** What kind of task it is. Default: `auto`, by which the Orchestrator decides. */
  task_type: TaskType | 'auto'
  /** Where the log folder is made, in the workspace; read by the view that writes it. Default: `logs` in the store's folder. */
  log_dir?: string
  /** Whether the best thoughts survive, or thoughts drawn by their scores. Default: `greedy`. */
  selection: 'greedy' | 'sampled'
  /** Thoughts that reach the same state are expanded and evaluated once. Default: true. */
  merge: boolean
  /** A value is remembered by the state it was given to. Default: true. */
  remember: boolean
  /** Which answers are checked by program: `all`, the default, those that survive the last layer, or only the final one (false). */
  verify: 'all' | 'survivors' | false
  /** States of arithmetic are worked out from the operation, and wrong arithmetic is dropped. Default: true. */
  recompute: boolean
  /** How many parents are expanded at once, and how many trees. Default: all. */
  concurrency?: number
  /** How often one thought is scored. Default: 1. */
  samples: number
  /** How many ballots are cast where candidates are compared with each other. Default: 3. */
  votes: number
  /** How many paths that failed are revised, with what was wrong in view. Default: 0. */
  revise: number
  /** Searches once more, twice as wide, when nothing was found. Default: true. */
  widen: boolean
  /** How many thoughts one search may make. Default: 1,000. */
  max_nodes: number
  /** Rounds of a Monte Carlo tree search. Default: 40. */
  iterations: number
  /** How much a Monte Carlo tree search is drawn to what it has seldom tried. Default: 1.4. */
  exploration: number
  /** The strategy that solves thoughts which take work of their own, tools included. Default: `fractal`. */
  solver: StrategyName
  /** Thoughts come from blocks of this strategy instead of a generator. Default: the generator. */
  generator?: { readonly strategy: StrategyName; readonly options?: AnyOptions }
}

/** Thoughts on a path. */
export const MAX_DEPTH = 100

const GENERATOR_SCHEMA = {
  type: 'object',
  properties: { strategy: { type: 'string' }, options: { type: 'object' } },
  required: ['strategy'],
} as const

const RULES: OptionRules<TotOptions> = {
  search: { type: 'choice', choices: SEARCH_STRATEGIES },
  depth: { type: 'whole', least: 1, most: MAX_DEPTH },
  branching: { type: 'whole', least: 1, most: 1_000 },
  beam: { type: 'whole', least: 1, most: 1_000 },
  adaptive: { type: 'switch', fallback: false },
  threshold: { type: 'number', least: 0, most: 10 },
  trees: { type: 'whole', least: 1, most: 100, fallback: 1 },
  generation: {
    type: 'choice',
    choices: GENERATION_STRATEGIES,
    about:
      'whether candidates are proposed in one call or sampled one by one; by the type of task unless given',
  },
  evaluation: {
    type: 'choice',
    choices: EVALUATION_STRATEGIES,
    about: 'whether each candidate is scored or all are put to a vote; by the type of task unless given',
  },
  task_type: { type: 'choice', choices: ['auto', ...TASK_TYPES], fallback: 'auto' },
  log_dir: { type: 'text' },
  selection: {
    type: 'choice',
    choices: ['greedy', 'sampled'],
    fallback: 'greedy',
    about: 'whether the best thoughts survive, or thoughts drawn by their scores',
  },
  merge: {
    type: 'switch',
    fallback: true,
    about: 'thoughts that reach the same state are expanded and evaluated once',
  },
  remember: { type: 'switch', fallback: true, about: 'a state that was evaluated before keeps its score' },
  verify: {
    type: 'own',
    check: checkVerify,
    json: { enum: ['all', 'survivors', false] },
    fallback: 'all',
    about:
      'which answers a program checks: every one, those that survive the last layer, or only the final one (false)',
  },
  recompute: {
    type: 'switch',
    fallback: true,
    about: 'states of arithmetic are worked out by a program, and wrong arithmetic is dropped',
  },
  concurrency: {
    type: 'whole',
    least: 1,
    about: 'how many parents are expanded at once, and how many trees; all unless given',
  },
  samples: { type: 'whole', least: 1, most: 100, fallback: 1, about: 'how often one thought is scored' },
  votes: {
    type: 'whole',
    least: 1,
    most: 100,
    fallback: 3,
    about: 'how many ballots are cast where candidates are compared with each other',
  },
  revise: { type: 'whole', least: 0, most: 1_000, fallback: 0 },
  widen: {
    type: 'switch',
    fallback: true,
    about: 'searches once more, twice as wide, when nothing was found',
  },
  max_nodes: { type: 'whole', least: 1, fallback: 1_000, about: 'how many thoughts one search may make' },
  iterations: { type: 'whole', least: 1, fallback: 40, about: 'rounds of a Monte Carlo tree search' },
  exploration: {
    type: 'number',
    least: 0,
    fallback: 1.4,
    about: 'how much a Monte Carlo tree search is drawn to what it has seldom tried',
  },
  solver: {
    type: 'text',
    fallback: 'fractal',
    about: 'the strategy that solves thoughts which take work of their own, tools included',
  },
  generator: {
    type: 'own',
    check: checkGenerator,
    json: GENERATOR_SCHEMA,
    about: 'thoughts come from blocks of this strategy instead of a generator',
  },
  check: CHECK_RULE,
}

export const OPTIONS_SCHEMA = optionsSchema(RULES)

export function checkOptions(name: string, given: Readonly<Record<string, unknown>>): TotOptions {
  return readOptions(name, RULES, given)
}

function checkVerify(value: unknown): TotOptions['verify'] {
  if (value === 'all' || value === 'survivors' || value === false) return value
  throw new ThinkonError('BAD_INPUT', `verify must be "all", "survivors" or false, not ${String(value)}`)
}

function checkGenerator(value: unknown): NonNullable<TotOptions['generator']> {
  const { strategy, options = {} } = (value ?? {}) as { strategy?: unknown; options?: unknown }
  if (typeof strategy === 'string' && typeof options === 'object' && options !== null)
    return value as NonNullable<TotOptions['generator']>
  throw new ThinkonError(
    'BAD_INPUT',
    'generator must be {"strategy":"…","options":{…}}; options may be left out',
  )
}

/** A value without the thought that it is about. */
export type Value = Omit<NodeEvaluation, 'node_id'>

/** One vote. */
export interface Ballot {
  readonly evaluations: readonly NodeEvaluation[]
  readonly best?: string
}

/** The agent adds `temp_id`. */
export const candidatesSchema = replySchema<{ readonly candidates: readonly Partial<Candidate>[] }>(
  object({
    candidates: {
      type: 'array',
      items: object({ content: text, 'action_type?': text, 'metadata?': anything }),
    },
  }),
)

/** A judge reasons before it scores: what is written first is what the score follows from. */
function judgement(criteria: readonly string[]): Readonly<Record<string, unknown>> {
  const dimensions = {
    type: ['object', 'null'],
    properties: Object.fromEntries(criteria.map((criterion) => [nameOf(criterion), score])),
    additionalProperties: score,
  }
  return {
    reasoning: text,
    ...(criteria.length > 1 ? { 'dimension_scores?': dimensions } : {}),
    score,
    confidence: share,
  }
}

/** "imagery: one image that stays" is named "imagery". */
export function nameOf(criterion: string): string {
  return criterion.split(/[:：]/)[0]?.trim() || criterion
}

export function valueSchema(criteria: readonly string[]): Schema<Value> {
  return replySchema(object(judgement(criteria)))
}

export function voteSchema(criteria: readonly string[]): Schema<Ballot> {
  const items = object({ node_id: text, ...judgement(criteria) })
  return replySchema(object({ evaluations: { type: 'array', items }, 'best?': text }))
}

/** The other paths are the search's to tell, not the Synthesizer's. */
export const solutionSchema: JsonSchema = withoutAlternatives(PAYLOADS.final_solution)

function withoutAlternatives({ properties, ...rest }: JsonSchema): JsonSchema {
  const { alternative_solutions: _, ...asked } = properties as Readonly<Record<string, JsonSchema>>
  return { ...rest, properties: asked }
}

function replySchema<T>(json: JsonSchema): Schema<T> {
  return {
    json,
    check(value) {
      const problem = schemaProblem(value, json)
      if (problem !== undefined) throw invalidReply(problem, value)
      return value as T
    },
  }
}

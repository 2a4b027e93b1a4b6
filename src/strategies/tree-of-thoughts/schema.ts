/** The strategy's options, and what models reply where that is not a message of the protocol. */
import type { Schema } from '../../kernel/schema.ts'
import type { Context } from '../../kernel/strategy.ts'
import { ThinkonError } from '../../protocol/index.ts'
import { type JsonSchema, schemaProblem } from '../../schema/check-schema.ts'
import { CHECK_RULE, type CheckOptions } from '../closing/option.ts'
import { type OptionRule, readOptions } from '../read-options.ts'
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
  /** What is left out comes from the task's type. */
  search?: SearchStrategy
  depth?: number
  /** How many candidates are asked for per parent. */
  branching?: number
  /** How many survive a layer. */
  beam?: number
  /** Fewer survive where the judges agree which are the best, and more, up to twice as many, where they disagree. */
  adaptive: boolean
  threshold?: number
  /** How many independent trees there are; their answers are put to a vote. */
  trees: number
  generation?: GenerationStrategy
  evaluation?: EvaluationStrategy
  task_type: TaskType | 'auto'
  /** Where the log folder is made, in the workspace; read by the view that writes it. `logs` in the store's folder unless given. */
  log_dir?: string
  selection: 'greedy' | 'sampled'
  /** Thoughts that reach the same state are expanded and evaluated once. */
  merge: boolean
  /** A value is remembered by the state it was given to. */
  remember: boolean
  /** Which answers are checked by program: every one, those that survive the last layer, or only the final one. */
  verify: 'all' | 'survivors' | false
  /** States of arithmetic are worked out from the operation, and wrong arithmetic is dropped. */
  recompute: boolean
  /** How many parents are expanded at once, and how many trees; all unless given. */
  concurrency?: number
  /** How often one thought is scored. */
  samples: number
  /** How many ballots are cast where candidates are compared with each other. */
  votes: number
  /** How many paths that failed are revised, with what was wrong in view. */
  revise: number
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

/** Thoughts on a path. */
export const MAX_DEPTH = 100

const RULES: Readonly<Record<keyof TotOptions, OptionRule>> = {
  search: { type: 'choice', choices: SEARCH_STRATEGIES },
  depth: { type: 'whole', least: 1, most: MAX_DEPTH },
  branching: { type: 'whole', least: 1, most: 1_000 },
  beam: { type: 'whole', least: 1, most: 1_000 },
  adaptive: { type: 'switch', fallback: false },
  threshold: { type: 'number', least: 0, most: 10 },
  trees: { type: 'whole', least: 1, most: 100, fallback: 1 },
  generation: { type: 'choice', choices: GENERATION_STRATEGIES },
  evaluation: { type: 'choice', choices: EVALUATION_STRATEGIES },
  task_type: { type: 'choice', choices: ['auto', ...TASK_TYPES], fallback: 'auto' },
  log_dir: { type: 'text' },
  selection: { type: 'choice', choices: ['greedy', 'sampled'], fallback: 'greedy' },
  merge: { type: 'switch', fallback: true },
  remember: { type: 'switch', fallback: true },
  verify: { type: 'own', check: checkVerify, fallback: 'all' },
  recompute: { type: 'switch', fallback: true },
  concurrency: { type: 'whole', least: 1 },
  samples: { type: 'whole', least: 1, most: 100, fallback: 1 },
  votes: { type: 'whole', least: 1, most: 100, fallback: 3 },
  revise: { type: 'whole', least: 0, most: 1_000, fallback: 0 },
  widen: { type: 'switch', fallback: true },
  max_nodes: { type: 'whole', least: 1, fallback: 1_000 },
  iterations: { type: 'whole', least: 1, fallback: 40 },
  exploration: { type: 'number', least: 0, fallback: 1.4 },
  solver: { type: 'text', fallback: 'fractal' },
  generator: { type: 'own', check: checkGenerator },
  check: CHECK_RULE,
}

export function checkOptions(name: string, given: Readonly<Record<string, unknown>>): TotOptions {
  return readOptions(name, RULES, given)
}

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

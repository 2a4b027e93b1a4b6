/** The strategy's options, and what a parent tells a child block about its beginning. */
import type { Limits } from '../../protocol/index.ts'
import { nameList, type OptionRule, readOptions } from '../read-options.ts'
import type { ExecutorCall, PlanType } from './schema.ts'

export interface PlannerOptions {
  /** The same sub-goal without new content so many times is told, once more is refused. */
  maxRepeats: number
  /** The document's `max_depth`: at this many ancestors a block is executed without planning. The run's depth without it. */
  maxDepth?: number
  /** Every tool of the run is an executor, not only those of executors.yaml. */
  tools: boolean
  /** Strategies that an `executor_call` may name as executor. */
  strategies: readonly string[]
  /** Who tests hypotheses. */
  probeStrategy: string
  /** How the parent planned this block: set by the strategy itself. */
  start?: Start
}

/** What became of the `plan-next` that made a block. */
export interface Start {
  readonly plan_type: PlanType
  readonly plan: readonly string[]
  readonly success_signal?: string
  readonly executor_call?: ExecutorCall
  /** The block is to find out whether this holds. */
  readonly hypothesis?: string
}

const RULES: Readonly<Record<keyof PlannerOptions, OptionRule>> = {
  maxRepeats: { type: 'whole', least: 1, fallback: 3 },
  maxDepth: { type: 'whole', least: 1 },
  tools: { type: 'switch', fallback: false },
  strategies: { type: 'own', check: nameList('strategies'), fallback: ['cot'] },
  probeStrategy: { type: 'text', fallback: 'planner' },
  start: { type: 'own', check: (value) => value },
}

export function checkOptions(given: Readonly<Record<string, unknown>>): PlannerOptions {
  return readOptions('planner', RULES, given)
}

/** What the options say about the run as a whole. */
export function limitsOf({ maxDepth }: PlannerOptions): Partial<Limits> {
  return maxDepth === undefined ? {} : { depth: maxDepth }
}

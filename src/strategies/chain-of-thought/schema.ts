/** The document's shapes of a thought, its plan and the shared store, field by field, and the strategy's options. */
import { checkArguments, text } from '../../protocol/check-arguments.ts'
import type { Role } from '../../protocol/index.ts'
import type { StrategyName } from '../../protocol/strategy-registry.ts'
import { CHECK_RULE, type CheckOptions } from '../closing/option.ts'
import {
  NAMES_SCHEMA,
  nameList,
  type OptionRules,
  optionsSchema,
  ROLES,
  readOptions,
} from '../read-options.ts'

export const STATUSES = ['Pending', 'Done', 'Verification Needed'] as const
export type StepStatus = (typeof STATUSES)[number]

export interface PlanStep {
  readonly description: string
  readonly status: StepStatus
  /** Concise; of a step that is Done. With a mark, it is the result in doubt. */
  readonly result?: string
  /** Why verification is needed. */
  readonly mark?: string
  readonly sub_steps?: readonly PlanStep[]
  /** Not in the document: the strategy that solves this step, in a child block. */
  readonly strategy?: string
}

export type Plan = readonly PlanStep[]

export interface Thought {
  readonly thought_number: number
  readonly current_thinking: string
  readonly planning: Plan
  readonly next_thought_needed: boolean
  /** What it says about the previous thought, where the model keeps that apart from `current_thinking`. */
  readonly evaluation?: string
}

/** The document's shared store, field by field. */
export interface Shared {
  readonly problem: string
  readonly thoughts: Thought[]
  current_thought_number: number
  solution: string | null
}

export function newShared(problem: string): Shared {
  checkArguments('newShared', { checks: { problem: text }, needs: { problem: 'what is to be solved' } }, [
    problem,
  ])
  return { problem, thoughts: [], current_thought_number: 0, solution: null }
}

/** The plan as it stands: that of the last thought. */
export function lastPlan(thoughts: readonly Thought[]): Plan {
  return thoughts.at(-1)?.planning ?? []
}

export interface CotOptions extends CheckOptions {
  /** After so many thoughts the block closes with the results in its plan. Default: 20. */
  maxThoughts: number
  /** When so many thoughts have had the same plan the model is warned; one more closes the block. Default: 3. */
  maxRepeats: number
  /** Which model thinks. Default: `act`. */
  role: Role
  /**
   * The strategies that the model is told a step may be solved with; a step that names another is refused. Default: none is mentioned, and
   * any may be named.
   */
  strategies?: readonly StrategyName[]
}

export const MAX_THOUGHTS = 20
export const MAX_REPEATS = 3

const RULES: OptionRules<CotOptions> = {
  maxThoughts: { type: 'whole', least: 1, most: 1_000, fallback: MAX_THOUGHTS },
  maxRepeats: {
    type: 'whole',
    least: 1,
    fallback: MAX_REPEATS,
    about:
      'in how many thoughts the plan may stay the same before the model is warned; one more ends the block',
  },
  role: { type: 'choice', choices: ROLES, fallback: 'act', about: 'which model thinks' },
  strategies: {
    type: 'own',
    check: nameList('strategies'),
    json: NAMES_SCHEMA,
    about: 'strategies that the model is told a step may be solved with',
  },
  check: CHECK_RULE,
}

export const OPTIONS_SCHEMA = optionsSchema(RULES)

export function checkOptions(given: Readonly<Record<string, unknown>>): CotOptions {
  return readOptions('cot', RULES, given)
}

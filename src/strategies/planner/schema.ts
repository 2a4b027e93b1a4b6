/**
 * The `plan-next` protocol: what the Planner answers, and the strategy's options. For others it is published as
 * plan-next.schema.json: the document's schema, completed with what its text demands and a schema can say.
 * rules/violations.ts checks that and the rest.
 */
import type { Context } from '../../kernel/strategy.ts'
import type { Goal } from '../../protocol/index.ts'
import type { StrategyName } from '../../protocol/strategy-registry.ts'
import { CHECK_RULE, type CheckOptions } from '../closing/option.ts'
import { NAMES_SCHEMA, nameList, type OptionRules, optionsSchema, readOptions } from '../read-options.ts'
import type { PlannerNotes, ProbeVerdict } from './notes.ts'

export type PlannerContext = Context<PlannerOptions, PlannerNotes>

/** What is done about a goal: hypotheses are probed, it is split into steps, or an executor does it in one call. */
export const PLAN_TYPES = ['PLAN_PROBES', 'PLAN_STEPS', 'EXECUTE'] as const
export type PlanType = (typeof PLAN_TYPES)[number]

export const CORE4_FIELDS = ['intent', 'deliverable', 'metric', 'constraint'] as const

/** How many hypotheses or steps a plan has. */
export const MIN_ITEMS = 3
export const MAX_ITEMS = 7

export interface ExecutorCall {
  /** `shell: <command>`, `<id>`, or `<id>: <text>`; see executor-call.ts. */
  readonly command: string
  readonly inputs: Readonly<Record<string, unknown>>
  readonly expected_observations: readonly string[]
}

export interface PlanNext {
  readonly type: 'plan-next'
  readonly plan_type: PlanType
  readonly new_block: {
    readonly goal: Goal
    /** Hypotheses or steps; empty with EXECUTE. */
    readonly plan: readonly string[]
    readonly done: readonly []
  }
  /** With probes and steps: what shows that they have done their work. */
  readonly success_signal?: string
  /** With EXECUTE, and only there. */
  readonly executor_call?: ExecutorCall
  /** Replaces the plan of the block that is planned for. */
  readonly update_plan?: readonly string[]
}

export const STATUSES = ['completed', 'partial', 'failed'] as const
export type Status = (typeof STATUSES)[number]

/** How a block ends. Reflect alone answers with it, never the Planner. */
export interface PlanReturn {
  readonly type: 'plan-return'
  /** The report, in four sections. */
  readonly result: string
  /** What the goal asked for: a text, or which result in `done`, counted from 1, is it as it stands. */
  readonly deliverable?: string | { readonly result: number } | null
  /** Without it, as the first section of the report says. */
  readonly status?: Status
  readonly verdicts: readonly Verdict[]
}

/** What Reflect found of a hypothesis. */
export interface Verdict {
  readonly hypothesis: string
  readonly verdict: ProbeVerdict
  readonly evidence: string
}

/** A hypothesis of a block that probes: still in its plan, tested but not judged yet, or judged. */
export interface Hypothesis {
  readonly text: string
  readonly state: 'open' | 'tested' | ProbeVerdict
  readonly evidence: string
}

/** What a block has learned besides its results. */
export interface Learned {
  /** What was tried here, and failed. */
  readonly attempts: readonly Attempt[]
  /** Why Reflect said that there is more to do. */
  readonly reason?: string
  /** Of a block that probes. */
  readonly hypotheses?: readonly Hypothesis[]
}

/** A failed attempt of the same granularity: what a child of the block was given. */
export interface Attempt {
  /** As goalText gives it. */
  readonly goal: string
  readonly plan_type: PlanType
  readonly plan: readonly string[]
  readonly command?: string
  readonly inputs?: unknown
  /** Part of what counts as the same command; where it is not known, the command alone counts. */
  readonly expected?: readonly string[]
  /** False where the call could not be made: its goal was not tried. */
  readonly hasRun?: boolean
}

/** What Reflect answers. */
export type Judgement = GoOn | PlanReturn

export interface GoOn {
  readonly type: 'go-on'
  readonly reason?: string
  readonly verdicts: readonly Verdict[]
}

export interface PlannerOptions extends CheckOptions {
  /** When a sub-goal has come so many times without new content the model is warned; once more is refused. Default: 3. */
  maxRepeats: number
  /** The document's `max_depth`: a block with this many ancestors is executed without planning. Default: the run's depth. */
  maxDepth?: number
  /** Every tool of the run is an executor, not only those in executors.yaml and the tools that read. Default: false. */
  tools: boolean
  /** Strategies that an `executor_call` may name as executor. Default: `cot`. */
  strategies: readonly StrategyName[]
  /** The strategy that tests hypotheses; another one than `planner`, the default, tests each in a block of its own. */
  probeStrategy: StrategyName
  /** How the parent planned this block: set by the strategy itself. */
  start?: Start
}

/** What a child block takes over from the `plan-next` that created it. */
export interface Start {
  readonly plan_type: PlanType
  readonly plan: readonly string[]
  readonly success_signal?: string
  readonly executor_call?: ExecutorCall
  /** What Reflect said of the block above when this one was planned. */
  readonly reason?: string
}

const RULES: OptionRules<PlannerOptions> = {
  maxRepeats: {
    type: 'whole',
    least: 1,
    fallback: 3,
    about:
      'how often the same sub-goal may repeat without new content before the model is warned; once more is refused',
  },
  maxDepth: {
    type: 'whole',
    least: 1,
    about: 'a block with this many ancestors is executed without planning; by the run’s limit unless given',
  },
  tools: {
    type: 'switch',
    fallback: false,
    about: 'every tool of the run is an executor, not only those of executors.yaml and the tools that read',
  },
  strategies: {
    type: 'own',
    check: nameList('strategies'),
    json: NAMES_SCHEMA,
    fallback: ['cot'],
    about: 'strategies that a plan may name as executor',
  },
  probeStrategy: { type: 'text', fallback: 'planner', about: 'the strategy that tests hypotheses' },
  start: { type: 'own', check: (value) => value as Start, internal: true },
  check: CHECK_RULE,
}

export const OPTIONS_SCHEMA = optionsSchema(RULES)

export function checkOptions(given: Readonly<Record<string, unknown>>): PlannerOptions {
  return readOptions('planner', RULES, given)
}

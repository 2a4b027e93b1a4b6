/**
 * The `plan-next` protocol: what the Planner answers, as types and as a JSON Schema. The schema is the document's,
 * completed with what its text demands and a schema can say; violations.ts checks that and the rest.
 */
import type { Goal } from '../../protocol/index.ts'

/** How a goal is driven on: its gap is probed, it is split into steps, or an executor does it in one go. */
export const PLAN_TYPES = ['PLAN_PROBES', 'PLAN_STEPS', 'EXECUTE'] as const
export type PlanType = (typeof PLAN_TYPES)[number]

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
  /** With probes and steps: what shows that it can go on. */
  readonly success_signal?: string
  /** With EXECUTE, and only there. */
  readonly executor_call?: ExecutorCall
  /** Replaces the plan of the block that is planned for. */
  readonly update_plan?: readonly string[]
}

/** How a block ends. Only Reflect says it, never the Planner. */
export interface PlanReturn {
  readonly type: 'plan-return'
  readonly result: string
  readonly status: 'completed' | 'partial' | 'failed'
}

/** More than white space. */
const saidText = { type: 'string', minLength: 1, pattern: '\\S' }
const text = { type: 'string' }

const core4 = {
  type: 'object',
  required: ['intent', 'deliverable', 'metric', 'constraint'],
  properties: { intent: saidText, deliverable: text, metric: text, constraint: text },
  additionalProperties: false,
}

const whenExecute = {
  required: ['executor_call'],
  properties: { new_block: { properties: { plan: { maxItems: 0 } } } },
}

const whenPlanned = {
  properties: {
    new_block: { properties: { plan: { minItems: MIN_ITEMS, maxItems: MAX_ITEMS } } },
    executor_call: false,
  },
}

/** As `plan-next.schema.json` holds it. */
export const planNextJson: Readonly<Record<string, unknown>> = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'plan-next: what the Planner of Thinkon answers',
  type: 'object',
  required: ['type', 'plan_type', 'new_block'],
  properties: {
    type: { const: 'plan-next' },
    plan_type: { enum: PLAN_TYPES },
    new_block: {
      type: 'object',
      required: ['goal', 'plan', 'done'],
      properties: {
        goal: { oneOf: [saidText, core4] },
        plan: { type: 'array', items: saidText },
        done: { type: 'array', maxItems: 0 },
      },
      additionalProperties: false,
    },
    success_signal: text,
    executor_call: {
      type: 'object',
      required: ['command', 'inputs', 'expected_observations'],
      properties: {
        command: saidText,
        inputs: { type: 'object' },
        expected_observations: { type: 'array', items: saidText },
      },
      additionalProperties: false,
    },
    update_plan: { type: 'array', items: saidText },
  },
  additionalProperties: false,
  if: { properties: { plan_type: { const: 'EXECUTE' } }, required: ['plan_type'] },
  // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
  then: whenExecute,
  else: whenPlanned,
}

/** The strategy's options, and the reply of the one model call it makes. */
import {
  isObject,
  type ModelReply,
  type StrategyOptions,
  strategyOptionProblems,
  ThinkonError,
} from '../../protocol/index.ts'
import { type OptionRule, readOptions } from '../read-options.ts'
import { tryValue } from '../read-value.ts'

/** The strategies that can be chosen. */
export const CHOICES = ['fractal', 'planner', 'tot', 'cot', 'dual'] as const

export interface AutoOptions {
  /** Options for whichever strategy is chosen, by its name. */
  options: StrategyOptions
}

const RULES: Readonly<Record<keyof AutoOptions, OptionRule>> = {
  options: { type: 'own', check: checkOptionsByName, fallback: {} },
}

export function checkOptions(given: Readonly<Record<string, unknown>>): AutoOptions {
  return readOptions('auto', RULES, given)
}

function checkOptionsByName(value: unknown): unknown {
  const [problem] = strategyOptionProblems('options', value, CHOICES)
  if (problem === undefined) return value
  throw new ThinkonError('BAD_INPUT', problem.message)
}

export const TASK_KINDS = ['question', 'puzzle', 'writing', 'alternatives', 'investigation', 'work'] as const
export const SIZES = ['small', 'medium', 'large'] as const

/** What a model says about a goal. */
export interface Classification {
  readonly kind: (typeof TASK_KINDS)[number]
  readonly needs_tools: boolean
  readonly checkable: boolean
  readonly size: (typeof SIZES)[number]
}

export const classificationJson = {
  type: 'object',
  properties: {
    kind: { enum: TASK_KINDS },
    needs_tools: { type: 'boolean' },
    checkable: { type: 'boolean' },
    size: { enum: SIZES },
  },
  required: ['kind', 'needs_tools', 'checkable', 'size'],
} as const

/** Null where the reply is no classification: nobody is asked again for a hint. */
export function readClassification(reply: ModelReply): Classification | null {
  const value = tryValue(reply)
  return isClassification(value) ? value : null
}

function isClassification(value: unknown): value is Classification {
  return (
    isObject(value) &&
    isOneOf(TASK_KINDS, value.kind) &&
    isOneOf(SIZES, value.size) &&
    typeof value.needs_tools === 'boolean' &&
    typeof value.checkable === 'boolean'
  )
}

function isOneOf(choices: readonly unknown[], value: unknown): boolean {
  return choices.includes(value)
}

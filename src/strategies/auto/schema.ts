/** The strategy's options, and the reply of the one model call it makes. */
import { isObject, type ModelReply, strategyOptionProblems, ThinkonError } from '../../protocol/index.ts'
import type { OptionsOf } from '../../protocol/strategy-registry.ts'
import { CHECK_RULE, type CheckOptions } from '../closing/option.ts'
import { type OptionRules, optionsSchema, readOptions } from '../read-options.ts'
import { tryValue } from '../read-value.ts'
import { NEEDS, type Need } from './notes.ts'

/** The strategies that can be chosen. */
export const CHOICES = ['fractal', 'planner', 'tot', 'cot', 'dual'] as const

export interface AutoOptions extends CheckOptions {
  /** Options for whichever strategy is chosen, by its name. Default: none. */
  options: { readonly [Name in (typeof CHOICES)[number]]?: OptionsOf<Name> | undefined }
}

const OPTIONS_BY_NAME = {
  type: 'object',
  properties: Object.fromEntries(CHOICES.map((name) => [name, { type: 'object' }])),
}

const RULES: OptionRules<AutoOptions> = {
  options: {
    type: 'own',
    check: checkOptionsByName,
    json: OPTIONS_BY_NAME,
    fallback: {},
    about: 'options for whichever strategy is chosen, by its name',
  },
  check: CHECK_RULE,
}

export const OPTIONS_SCHEMA = optionsSchema(RULES)

export function checkOptions(given: Readonly<Record<string, unknown>>): AutoOptions {
  return readOptions('auto', RULES, given)
}

function checkOptionsByName(value: unknown): AutoOptions['options'] {
  const [problem] = strategyOptionProblems('options', value, CHOICES)
  if (problem === undefined) return value as AutoOptions['options']
  throw new ThinkonError('BAD_INPUT', problem.message)
}

/** What a model says about a goal. */
export interface Classification {
  readonly strategy: (typeof CHOICES)[number]
  readonly needs: readonly Need[]
  readonly reason: string
}

export const classificationJson = {
  type: 'object',
  properties: {
    needs: { type: 'array', items: { enum: NEEDS } },
    strategy: { enum: CHOICES },
    reason: { type: 'string' },
  },
  required: ['needs', 'strategy', 'reason'],
} as const

/** Null where the reply is no classification: nobody is asked again for a hint. */
export function readClassification(reply: ModelReply): Classification | null {
  const value = tryValue(reply)
  if (!isObject(value) || !isOneOf(CHOICES, value.strategy) || !Array.isArray(value.needs)) return null
  const { strategy, needs, reason } = value
  if (!needs.every((need) => isOneOf(NEEDS, need))) return null
  return { strategy, needs, reason: typeof reason === 'string' ? reason : '' }
}

function isOneOf<T>(choices: readonly T[], value: unknown): value is T {
  return choices.includes(value as T)
}

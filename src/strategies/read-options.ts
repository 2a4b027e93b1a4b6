/** Reads a strategy's options from what a caller gave, by a table of what each must be. */
import { meantText, nearest, shorten, ThinkonError } from '../protocol/index.ts'

import type { JsonSchema } from '../schema/check-schema.ts'

export { ROLES } from '../protocol/index.ts'

/** What an option must be. Without a fallback it is left out unless it is given. One that is `internal` is set by the strategy itself. */
export type OptionRule<Value = unknown> = {
  readonly fallback?: Value
  readonly internal?: true
  /** What it is for, to those who are asked for it in a form. */
  readonly about?: string
} & (
  | { readonly type: 'whole' | 'number'; readonly least: number; readonly most?: number }
  | { readonly type: 'choice'; readonly choices: readonly (Value & string)[] }
  | { readonly type: 'text' | 'switch' }
  /** Anything else: `check` returns the value, or throws what is wrong with it. */
  | { readonly type: 'own'; check(value: unknown): Value; readonly json?: JsonSchema }
)

/** A rule for each option, of its type: the table and the type can't drift apart. */
export type OptionRules<Options> = {
  readonly [Name in keyof Options]-?: OptionRule<Exclude<Options[Name], undefined>> & {
    readonly type: RuleType<Exclude<Options[Name], undefined>>
  }
}

type RuleType<Value> =
  | 'own'
  | ([Value] extends [boolean] ? 'switch' : never)
  | ([Value] extends [number] ? 'whole' | 'number' : never)
  | ([Value] extends [string] ? 'choice' | 'text' : never)

/** The options with their fallbacks filled in, or BAD_INPUT with what is wrong. */
export function readOptions<T>(
  strategy: string,
  table: OptionRules<T>,
  given: Readonly<Record<string, unknown>>,
): T {
  const rules = table as Readonly<Record<string, OptionRule>>
  const options: Record<string, unknown> = {}
  for (const [name, { fallback }] of Object.entries(rules))
    if (fallback !== undefined) options[name] = fallback
  for (const [name, value] of Object.entries(given)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (rule === undefined) throw unknownOption(strategy, name, Object.keys(rules))
    if (value !== undefined) options[name] = checked(name, rule, value)
  }
  return options as T
}

function checked(name: string, rule: OptionRule, value: unknown): unknown {
  if (rule.type === 'own') return rule.check(value)
  if (fits(rule, value)) return value
  throw wrong(name, `must be ${demand(rule)}`, value, rule.type === 'choice' ? rule.choices : [])
}

/** The same table as a JSON Schema, for those who show what there is. */
export function optionsSchema<T>(table: OptionRules<T>): JsonSchema {
  const rules = Object.entries(table as Readonly<Record<string, OptionRule>>)
  const properties = rules.flatMap(([name, rule]) => {
    if (rule.internal) return []
    const { fallback, about } = rule
    const more = {
      ...(fallback !== undefined && { default: fallback }),
      ...(about && { description: about }),
    }
    return [[name, { ...ruleSchema(rule), ...more }]]
  })
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false }
}

function ruleSchema(rule: OptionRule): JsonSchema {
  switch (rule.type) {
    case 'own':
      return rule.json ?? {}
    case 'text':
      return { type: 'string', pattern: '\\S' }
    case 'switch':
      return { type: 'boolean' }
    case 'choice':
      return { enum: rule.choices }
    default: {
      const { type, least, most } = rule
      return {
        type: type === 'whole' ? 'integer' : 'number',
        minimum: least,
        ...(most !== undefined && { maximum: most }),
      }
    }
  }
}

type PlainRule = Exclude<OptionRule, { type: 'own' }>

function fits(rule: PlainRule, value: unknown): boolean {
  switch (rule.type) {
    case 'text':
      return typeof value === 'string' && value.trim() !== ''
    case 'switch':
      return typeof value === 'boolean'
    case 'choice':
      return typeof value === 'string' && rule.choices.includes(value)
    default:
      return isInRange(rule, value) && (rule.type === 'number' || Number.isInteger(value))
  }
}

function isInRange({ least, most = Number.POSITIVE_INFINITY }: NumberRule, value: unknown): boolean {
  return typeof value === 'number' && value >= least && value <= most
}

type NumberRule = Extract<OptionRule, { least: number }>

function demand(rule: PlainRule): string {
  switch (rule.type) {
    case 'text':
      return 'a text'
    case 'switch':
      return 'true or false'
    case 'choice':
      return `one of ${rule.choices.join(', ')}`
    default: {
      const { type, least, most } = rule
      const range = most === undefined ? `of ${least} or more` : `from ${least} to ${most}`
      return `a ${type === 'whole' ? 'whole ' : ''}number ${range}`
    }
  }
}

export const NAMES_SCHEMA: JsonSchema = { type: 'array', items: { type: 'string' } }

/** A list of names, such as of strategies or tools. */
export function nameList(option: string): (value: unknown) => readonly string[] {
  return (value) => {
    if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value
    throw wrong(option, 'must be a list of names', value)
  }
}

function unknownOption(strategy: string, name: string, names: readonly string[]): ThinkonError {
  const meant = nearest(name, names)
  const hint = meant === undefined ? '' : ` (did you mean "${meant}"?)`
  return new ThinkonError(
    'BAD_INPUT',
    `${strategy} has no option "${name}"${hint}; it has: ${names.join(', ')}`,
  )
}

function wrong(name: string, must: string, value: unknown, allowed: readonly string[] = []): ThinkonError {
  const shown = typeof value === 'string' ? value : JSON.stringify(value)
  const meant = typeof value === 'string' ? meantText(value, allowed) : ''
  return new ThinkonError('BAD_INPUT', `${name} ${must}, not ${shorten(shown ?? 'undefined', 100)}${meant}`)
}

/** A strategy's options: a table of what each must be, read from what a caller gave. */
import { nearest, type Role, shorten, ThinkonError } from '../protocol/index.ts'

export const ROLES: readonly Role[] = ['plan', 'act', 'judge', 'compact', 'synthesize']

/** What an option must be. Without a fallback it is left out unless it is given. */
export type OptionRule = { readonly fallback?: unknown } & (
  | { readonly type: 'whole' | 'number'; readonly least: number; readonly most?: number }
  | { readonly type: 'choice'; readonly choices: readonly string[] }
  | { readonly type: 'text' | 'switch' }
  /** Anything else: throws what is wrong with it. */
  | { readonly type: 'own'; check(value: unknown): unknown }
)

/** The options with their fallbacks filled in, or BAD_INPUT with what is wrong. */
export function readOptions<T>(
  strategy: string,
  rules: Readonly<Record<string, OptionRule>>,
  given: Readonly<Record<string, unknown>>,
): T {
  const options: Record<string, unknown> = {}
  for (const [name, { fallback }] of Object.entries(rules))
    if (fallback !== undefined) options[name] = fallback
  for (const [name, value] of Object.entries(given)) {
    const rule = rules[name]
    if (rule === undefined) throw unknownOption(strategy, name, Object.keys(rules))
    if (value !== undefined) options[name] = checked(name, rule, value)
  }
  return options as T
}

function checked(name: string, rule: OptionRule, value: unknown): unknown {
  switch (rule.type) {
    case 'own':
      return rule.check(value)
    case 'text':
      if (typeof value === 'string' && value.trim() !== '') return value
      throw wrong(name, 'must be a text', value)
    case 'switch':
      if (typeof value === 'boolean') return value
      throw wrong(name, 'must be true or false', value)
    case 'choice':
      if (rule.choices.includes(value as string)) return value
      throw wrong(name, `must be one of ${rule.choices.join(', ')}`, value)
    default: {
      const { least, most = Number.POSITIVE_INFINITY } = rule
      const fits = typeof value === 'number' && value >= least && value <= most
      if (fits && (rule.type === 'number' || Number.isInteger(value))) return value
      const range = most === Number.POSITIVE_INFINITY ? `of ${least} or more` : `from ${least} to ${most}`
      throw wrong(name, `must be a ${rule.type === 'whole' ? 'whole ' : ''}number ${range}`, value)
    }
  }
}

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

function wrong(name: string, must: string, value: unknown): ThinkonError {
  const shown = typeof value === 'string' ? value : JSON.stringify(value)
  return new ThinkonError('BAD_INPUT', `${name} ${must}, not ${shorten(shown ?? 'undefined', 100)}`)
}

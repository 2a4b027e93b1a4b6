/**
 * Input schemas of the built-in tools: JSON Schema for the model and a check for the value, written once. A check names
 * everything that is wrong at once, because its message goes back to the model.
 */
import type { Schema } from '../kernel/schema.ts'
import { ThinkonError } from '../protocol/index.ts'

export interface Field<T> {
  readonly json: Readonly<Record<string, unknown>>
  readonly required: boolean
  /** The value, or a Problem. */
  read(value: unknown): T | Problem
}

/** What is wrong with a value, as the end of a sentence: "must be …". */
export class Problem {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Fields = Readonly<Record<string, Field<unknown>>>
type ValueOf<F> = F extends Field<infer T> ? T : never
/** Optional fields are there with the value undefined. */
export type ObjectOf<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> }

export function objectSchema<F extends Fields>(fields: F): Schema<ObjectOf<F>> {
  const names = Object.keys(fields)
  return {
    json: {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, fields[name]?.json])),
      required: names.filter((name) => fields[name]?.required),
      additionalProperties: false,
    },
    check(value) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        throw badInput([`the input must be an object with ${names.join(', ')}, not ${shown(value)}`])
      }
      const given = value as Record<string, unknown>
      const problems: string[] = []
      const checked: Record<string, unknown> = {}
      for (const name of names) {
        const read = readField(fields[name] as Field<unknown>, given[name])
        if (read instanceof Problem) problems.push(`${name} ${read.text}`)
        else checked[name] = read
      }
      const unknown = Object.keys(given).filter((name) => !Object.hasOwn(fields, name))
      if (unknown.length > 0) problems.push(`unknown: ${unknown.join(', ')} (known: ${names.join(', ')})`)
      if (problems.length > 0) throw badInput(problems)
      return checked as ObjectOf<F>
    },
  }
}

export function text(description: string, limits: { maxLength?: number; minLength?: number } = {}) {
  const { minLength = 0, maxLength = 1_000_000 } = limits
  return field<string>({ type: 'string', description, minLength, maxLength }, (value) => {
    if (typeof value !== 'string') return new Problem(`must be a string, not ${shown(value)}`)
    if (value.length < minLength) return new Problem('must not be empty')
    if (value.length > maxLength) {
      return new Problem(`must have at most ${maxLength} characters, not ${value.length}`)
    }
    return value
  })
}

export function integer(description: string, minimum: number, maximum: number) {
  return field<number>({ type: 'integer', description, minimum, maximum }, (value) =>
    Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum
      ? (value as number)
      : new Problem(`must be an integer from ${minimum} to ${maximum}, not ${shown(value)}`),
  )
}

export function flag(description: string) {
  return field<boolean>({ type: 'boolean', description }, (value) =>
    typeof value === 'boolean' ? value : new Problem(`must be true or false, not ${shown(value)}`),
  )
}

export function oneOf<T extends string>(description: string, choices: readonly T[]) {
  return field<T>({ type: 'string', description, enum: choices }, (value) =>
    choices.includes(value as T)
      ? (value as T)
      : new Problem(`must be one of ${choices.join(', ')}, not ${shown(value)}`),
  )
}

export function texts(description: string, maxItems: number) {
  const json = { type: 'array', description, items: { type: 'string' }, maxItems }
  return field<readonly string[]>(json, (value) =>
    Array.isArray(value) && value.length <= maxItems && value.every((item) => typeof item === 'string')
      ? value
      : new Problem(`must be a list of at most ${maxItems} strings, not ${shown(value)}`),
  )
}

/** Some models send null for what they leave out. */
export function optional<T>(given: Field<T>): Field<T | undefined> {
  return { ...given, required: false }
}

function field<T>(json: Field<T>['json'], read: Field<T>['read']): Field<T> {
  return { json, required: true, read }
}

function readField(given: Field<unknown>, value: unknown): unknown {
  if (value !== undefined && !(value === null && !given.required)) return given.read(value)
  return given.required ? new Problem('is missing') : undefined
}

function badInput(problems: readonly string[]): ThinkonError {
  return new ThinkonError('BAD_INPUT', problems.join('; '), { data: { problems } })
}

function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value)
  return json.length > 60 ? `${json.slice(0, 60)}…` : json
}

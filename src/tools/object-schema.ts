/** Input schemas of the built-in tools: JSON Schema for the model and a typed check of the value, written once. */
import type { Schema } from '../kernel/schema.ts'
import { isObject, ThinkonError } from '../protocol/index.ts'
import { checkSchema, type JsonSchema, violationText } from '../schema/check-schema.ts'

/** `T` is what a value that fits `json` is. */
export interface Field<T> {
  readonly json: JsonSchema
  readonly required: boolean
  readonly type?: T
}

type Fields = Readonly<Record<string, Field<unknown>>>
type ValueOf<F> = F extends Field<infer T> ? T : never
export type ObjectOf<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> }

/** The check names everything that is wrong at once, because its message goes back to the model. */
export function objectSchema<F extends Fields>(fields: F): Schema<ObjectOf<F>> {
  const names = Object.keys(fields)
  const isLeftOut = (name: string, value: unknown) => value === null && fields[name]?.required === false
  const json = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, fields[name]?.json])),
    required: names.filter((name) => fields[name]?.required),
    additionalProperties: false,
  }
  return {
    json,
    check(given) {
      // Some models send null for what they leave out.
      const value = isObject(given)
        ? Object.fromEntries(Object.entries(given).filter(([name, one]) => !isLeftOut(name, one)))
        : given
      const problems = checkSchema(value, json).map((one) => violationText(one, 'the input'))
      if (problems.length > 0)
        throw new ThinkonError('BAD_INPUT', problems.join('; '), { data: { problems } })
      return value as ObjectOf<F>
    },
  }
}

export function text(description: string, limits: { maxLength?: number; minLength?: number } = {}) {
  const { minLength = 0, maxLength = 1_000_000 } = limits
  return field<string>({ type: 'string', description, minLength, maxLength })
}

export function integer(description: string, minimum: number, maximum: number) {
  return field<number>({ type: 'integer', description, minimum, maximum })
}

export function flag(description: string) {
  return field<boolean>({ type: 'boolean', description })
}

export function oneOf<T extends string>(description: string, choices: readonly T[]) {
  return field<T>({ type: 'string', description, enum: choices })
}

export function texts(description: string, maxItems: number) {
  return field<readonly string[]>({ type: 'array', description, items: { type: 'string' }, maxItems })
}

export function field<T>(json: JsonSchema): Field<T> {
  return { json, required: true }
}

export function optional<T>({ json }: Field<T>): Field<T | undefined> {
  return { json, required: false }
}

/** A `type` in a JSON Schema that is none, such as `int`: it would check nothing. Null if there is none. */
import { isObject } from '../../protocol/index.ts'

export function unknownType(schema: unknown): string | null {
  if (!isObject(schema)) return null
  const wrong = [schema.type ?? []].flat().find((type) => !TYPES.includes(String(type)))
  if (wrong !== undefined) return String(wrong)
  const parts = [
    ...BY_NAME.flatMap((keyword) => Object.values(Object(schema[keyword]))),
    ...WITHIN.flatMap((keyword) => schema[keyword] ?? []),
  ]
  for (const part of parts) {
    const inner = unknownType(part)
    if (inner !== null) return inner
  }
  return null
}

export const TYPES: readonly string[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

/** Keywords with schemas by name, and keywords with one or with a list of them. Whatever else has a `type` is data. */
const BY_NAME = ['properties', 'patternProperties', '$defs', 'definitions']
const WITHIN = ['items', 'prefixItems', 'additionalProperties', 'anyOf', 'oneOf', 'allOf']

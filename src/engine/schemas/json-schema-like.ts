/** Tells a JSON Schema from what is none: a misspelled one, or a record of schemas, would check nothing. */
import { isObject, ThinkonError } from '../../protocol/index.ts'
import type { JsonSchema } from '../../schema/check-schema.ts'
import { isStandardSchema } from '../../schema/standard-schema.ts'

const KEYWORDS = [
  ...(['type', 'properties', 'required', 'additionalProperties', 'patternProperties', 'items'] as const),
  ...(['prefixItems', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', 'not', 'if', '$ref', '$defs'] as const),
  ...(['definitions', '$schema', '$id', '$comment', 'title', 'description', 'default', 'examples'] as const),
  ...(['format', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'nullable'] as const),
] as const

/** A JSON Schema has at least one of these, or nothing at all. Others may stand beside them. */
export type JsonSchemaLike = { readonly [keyword in (typeof KEYWORDS)[number]]?: unknown }

/** The same schema, or BAD_INPUT. */
export function jsonSchemaIn(given: unknown, place: string): JsonSchema {
  if (!isObject(given)) throw noSchema(place)
  if (Object.values(given).some(isStandardSchema))
    throw noSchema(place, ', not a record of schemas: wrap it in an object schema, such as z.object({ … })')
  const words = Object.keys(given)
  if (words.length > 0 && !words.some((word) => (KEYWORDS as readonly string[]).includes(word)))
    throw noSchema(place, `; ${words.slice(0, 5).join(', ')}: none of these is a keyword of JSON Schema`)
  return given
}

/** BAD_INPUT: what was given for a schema is none. */
export function noSchema(place: string, why = ''): ThinkonError {
  const kinds = 'a Standard Schema (of zod, Valibot, ArkType …), a JSON Schema or { json, check }'
  return new ThinkonError('BAD_INPUT', `${place} must be ${kinds}${why}`)
}

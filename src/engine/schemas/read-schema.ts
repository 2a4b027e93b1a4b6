/** Reads a schema as users give it: the JSON Schema that models receive, and the check of a value. */
import { checkedValue } from '../../kernel/checked-value.ts'
import type { JsonSchema } from '../../schema/check-schema.ts'
import { isAiSdkSchema } from './ai-sdk-schema.ts'
import type { GivenSchema, InferOutput } from './given-schema.ts'
import { jsonSchemaIn } from './json-schema-like.ts'
import { libraryCheck, type ValueCheck } from './library-check.ts'
import { loaded, schemaJson } from './schema-json.ts'

export type { ValueCheck } from './library-check.ts'

export interface ReadSchema<T> {
  /** The JSON Schema that models receive. */
  readonly json: JsonSchema
  readonly check: ValueCheck<T>
}

/**
 * `place` names the owner of the schema in errors about the schema itself: BAD_INPUT if it is none, or has no JSON Schema. `whole` is
 * the name of a value in the problems.
 */
export async function schemaOf<S extends GivenSchema>(
  given: S,
  place: string,
  whole?: string,
): Promise<ReadSchema<InferOutput<S>>> {
  const check = checkOf(given, place, whole)
  return { json: await schemaJson(given, place), check }
}

/** Only the check, for a schema that no model receives. */
export function checkOf<S extends GivenSchema>(
  given: S,
  place: string,
  whole = 'the value',
): ValueCheck<InferOutput<S>> {
  const check = libraryCheck(given, place, whole) ?? jsonCheck(given, place, whole)
  return check as ValueCheck<InferOutput<S>>
}

function jsonCheck(given: GivenSchema, place: string, whole: string): ValueCheck<unknown> {
  const schema = typeof given === 'function' ? loaded(given, place) : given
  if (isAiSdkSchema(schema))
    return async (value) => checkedValue(value, (await schema.jsonSchema) as JsonSchema, whole)
  const json = jsonSchemaIn(schema, place)
  return async (value) => checkedValue(value, json, whole)
}

/** What a model is told of a schema. A schema that can't be told is refused: a model that is told nothing can only guess. */
import type { Schema } from '../../kernel/schema.ts'
import { isObject } from '../../protocol/index.ts'
import type { JsonSchema } from '../../schema/check-schema.ts'
import { plainSchema, standardJson } from '../../schema/standard-json.ts'
import { isStandardSchema, type StandardSchema } from '../../schema/standard-schema.ts'
import { type AiSdkSchema, isAiSdkSchema, type LazySchema } from './ai-sdk-schema.ts'
import type { GivenSchema } from './given-schema.ts'
import { jsonSchemaIn, noSchema } from './json-schema-like.ts'

/** As JSON Schema. Parts that JSON Schema has no word for, such as a refinement, are left open. */
export async function schemaJson(given: GivenSchema, place: string): Promise<JsonSchema> {
  if (isStandardSchema(given)) return standardJson(given, place)
  if (isAiSdkSchema(given)) return plainSchema(await given.jsonSchema)
  if (typeof given === 'function') return schemaJson(loaded(given, place), place)
  return isOurs(given) ? plainSchema(given.json) : jsonSchemaIn(given, place)
}

/** Any other function or class is no schema, whatever it does when it is called. */
export function loaded(lazy: LazySchema, place: string): AiSdkSchema | StandardSchema {
  try {
    const schema: unknown = lazy()
    if (isAiSdkSchema(schema) || isStandardSchema(schema)) return schema
  } catch {
    // Said below.
  }
  throw noSchema(place, ', not a function')
}

export function isOurs(given: unknown): given is Schema {
  const { json, check } = Object(given) as Partial<Schema>
  return typeof check === 'function' && isObject(json)
}

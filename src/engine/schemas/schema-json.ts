/** What a model is told of a schema. A schema that can't be told is refused: a model that is told nothing can only guess. */
import type { Schema } from '../../kernel/schema.ts'
import { errorText, isObject, ThinkonError } from '../../protocol/index.ts'
import type { JsonSchema } from '../../schema/check-schema.ts'
import { type AiSdkSchema, isAiSdkSchema, type LazySchema } from './ai-sdk-schema.ts'
import type { GivenSchema } from './given-schema.ts'
import { jsonSchemaIn, noSchema } from './json-schema-like.ts'
import { isStandardSchema, type StandardSchema } from './standard-schema.ts'

/** As JSON Schema. Parts that JSON Schema has no word for, such as a refinement, are left open. */
export async function schemaJson(given: GivenSchema, place: string): Promise<JsonSchema> {
  if (isStandardSchema(given)) return standardJson(given, place)
  if (isAiSdkSchema(given)) return plain(await given.jsonSchema)
  if (typeof given === 'function') return schemaJson(loaded(given, place), place)
  return isOurs(given) ? plain(given.json) : jsonSchemaIn(given, place)
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

function standardJson(schema: StandardSchema, place: string): JsonSchema {
  const { vendor, jsonSchema } = schema['~standard']
  try {
    if (jsonSchema !== undefined) return plain(jsonSchema.input({ target: TARGET, ...LENIENT[vendor] }))
  } catch (error) {
    throw untold(place, `can't be written as JSON Schema (${errorText(error)})`, 'give { json, check }')
  }
  const advice = ADVICE[vendor] ?? 'give { json, check }'
  throw untold(place, `is a schema of ${vendor} that does not say itself as JSON Schema`, advice)
}

const TARGET = 'draft-2020-12'

/** Libraries that fail on a part that JSON Schema can't express, unless told not to. */
const LENIENT: Readonly<Record<string, { libraryOptions: Record<string, unknown> }>> = {
  zod: { libraryOptions: { unrepresentable: 'any' } },
  valibot: { libraryOptions: { errorMode: 'ignore' } },
}

const ADVICE: Readonly<Record<string, string>> = {
  zod:
    'use z.object() of zod 4.2 or later; of zod/mini and earlier versions, give ' +
    '{ json: z.toJSONSchema(schema, { io: "input" }), check: (value) => schema.parse(value) }',
  valibot: 'wrap it in toStandardJsonSchema() of the package @valibot/to-json-schema',
}

function untold(place: string, why: string, advice: string): ThinkonError {
  return new ThinkonError('BAD_INPUT', `${place} ${why}, so no model can be told what fits: ${advice}`)
}

function plain(json: unknown): JsonSchema {
  const { $schema: _, '~standard': __, ...rest } = json as Record<string, unknown>
  return JSON.parse(JSON.stringify(rest))
}

/** A Standard Schema as JSON Schema. One that can't be told is refused: a model or form that is told nothing can only guess. */
import { errorText, ThinkonError } from '../protocol/index.ts'
import type { JsonSchema } from './check-schema.ts'
import type { StandardSchema } from './standard-schema.ts'

/** Parts that JSON Schema has no word for, such as a refinement, are left open. `place` names the schema's owner in the error. */
export function standardJson(schema: StandardSchema, place: string): JsonSchema {
  const { vendor, jsonSchema } = schema['~standard']
  try {
    if (jsonSchema !== undefined) return plainSchema(jsonSchema.input({ target: TARGET, ...LENIENT[vendor] }))
  } catch (error) {
    throw untold(place, `can't be written as JSON Schema (${errorText(error)})`, 'give { json, check }')
  }
  const advice = ADVICE[vendor] ?? 'give { json, check }'
  throw untold(place, `is a schema of ${vendor} that does not say itself as JSON Schema`, advice)
}

const TARGET = 'draft-2020-12'

/** Libraries that fail on a part that JSON Schema can't express, unless an option prevents it. */
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

/** Without the marks of libraries. */
export function plainSchema(json: unknown): JsonSchema {
  const { $schema: _, '~standard': __, ...rest } = json as Record<string, unknown>
  return JSON.parse(JSON.stringify(rest))
}

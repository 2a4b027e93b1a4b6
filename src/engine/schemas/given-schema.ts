/** A schema as users give it: for a tool's input and output, for the value of a run. read-schema.ts reads it. */
import type { Schema } from '../../kernel/schema.ts'
import { type Check, isFunction, must } from '../../protocol/check-arguments.ts'
import { isObject } from '../../protocol/json.ts'
import type { StandardSchema } from '../../schema/standard-schema.ts'
import type { AiSdkSchema, LazySchema } from './ai-sdk-schema.ts'
import type { JsonSchemaLike } from './json-schema-like.ts'
import type { JsonType } from './json-type.ts'

/**
 * A Standard Schema (zod, Valibot, ArkType …), a JSON Schema, our own `{ json, check }`, or what the AI SDK's `jsonSchema()` and
 * `zodSchema()` return.
 */
export type GivenSchema = StandardSchema | Schema | AiSdkSchema | LazySchema | JsonSchemaLike

/** What a value is once it is checked: the type that the schema returns. */
export type InferOutput<S> = S extends StandardSchema
  ? NonNullable<S['~standard']['types']>['output']
  : InferOther<S>

/** What a value must be to fit the schema. */
export type InferInput<S> = S extends StandardSchema
  ? NonNullable<S['~standard']['types']>['input']
  : InferOther<S>

type InferOther<S> =
  S extends Schema<infer Value>
    ? Awaited<Value>
    : S extends AiSdkSchema<infer Value>
      ? Value
      : S extends LazySchema<infer Value>
        ? Value
        : JsonType<S>

/** What it is in detail is read when it is used. */
export const givenSchema: Check = must(
  'a schema: of zod or any other Standard Schema, a JSON Schema, or { json, check }',
  (value) => isObject(value) || isFunction(value),
)

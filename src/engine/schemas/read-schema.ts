/**
 * The one place that reads a schema as users give it: what models are told, and the check of a value, which says everything that is
 * wrong in words.
 */
import type { Checked } from '../../kernel/ask-until-valid.ts'
import type { Schema } from '../../kernel/schema.ts'
import { ThinkonError } from '../../protocol/index.ts'
import type { JsonSchema } from '../../schema/check-schema.ts'
import { type AiSdkSchema, isAiSdkSchema } from './ai-sdk-schema.ts'
import type { GivenSchema, InferOutput } from './given-schema.ts'
import { issuesIn, textsOf } from './issues.ts'
import { jsonSchemaIn } from './json-schema-like.ts'
import { isOurs, loaded, schemaJson } from './schema-json.ts'
import { isStandardSchema, type StandardIssue, type StandardSchema } from './standard-schema.ts'

/** Gives the value as the schema returns it, or what is wrong with it: at least one problem. */
export type ValueCheck<T> = (value: unknown) => Promise<Checked<T>>

export interface ReadSchema<T> {
  /** What models are told. */
  readonly json: JsonSchema
  readonly check: ValueCheck<T>
}

/**
 * `place` is what the schema belongs to, for errors about the schema itself: BAD_INPUT if it is none, or can't be told to a model.
 * `whole` is what a value is called in the problems.
 */
export async function schemaOf<S extends GivenSchema>(
  given: S,
  place: string,
  whole?: string,
): Promise<ReadSchema<InferOutput<S>>> {
  const check = checkOf(given, place, whole)
  return { json: await schemaJson(given, place), check }
}

/** Only the check, for a schema that no model is told. */
export function checkOf<S extends GivenSchema>(
  given: S,
  place: string,
  whole = 'the value',
): ValueCheck<InferOutput<S>> {
  return checkedBy(given, place, whole) as ValueCheck<InferOutput<S>>
}

function checkedBy(given: GivenSchema, place: string, whole: string): ValueCheck<unknown> {
  if (isStandardSchema(given)) return async (value) => standardResult(given, value, whole)
  if (isAiSdkSchema(given)) return async (value) => aiSdkResult(given, value, whole)
  if (typeof given === 'function') return checkedBy(loaded(given, place), place, whole)
  if (isOurs(given)) return async (value) => ourResult(given, value, whole)
  const json = jsonSchemaIn(given, place)
  return (value) => jsonResult(json, value, whole)
}

async function standardResult(
  schema: StandardSchema,
  value: unknown,
  whole: string,
): Promise<Checked<unknown>> {
  const result = await schema['~standard'].validate(value)
  return result.issues === undefined ? { ok: true, value: result.value } : problemsIn(result.issues, whole)
}

async function aiSdkResult(schema: AiSdkSchema, value: unknown, whole: string): Promise<Checked<unknown>> {
  if (schema.validate === undefined) return jsonResult((await schema.jsonSchema) as JsonSchema, value, whole)
  const result = await schema.validate(value)
  return result.success ? { ok: true, value: result.value } : thrownProblems(result.error, whole)
}

/** Loaded when it is used: a web page, whose service has checked the value, has no such thing. */
async function jsonResult(schema: JsonSchema, value: unknown, whole: string): Promise<Checked<unknown>> {
  const { checkedValue } = await import('../../kernel/checked-value.ts')
  return checkedValue(value, schema, whole)
}

async function ourResult(schema: Schema, value: unknown, whole: string): Promise<Checked<unknown>> {
  try {
    return { ok: true, value: await schema.check(value) }
  } catch (thrown) {
    return thrownProblems(thrown, whole)
  }
}

function problemsIn(issues: readonly StandardIssue[], whole: string): Checked<never> {
  return { ok: false, problems: textsOf(issues, whole) }
}

/** What a check threw: an error of ours, of a schema library, which lists its issues, or any other. */
function thrownProblems(thrown: unknown, whole: string): Checked<never> {
  if (ThinkonError.isInstance(thrown)) {
    if (thrown.code !== 'BAD_INPUT' && thrown.code !== 'TOOL_ERROR') throw thrown
    const problems = textsIn(thrown.data.problems)
    return { ok: false, problems: problems.length > 0 ? problems : [thrown.message] }
  }
  const listed = issuesIn(thrown)
  if (listed !== undefined) return problemsIn(listed, whole)
  const { message } = Object(thrown) as { message?: string }
  return { ok: false, problems: [message ?? String(thrown)] }
}

function textsIn(given: unknown): string[] {
  return Array.isArray(given) ? given.map(String) : []
}

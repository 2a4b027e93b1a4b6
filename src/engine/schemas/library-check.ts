/** The check of a schema that a library made. It needs no JSON Schema, so that a web page can use it without a validator. */
import type { Checked } from '../../kernel/ask-until-valid.ts'
import type { Schema } from '../../kernel/schema.ts'
import { ThinkonError } from '../../protocol/index.ts'
import { isStandardSchema, type StandardIssue, type StandardSchema } from '../../schema/standard-schema.ts'
import { type AiSdkSchema, isAiSdkSchema } from './ai-sdk-schema.ts'
import type { GivenSchema } from './given-schema.ts'
import { issuesIn, textsOf } from './issues.ts'
import { isOurs, loaded } from './schema-json.ts'

/** Resolves to the value as the schema returns it, or to at least one problem. */
export type ValueCheck<T> = (value: unknown) => Promise<Checked<T>>

/** Null for a plain JSON Schema. `place` and `whole` as for `schemaOf`. */
export function libraryCheck(given: GivenSchema, place: string, whole: string): ValueCheck<unknown> | null {
  if (isStandardSchema(given)) return async (value) => standardResult(given, value, whole)
  if (isAiSdkSchema(given)) return aiSdkCheck(given, whole)
  if (typeof given === 'function') return libraryCheck(loaded(given, place), place, whole)
  return isOurs(given) ? async (value) => ourResult(given, value, whole) : null
}

async function standardResult(
  schema: StandardSchema,
  value: unknown,
  whole: string,
): Promise<Checked<unknown>> {
  const result = await schema['~standard'].validate(value)
  return result.issues === undefined ? { ok: true, value: result.value } : problemsIn(result.issues, whole)
}

function aiSdkCheck(schema: AiSdkSchema, whole: string): ValueCheck<unknown> | null {
  if (schema.validate === undefined) return null
  return async (value) => {
    const result = await schema.validate?.(value)
    if (result === undefined || result.success) return { ok: true, value: result?.value }
    return thrownProblems(result.error, whole)
  }
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

/** The error may be a ThinkonError, one of a schema library with a list of issues, or any other value. */
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

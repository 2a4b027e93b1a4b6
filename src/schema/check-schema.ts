/**
 * The one check of a value against a JSON Schema (2020-12, and what older drafts and OpenAPI write), for replies, tools, files
 * and messages alike.
 *
 * 1. The value is checked as JSON: a field that is undefined is absent, NaN is null.
 * 2. It never throws, for any value and schema. A keyword of the wrong form checks nothing (usable-schema.ts).
 * 3. Its work is bounded: patterns are matched in linear time, and a value that takes too many steps does not fit.
 */
import { errorText, keyText, shorten, ThinkonError } from '../protocol/index.ts'
import { patternProblem } from '../protocol/patterns/linear-pattern.ts'
import { WorkLimit } from '../protocol/patterns/work-limit.ts'
import { type Violation, violationsIn } from './read-errors.ts'
import { type JsonSchema, usableSchema } from './usable-schema.ts'
import { validate } from './validate.ts'

export type { JsonSchema, Violation }

/** Empty for a value that fits; otherwise its first twenty violations. */
export function checkSchema(value: unknown, schema: JsonSchema): Violation[] {
  if (value === undefined) return [{ path: [], message: 'is missing' }]
  try {
    const usable = usableSchema(schema)
    const text = JSON.stringify(value) ?? 'null'
    const errors = validate(JSON.parse(text), usable, new WorkLimit(text.length))
    return violationsIn(errors, usable)
  } catch (error) {
    return [{ path: [], message: failureText(error) }]
  }
}

/** `plan[0].name must be a string, not 3`; `whole` is what the value itself is called. */
export function violationText({ path, message }: Violation, whole: string): string {
  return `${keyText(path) || whole} ${message}`
}

/** The first thing that is wrong, in such words; undefined when the value fits. */
export function schemaProblem(value: unknown, schema: JsonSchema, whole = 'it'): string | undefined {
  const [first] = checkSchema(value, schema)
  return first && violationText(first, whole)
}

/** The part of a schema that checks nothing: a reference without a target, or an unsupported pattern. Undefined if there is none. */
export function uncheckedPart(schema: JsonSchema): string | undefined {
  try {
    const {
      strayReferences: [reference],
      strayPatterns: [pattern],
    } = usableSchema(schema)
    if (pattern !== undefined) return `pattern "${shorten(pattern, 200)}" ${patternProblem(pattern)}`
    if (reference === undefined) return undefined
    const where = reference.startsWith('#')
      ? 'leads nowhere'
      : 'leads out of the schema, and nothing is fetched'
    return `$ref "${shorten(reference, 200)}" ${where}: put what it means below $defs, and refer to it as "#/$defs/…"`
  } catch (error) {
    return failureText(error)
  }
}

function failureText(error: unknown): string {
  if (ThinkonError.isInstance(error) && error.code === 'LIMIT') return error.message
  return error instanceof RangeError ? 'is nested too deeply' : `can't be checked: ${errorText(error)}`
}

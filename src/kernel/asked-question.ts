import type { Question } from '../protocol/index.ts'
import { standardJson } from '../schema/standard-json.ts'
import { isStandardSchema, type StandardSchema } from '../schema/standard-schema.ts'

/** A question as a strategy asks it: `output`, the schema of the answer, may also be a Standard Schema (zod, Valibot, ArkType …). */
export type AskedQuestion = Omit<Question, 'output'> & {
  readonly output?: NonNullable<Question['output']> | StandardSchema
}

/** The question as it is recorded, with its schema as JSON Schema. Throws BAD_INPUT for a Standard Schema that can't be written so. */
export function askedQuestion({ output, ...question }: AskedQuestion): Question {
  if (output === undefined) return question
  const json = isStandardSchema(output) ? standardJson(output, 'the output of a question') : output
  return { ...question, output: json }
}

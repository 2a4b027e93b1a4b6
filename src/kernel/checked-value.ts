import { checkSchema, type JsonSchema, violationText } from '../schema/check-schema.ts'
import type { Checked } from './ask-until-valid.ts'

/** The value, or what is wrong with it, in words; `whole` is what it is called there. */
export function checkedValue(value: unknown, schema: JsonSchema, whole: string): Checked<unknown> {
  const problems = checkSchema(value, schema).map((one) => violationText(one, whole))
  return problems.length === 0 ? { ok: true, value } : { ok: false, problems }
}

/** Chooses among the values that a reply gives in YAML. */
import { isDeepStrictEqual } from 'node:util'
import { checkSchema, type JsonSchema } from '../schema/check-schema.ts'
import { doubtAbout } from './doubts.ts'
import type { Findings } from './find-values.ts'
import { readYaml, type YamlRead } from './read-yaml.ts'
import { ambiguous, doubtful, invalid, misfitAfter, type Reading, severalFit, unreadable } from './reading.ts'
import { hasRequired, isRival } from './rivals.ts'

export async function judgeYaml(
  text: string,
  findings: Findings,
  schema: JsonSchema,
  known: ReadonlySet<string>,
): Promise<Reading> {
  const read = await readYaml(text, findings, known, (value) => fitsAsIs(value, schema))
  const loss = read.find((one) => 'why' in one)
  if (loss !== undefined) return ambiguous(loss.why)
  const values = read.filter((one) => 'value' in one)
  const first = values.findIndex(({ value }) => fitsAsIs(value, schema))
  const found = values[first]
  if (found !== undefined) return settle(found, values.slice(first + 1), schema)
  const object = values.find(({ value }) => hasRequired(value, schema))
  if (object !== undefined) return invalid(checkSchema(object.value, schema))
  return unreadable(
    findings.thinking.length > 0 ? 'there is no JSON after the thinking' : 'there is no JSON in it',
  )
}

function settle(found: YamlRead, later: readonly YamlRead[], schema: JsonSchema): Reading {
  const { value, repairs, others: readings, before, after } = found
  const others = later.filter((one) => !isDeepStrictEqual(one.value, value))
  if (others.some((one) => fitsAsIs(one.value, schema))) return severalFit(others.length + 1)
  if (others.some((one) => isRival(one.value, schema))) return misfitAfter()
  if (readings.some((one) => fitsAsIs(one, schema)))
    return ambiguous(
      'a text without quotes can be read two ways (where it ends, or whether it is one); give JSON, with texts in quotes',
    )
  const doubt = doubtAbout(value, before, after, schema)
  return doubt === null ? { value, repairs } : doubtful(doubt)
}

function fitsAsIs(value: unknown, schema: JsonSchema): boolean {
  return typeof value === 'object' && checkSchema(value, schema).length === 0
}

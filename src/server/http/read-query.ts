/** The parameters of an address, as the values that their schemas mean. */
import type { JsonSchema } from '../../schema/check-schema.ts'
import { requireFits } from '../start-request.ts'

export function readQuery(
  given: URLSearchParams,
  schemas: Readonly<Record<string, JsonSchema>>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, text] of given)
    values[name] = readValue(text, Object.hasOwn(schemas, name) ? schemas[name] : {})
  requireFits(values, { type: 'object', properties: schemas, additionalProperties: false }, 'the query')
  return values
}

/** What can't be read stays a text, which the schema refuses in its words. */
function readValue(text: string, { type }: JsonSchema = {}): unknown {
  if (type === 'boolean') return BOOLEANS.get(text) ?? text
  if (type === 'integer' || type === 'number')
    return /^-?\d{1,20}(?:\.\d{1,20})?$/.test(text) ? Number(text) : text
  return type === 'array' ? text.split(',') : text
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['', true],
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
])

import { describe, expect, it } from 'vitest'
import { checkOf } from '../../src/engine/schemas/read-schema.ts'
import { readReply } from '../../src/reply/read-reply.ts'
import { type JsonSchema, schemaProblem } from '../../src/schema/check-schema.ts'
import { type InputsSchema, inputProblems } from '../../src/tools/executors/executor.ts'
import { field, objectSchema } from '../../src/tools/object-schema.ts'
import { PROBES } from '../schema-probes.ts'

/** Whether a consumer takes `{ value }`, by a schema that asks for it. */
type Takes = (given: { value: unknown }, schema: InputsSchema) => boolean | Promise<boolean>

const CONSUMERS: Readonly<Record<string, Takes>> = {
  'a reply': async (given, schema) => 'value' in (await readReply(JSON.stringify(given), schema)),
  'what a user gives a schema for': async (given, schema) => (await checkOf(schema, 'it')(given)).ok,
  'a built-in tool': (given, schema) =>
    passes(() => objectSchema({ value: field(schema.properties.value as JsonSchema) }).check(given)),
  'an executor or a blueprint': (given, schema) => inputProblems(schema, given).length === 0,
  'a message of tot': (given, schema) => schemaProblem(given, schema) === undefined,
}

// A reference reaches what is at the top of its own schema only; one slow probe is enough for all.
const probes = PROBES.filter(
  ({ name }) => !name.includes('$ref') && !name.includes('anchor') && !name.includes('for ever'),
)

describe.each(Object.entries(CONSUMERS))('%s is checked like any other', (_, takes) => {
  it.each(probes)('$name', async ({ schema, fits, fails }) => {
    const whole = {
      type: 'object' as const,
      properties: { value: schema },
      required: ['value'],
      additionalProperties: false as const,
    }
    for (const value of fits) expect(await takes({ value }, whole), JSON.stringify(value)).toBe(true)
    for (const value of fails) expect(await takes({ value }, whole), JSON.stringify(value)).toBe(false)
  })
})

function passes(check: () => unknown): boolean {
  try {
    check()
    return true
  } catch {
    return false
  }
}

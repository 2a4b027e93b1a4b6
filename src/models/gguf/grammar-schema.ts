/**
 * A JSON Schema as node-llama-cpp's grammars understand it. They take what they don't know for `null` and every property for
 * required, so a schema is put into their words here:
 *
 * 1. The grammar allows every value that the schema allows, except for the order of properties: the required ones come first.
 * 2. What a grammar can't hold (patterns, ranges, `allOf` …) is left out. The reply is checked against the schema itself.
 */
import { isObject } from '../../protocol/index.ts'
import type { JsonSchema } from '../../schema/check-schema.ts'

export function grammarSchema(schema: JsonSchema): JsonSchema {
  const defs = isObject(schema.$defs) ? schema.$defs : {}
  const known = new Set(Object.keys(defs).map((name) => `#/$defs/${name}`))
  const entries = Object.entries(defs).map(([name, def]) => [name, translated(def, known)])
  return { ...translated(schema, known), ...(entries.length > 0 && { $defs: Object.fromEntries(entries) }) }
}

const SCALARS = ['string', 'number', 'boolean', 'null'] as const
const ANY_OBJECT = { type: 'object', additionalProperties: true }
const ANY: JsonSchema = { oneOf: [...SCALARS.map((type) => ({ type })), ANY_OBJECT, { type: 'array' }] }

/** A grammar grows with each repetition, and with each property that may be left out, twofold. */
const MAX_REPETITIONS = 256
const MAX_OPTIONAL = 4

function translated(given: unknown, refs: ReadonlySet<string>): JsonSchema {
  if (!isObject(given)) return ANY
  if (typeof given.$ref === 'string') return refs.has(given.$ref) ? { $ref: given.$ref } : ANY
  if ('const' in given) return isScalar(given.const) ? { const: given.const } : ANY
  if (Array.isArray(given.enum)) return given.enum.every(isScalar) ? { enum: given.enum } : ANY
  const branches = given.anyOf ?? given.oneOf
  if (Array.isArray(branches)) return { oneOf: branches.map((branch) => translated(branch, refs)) }
  if (Array.isArray(given.type))
    return { oneOf: given.type.map((type) => translated({ ...given, type }, refs)) }
  switch (given.type) {
    case 'object':
      return objectSchema(given, refs)
    case 'array':
      return arraySchema(given, refs)
    case 'string':
      return { type: 'string', ...repetitions(given, 'minLength', 'maxLength') }
    case 'number':
    case 'integer':
    case 'boolean':
    case 'null':
      return { type: given.type }
    default:
      return ANY
  }
}

function objectSchema(given: JsonSchema, refs: ReadonlySet<string>): JsonSchema {
  const { properties, required, additionalProperties } = given
  const names = Array.isArray(required) ? required.map(String) : []
  const known = isObject(properties) ? properties : {}
  const needed = Object.fromEntries(names.map((name) => [name, translated(known[name], refs)]))
  const optional = Object.keys(known).filter((name) => !names.includes(name))
  // More than that, and those that may be left out are any of the properties that an open object may have.
  const isOpen = additionalProperties !== false || given.patternProperties !== undefined
  if (isOpen || optional.length > MAX_OPTIONAL)
    return { type: 'object', properties: needed, additionalProperties: true }
  const forms = subsets(optional).map((some) => {
    const more = some.map((name) => [name, translated(known[name], refs)])
    return { type: 'object', properties: { ...needed, ...Object.fromEntries(more) } }
  })
  return forms.length === 1 ? (forms[0] as JsonSchema) : { oneOf: forms }
}

function arraySchema(given: JsonSchema, refs: ReadonlySet<string>): JsonSchema {
  const { items, prefixItems } = given
  // A list that may end within its prefix has no form there.
  if (Array.isArray(prefixItems)) return { type: 'array' }
  return {
    type: 'array',
    ...(isObject(items) && { items: translated(items, refs) }),
    ...repetitions(given, 'minItems', 'maxItems'),
  }
}

function repetitions(given: JsonSchema, least: string, most: string): JsonSchema {
  const bounds = [least, most].map((key) => [key, given[key]] as const)
  return Object.fromEntries(
    bounds.filter(([, value]) => typeof value === 'number' && value <= MAX_REPETITIONS),
  )
}

function subsets([first, ...others]: readonly string[]): string[][] {
  if (first === undefined) return [[]]
  return subsets(others).flatMap((some) => [some, [first, ...some]])
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

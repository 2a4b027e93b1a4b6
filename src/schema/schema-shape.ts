/**
 * A schema as a model is told of it in words: the shape as a type, which models read more surely than JSON Schema and which takes a
 * third of the tokens. What a type can't say stands behind it as a comment.
 */
import { isObject } from '../protocol/json.ts'
import { readableFormat } from './formats.ts'
import type { JsonSchema } from './usable-schema.ts'

/** The schema as a type. Its lines after the first are indented. */
export function schemaShape(schema: JsonSchema, indent = ''): string {
  const text = shape(schema, indent, { root: schema, seen: [], written: { nodes: 0 } })
  const notes = limits(schema).filter(Boolean).join('; ')
  if (notes === '') return text
  return text.startsWith('{\n') ? `{ // ${notes}${text.slice(1)}` : `${text} // ${notes}`
}

interface Shaping {
  readonly root: JsonSchema
  /** Names of the definitions around this place: one that holds itself is named, not written out again. */
  readonly seen: readonly string[]
  /** How many schemas have been written out, all branches together. */
  readonly written: { nodes: number }
}

/** References beyond it are named, not written out: definitions that refer to others several times double with each. */
const MAX_NODES = 2_000

function shape(given: unknown, indent: string, at: Shaping): string {
  const schema = given as JsonSchema
  if (typeof given !== 'object' || given === null) return 'any value'
  at.written.nodes++
  if (typeof schema.$ref === 'string') return reference(schema.$ref, indent, at)
  if ('const' in schema) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map((one) => JSON.stringify(one)).join(' | ')
  const branches = schema.anyOf ?? schema.oneOf
  if (Array.isArray(branches)) return branches.map((branch) => shape(branch, indent, at)).join(' | ')
  if (Array.isArray(schema.allOf)) return schema.allOf.map((part) => shape(part, indent, at)).join(' & ')
  if (Array.isArray(schema.type)) {
    return schema.type.map((type) => shape({ ...schema, type }, indent, at)).join(' | ')
  }
  const words = schema.nullable === true ? ' | null' : ''
  if (schema.type === 'array') return `${list(schema, indent, at)}${words}`
  const isObjects = schema.type === 'object' || (schema.type === undefined && schema.properties !== undefined)
  if (isObjects) return fields(schema, indent, at) + words
  return `${TYPES[String(schema.type)] ?? 'any value'}${words}`
}

const TYPES: Record<string, string> = {
  string: 'string',
  number: 'number',
  integer: 'whole number',
  boolean: 'true | false',
  null: 'null',
}

function list({ prefixItems, items }: JsonSchema, indent: string, at: Shaping): string {
  const places = Array.isArray(prefixItems) ? prefixItems.map((place) => shape(place, indent, at)) : []
  const isOpen = places.length === 0 || isObject(items)
  return `[${[...places, ...(isOpen ? [shape(items ?? {}, indent, at), '…'] : [])].join(', ')}]`
}

function fields(schema: JsonSchema, indent: string, at: Shaping): string {
  const named = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  const { additionalProperties: other } = schema
  const entries = isObject(other) ? [...named, [ANY_NAME, other as JsonSchema] as const] : named
  if (entries.length === 0) return '{…}'
  const required = new Set<unknown>(Array.isArray(schema.required) ? schema.required : [])
  const inner = `${indent}  `
  const lines = entries.map(([name, field], i) => {
    const comma = i < entries.length - 1 ? ',' : ''
    const isOther = i === named.length
    const whose = named.length === 0 ? 'any name' : 'any other name'
    const place = isOther ? whose : required.has(name) ? '' : 'may be left out'
    const notes = [place, ...limits(field)].filter(Boolean)
    const comment = notes.length > 0 ? ` // ${notes.join('; ')}` : ''
    return `${inner}${JSON.stringify(name)}: ${shape(field, inner, at)}${comma}${comment}`
  })
  return `{\n${lines.join('\n')}\n${indent}}`
}

/** Stands for the name of any field that is not listed. */
const ANY_NAME = '…'

const LIMITS: Record<string, (bound: unknown) => string> = {
  minimum: (bound) => `at least ${bound}`,
  maximum: (bound) => (Number(bound) < Number.MAX_SAFE_INTEGER ? `at most ${bound}` : ''),
  exclusiveMinimum: (bound) => `more than ${bound}`,
  exclusiveMaximum: (bound) => `less than ${bound}`,
  minLength: (bound) => (bound === 1 ? 'not empty' : `at least ${bound} characters`),
  maxLength: (bound) => `at most ${bound} characters`,
  minItems: (bound) => `at least ${bound} items`,
  maxItems: (bound) => `at most ${bound} items`,
  pattern: (bound) => `matches ${bound}`,
  format: (bound) => `format ${bound}`,
  multipleOf: (bound) => `a multiple of ${bound}`,
  uniqueItems: (bound) => (bound === true ? 'no two alike' : ''),
}

function limits(field: unknown): string[] {
  if (typeof field !== 'object' || field === null) return []
  const schema = readablePattern(field as JsonSchema)
  const bounds = Object.entries(LIMITS).map(([keyword, words]) =>
    schema[keyword] === undefined || Number(schema[keyword]) <= Number.MIN_SAFE_INTEGER
      ? ''
      : words(schema[keyword]),
  )
  const about = typeof schema.description === 'string' ? schema.description.replace(/\s+/g, ' ') : ''
  return [about, ...bounds, ...branchLimits(schema), eachLimits(schema)]
}

function readablePattern(schema: JsonSchema): JsonSchema {
  const format = readableFormat(schema)
  return format === undefined ? schema : { ...schema, pattern: undefined, format }
}

/** Of a value that may be null, or else is of one kind. */
function branchLimits({ anyOf, oneOf }: JsonSchema): string[] {
  const branches = [anyOf ?? oneOf].flat().filter(isObject)
  const [only, ...others] = branches.filter(({ type }) => type !== 'null')
  return only === undefined || others.length > 0 ? [] : limits(only)
}

/** Of each item of a list. */
function eachLimits({ type, items }: JsonSchema): string {
  const each = type === 'array' ? limits(items).filter(Boolean).join('; ') : ''
  return each === '' ? '' : `each: ${each}`
}

function reference(ref: string, indent: string, at: Shaping): string {
  const name = ref.split('/').at(-1) || 'the whole'
  if (at.seen.includes(name) || ref === '#') return ref === '#' ? '(this form again)' : `(${name} again)`
  if (at.written.nodes > MAX_NODES) return `(${name})`
  const target = ref
    .split('/')
    .slice(1)
    .reduce<unknown>((part, step) => (part as JsonSchema | undefined)?.[step], at.root)
  return shape(target, indent, { ...at, seen: [...at.seen, name] })
}

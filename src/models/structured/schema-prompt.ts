/**
 * A schema as a model without structured output is told of it: the shape as a type, which models read more surely than
 * JSON Schema and which takes a third of the tokens. What a type can't say stands behind it as a comment.
 */
import { isObject } from '../../protocol/index.ts'
import type { JsonSchema } from '../../schema/check-schema.ts'

export interface SchemaPromptOptions {
  /** What the prompt says already: a form that is described there is not repeated. */
  readonly told?: string
  /** The model may call tools natively instead. */
  readonly orCallTools?: boolean
  /** Objects may have more fields than are listed. */
  readonly isOpen?: boolean
}

export function schemaPrompt(schema: JsonSchema, options: SchemaPromptOptions = {}): string {
  const { told = '', orCallTools = false, isOpen = false } = options
  const start = orCallTools ? 'Call tools, or answer' : 'Answer'
  const rest = 'and nothing else: no explanation, no code fence.'
  if (isDescribed(schema, told)) return `${start} with one JSON value ${rest}`
  const more = isOpen ? '\nObjects may have more fields than are listed here.' : ''
  return `${start} with one JSON value of this form ${rest}\n${schemaShape(schema)}${more}`
}

/** Whether a text has every name of a field, in quotes, and every fixed value; of any object there is nothing to say. */
function isDescribed(schema: JsonSchema, text: string): boolean {
  const words = wordsOf(schema)
  if (words.length === 0) return schema.type === 'object' && schema.properties === undefined
  return words.every((word) => text.includes(word))
}

function wordsOf(schema: JsonSchema): string[] {
  const words: string[] = []
  JSON.stringify(schema, (key, value) => {
    if (key === 'properties' && isObject(value)) words.push(...Object.keys(value).map((name) => `"${name}"`))
    if (key === 'enum' || key === 'const') words.push(...[value].flat().map(String))
    return value
  })
  return words
}

/** The schema as a type. Its lines after the first are indented. */
export function schemaShape(schema: JsonSchema, indent = ''): string {
  return shape(schema, indent, { root: schema, seen: [] })
}

interface Shaping {
  readonly root: JsonSchema
  /** Names of the definitions around this place: one that holds itself is named, not written out again. */
  readonly seen: readonly string[]
}

function shape(given: unknown, indent: string, at: Shaping): string {
  const schema = given as JsonSchema
  if (typeof given !== 'object' || given === null) return 'any value'
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
  if (schema.type === 'array') return `[${shape(schema.items ?? {}, indent, at)}, …]${words}`
  if (schema.type === 'object' || schema.properties !== undefined) return fields(schema, indent, at) + words
  return `${TYPES[String(schema.type)] ?? 'any value'}${words}`
}

const TYPES: Record<string, string> = {
  string: 'string',
  number: 'number',
  integer: 'whole number',
  boolean: 'true | false',
  null: 'null',
}

function fields(schema: JsonSchema, indent: string, at: Shaping): string {
  const entries = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  if (entries.length === 0) return '{…}'
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : []
  const inner = `${indent}  `
  const lines = entries.map(([name, field], i) => {
    const comma = i < entries.length - 1 ? ',' : ''
    const notes = [required.includes(name) ? '' : 'may be left out', ...limits(field)].filter(Boolean)
    const comment = notes.length > 0 ? ` // ${notes.join('; ')}` : ''
    return `${inner}${JSON.stringify(name)}: ${shape(field, inner, at)}${comma}${comment}`
  })
  return `{\n${lines.join('\n')}\n${indent}}`
}

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
}

function limits(field: unknown): string[] {
  if (typeof field !== 'object' || field === null) return []
  const schema = field as JsonSchema
  const bounds = Object.entries(LIMITS).map(([keyword, words]) =>
    schema[keyword] === undefined || Number(schema[keyword]) <= Number.MIN_SAFE_INTEGER
      ? ''
      : words(schema[keyword]),
  )
  const about = typeof schema.description === 'string' ? schema.description.replace(/\s+/g, ' ') : ''
  return [about, ...bounds]
}

function reference(ref: string, indent: string, at: Shaping): string {
  const name = ref.split('/').at(-1) || 'the whole'
  if (at.seen.includes(name) || ref === '#') return ref === '#' ? '(this form again)' : `(${name} again)`
  const target = ref
    .split('/')
    .slice(1)
    .reduce<unknown>((part, step) => (part as JsonSchema | undefined)?.[step], at.root)
  return shape(target, indent, { ...at, seen: [...at.seen, name] })
}

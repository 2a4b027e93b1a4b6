/**
 * A schema as the validator needs it: a copy, with its keywords in the order of evaluation, its references resolved and its
 * patterns compiled. A keyword whose value has the wrong form checks nothing: a pattern that is not a regular expression,
 * `required: true`, a reference that leads nowhere.
 */
import { isObject } from '../protocol/index.ts'
import { type LinearPattern, linearPattern } from '../protocol/patterns/linear-pattern.ts'
import { readableFormat } from './formats.ts'
import { orderOf } from './keywords.ts'
import { resolveReferences, type SchemaNode } from './references.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

export interface UsableSchema {
  readonly schema: SchemaNode
  /** The target of each schema with a `$ref`. */
  readonly targets: ReadonlyMap<SchemaNode, SchemaNode | boolean>
  /** By their source. A source that is missing checks nothing. */
  readonly patterns: ReadonlyMap<string, LinearPattern>
  /** Whether `unevaluatedProperties` or `unevaluatedItems` occurs in it. */
  readonly tracksEvaluated: boolean
  /** References without a target in the schema. Nothing is fetched: they check nothing. */
  readonly strayReferences: readonly string[]
  /** Valid regular expressions that are not supported. */
  readonly strayPatterns: readonly string[]
}

const known = new WeakMap<JsonSchema, UsableSchema>()

/** Made once for each object: a schema must not change after its first use. */
export function usableSchema(given: JsonSchema): UsableSchema {
  const made = known.get(given) ?? makeUsable(given)
  known.set(given, made)
  return made
}

function makeUsable(given: JsonSchema): UsableSchema {
  const schema = copy(given) as SchemaNode
  const { nodes, targets, stray } = resolveReferences(schema)
  const sources = nodes.flatMap(({ pattern, patternProperties = {} }) => [
    ...(pattern === undefined ? [] : [pattern]),
    ...Object.keys(patternProperties),
  ])
  const patterns = new Map<string, LinearPattern>()
  for (const source of sources) {
    const compiled = patterns.get(source) ?? linearPattern(source)
    if (compiled !== undefined) patterns.set(source, compiled)
  }
  return {
    schema,
    targets,
    patterns,
    tracksEvaluated: nodes.some((node) => 'unevaluatedProperties' in node || 'unevaluatedItems' in node),
    strayReferences: stray,
    strayPatterns: sources.filter((source) => !patterns.has(source) && isRegExp(source)),
  }
}

function isRegExp(source: string): boolean {
  try {
    new RegExp(source)
    return true
  } catch {
    return false
  }
}

/** Of keywords that are not known all is kept that a reference may lead to. */
function copy(given: unknown): unknown {
  if (typeof given === 'boolean') return given
  if (!isObject(given)) return true
  const entries = Object.entries(given).flatMap(([keyword, value]): [string, unknown][] => {
    const kept = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword]?.(value) : other(value)
    return kept === undefined ? [] : [[keyword, kept]]
  })
  entries.sort(([a], [b]) => orderOf(a) - orderOf(b))
  // Under a name that checks nothing, for messages.
  const readable = readableFormat(given)
  const schema: SchemaNode = Object.fromEntries([
    ...entries,
    ...(readable ? [['readableFormat', readable]] : []),
  ])
  return given.nullable === true ? nullable(schema) : schema
}

/** OpenAPI's word for a value that may be null. */
function nullable({ type, enum: allowed, ...rest }: SchemaNode): SchemaNode {
  return {
    ...(type === undefined ? {} : { type: [...type, 'null'] }),
    ...(allowed === undefined ? {} : { enum: [...allowed, null] }),
    ...rest,
  }
}

type Keep = (value: unknown) => unknown

const other: Keep = (value) => (isObject(value) ? copy(value) : value)
const whole: Keep = (value) => value
const nothing: Keep = () => undefined
const text: Keep = (value) => (typeof value === 'string' ? value : undefined)
const number: Keep = (value) => (Number.isFinite(value) ? value : undefined)
const truth: Keep = (value) => (typeof value === 'boolean' ? value : undefined)
const list: Keep = (value) => (Array.isArray(value) ? value : undefined)
const names: Keep = (value) =>
  Array.isArray(value) ? value.filter((name) => typeof name === 'string') : undefined
const schemaOnly: Keep = (value) => (isObject(value) || typeof value === 'boolean' ? copy(value) : undefined)
const schemas: Keep = (value) => (Array.isArray(value) && value.length > 0 ? value.map(copy) : undefined)
const schemaOrSchemas: Keep = (value) => (Array.isArray(value) ? schemas(value) : schemaOnly(value))
const mapOf = (keep: Keep): Keep => {
  const entry = ([name, value]: [string, unknown]) => {
    const kept = keep(value)
    return kept === undefined ? [] : [[name, kept]]
  }
  return (value) => (isObject(value) ? Object.fromEntries(Object.entries(value).flatMap(entry)) : undefined)
}

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])
const type: Keep = (value) => {
  const types = [value].flat().filter((one) => TYPES.has(one as string))
  return types.length === 0 ? undefined : types
}

const KEYWORDS: Readonly<Record<string, Keep>> = {
  ...keywords(text, 'pattern $ref $id id $anchor $schema $comment title description errorMessage'),
  ...keywords(whole, 'const default examples example'),
  // In 2020-12 a format describes and does not check.
  ...keywords(nothing, 'format $recursiveRef $recursiveAnchor'),
  ...keywords(number, 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength'),
  ...keywords(number, 'minItems maxItems minProperties maxProperties minContains maxContains'),
  ...keywords(schemaOnly, 'not if then else contains propertyNames additionalItems unevaluatedItems'),
  ...keywords(schemaOnly, 'additionalProperties unevaluatedProperties'),
  ...keywords(schemas, 'allOf anyOf oneOf prefixItems'),
  ...keywords(mapOf(schemaOnly), 'properties $defs definitions dependentSchemas'),
  type,
  enum: list,
  required: names,
  uniqueItems: truth,
  items: schemaOrSchemas,
  patternProperties: mapOf((value) => copy(value)),
  dependentRequired: mapOf(names),
  dependencies: mapOf((value) => (Array.isArray(value) ? names(value) : schemaOnly(value))),
}

function keywords(keep: Keep, words: string): Record<string, Keep> {
  return Object.fromEntries(words.split(' ').map((word) => [word, keep]))
}

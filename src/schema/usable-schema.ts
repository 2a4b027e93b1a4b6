/**
 * A schema as the validator can take it: a copy, because the validator writes into what it is given, without what it would
 * stumble over. The rule is one: a keyword whose value is not what the standard asks for checks nothing. That holds for a
 * pattern that is no regular expression, for `required: true`, and for a reference that leads nowhere.
 */
import { dereference, type Schema } from '@cfworker/json-schema'
import { isObject } from '../protocol/index.ts'
import { readableFormat } from './formats.ts'
import { multiplies } from './multiplies.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

export interface UsableSchema {
  readonly schema: Schema
  /** Every schema in it by its URI: where references lead. */
  readonly lookup: Record<string, Schema | boolean>
  /**
   * Its author's regular expressions are run, every item of a list is compared with every other, or references make it many times
   * as large as it looks.
   */
  readonly mayTakeLong: boolean
  /** References that lead nowhere in it. Nothing is ever fetched: they check nothing. */
  readonly astray: readonly string[]
}

const made = new WeakMap<JsonSchema, UsableSchema>()

/** Made once for each object: a schema must not change after its first use. Throws where an `$id` is no URI. */
export function usableSchema(given: JsonSchema): UsableSchema {
  const known = made.get(given)
  if (known !== undefined) return known
  const schema = copy(given) as Schema
  const lookup = dereference(schema)
  const schemas = Object.values(lookup).filter((one): one is Schema => isObject(one))
  const astray: string[] = []
  for (const one of schemas) {
    if (!one.__absolute_ref__ || one.__absolute_ref__ in lookup) continue
    astray.push(String(one.$ref))
    delete one.$ref
  }
  const takesTime = schemas.some(
    ({ pattern, patternProperties, uniqueItems }) => pattern ?? patternProperties ?? uniqueItems,
  )
  const usable = { schema, lookup, mayTakeLong: takesTime || multiplies(schema, lookup), astray }
  made.set(given, usable)
  return usable
}

/** Of keywords that are not known all is kept that a reference may lead to. */
function copy(given: unknown): unknown {
  if (typeof given === 'boolean') return given
  if (!isObject(given)) return true
  const entries = Object.entries(given).flatMap(([keyword, value]) => {
    const kept = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword]?.(value) : other(value)
    return kept === undefined ? [] : [[keyword, kept]]
  })
  // Under a name that checks nothing, for messages.
  const readable = readableFormat(given)
  const schema: Schema = Object.fromEntries([...entries, ...(readable ? [['readableFormat', readable]] : [])])
  return given.nullable === true ? nullable(schema) : schema
}

/** OpenAPI's word for a value that may be null. */
function nullable({ type, enum: allowed, ...rest }: Schema): Schema {
  return {
    ...rest,
    ...(type === undefined ? {} : { type: [...[type].flat(), 'null'] }),
    ...(allowed === undefined ? {} : { enum: [...allowed, null] }),
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

/** The validator reads patterns by code points (`u`), where an escape that is not needed (`\-`, `\@`) is an error. */
const pattern: Keep = (value) => {
  if (typeof value !== 'string') return undefined
  const written = value.replace(/\\([\\\s\S])/g, (pair, char: string) =>
    /[a-zA-Z\d\s^$\\.*+?()[\]{}|/]/.test(char) ? pair : `\\u{${char.codePointAt(0)?.toString(16)}}`,
  )
  return isPattern(value) ? value : isPattern(written) ? written : undefined
}

function isPattern(source: string): boolean {
  try {
    new RegExp(source, 'u')
    return true
  } catch {
    return false
  }
}

const patternMap: Keep = (value) => {
  if (!isObject(value)) return undefined
  const entries = Object.entries(value).map(([name, schema]) => [pattern(name), copy(schema)] as const)
  return Object.fromEntries(entries.filter(([name]) => name !== undefined))
}

const KEYWORDS: Readonly<Record<string, Keep>> = {
  ...keywords(text, '$ref $id id $anchor $schema $comment title description errorMessage'),
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
  pattern,
  patternProperties: patternMap,
  dependentRequired: mapOf(names),
  dependencies: mapOf((value) => (Array.isArray(value) ? names(value) : schemaOnly(value))),
}

function keywords(keep: Keep, words: string): Record<string, Keep> {
  return Object.fromEntries(words.split(' ').map((word) => [word, keep]))
}

/**
 * Checks a value against a JSON Schema (the part of 2020-12 that models are asked with) and says what is wrong in words
 * that a model can act on. Keywords it does not know are passed over, as the standard has it; it never throws.
 */
import { isDeepStrictEqual } from 'node:util'

export type JsonSchema = Readonly<Record<string, unknown>>

export interface Violation {
  /** JSON Pointer to the place; empty for the whole value. */
  readonly path: string
  /** What must be and what is: `must be a text, is a number (3)`. */
  readonly message: string
}

export function checkSchema(value: unknown, schema: JsonSchema): Violation[] {
  const found: Violation[] = []
  check(value, schema, '', { root: schema, found, depth: 0 })
  return found.slice(0, MAX_VIOLATIONS)
}

export function violationText({ path, message }: Violation): string {
  return path === '' ? `the reply ${message}` : `${path}: ${message}`
}

const MAX_VIOLATIONS = 20
/** Deeper than any schema means to go: a `$ref` that leads back to itself, or a value made to break us. */
const MAX_DEPTH = 200

interface Checking {
  readonly root: JsonSchema
  readonly found: Violation[]
  readonly depth: number
}

type Rule = (value: never, schema: JsonSchema, path: string, at: Checking) => void

function check(value: unknown, given: unknown, path: string, at: Checking): void {
  if (given === true || given === undefined) return
  if (at.found.length >= MAX_VIOLATIONS) return
  if (given === false || at.depth > MAX_DEPTH) {
    say(at, path, given === false ? 'must not be there' : 'is nested too deeply')
    return
  }
  const schema = given as JsonSchema
  const inner = { ...at, depth: at.depth + 1 }
  if (typeof schema.$ref === 'string') check(value, resolve(schema.$ref, at.root), path, inner)
  if (value === null && schema.nullable === true) return
  if (!typeFits(value, schema.type)) {
    say(at, path, `must be ${typesText(schema.type)}, is ${valueText(value)}`)
    return
  }
  constants(value, schema, path, at)
  const rule = RULES[kindOf(value)]
  rule?.(value as never, schema, path, inner)
  combined(value, schema, path, inner)
}

const RULES: Record<string, Rule | undefined> = { string: text, number, array: list, object: fields }

function constants(value: unknown, schema: JsonSchema, path: string, at: Checking): void {
  if ('const' in schema && !isDeepStrictEqual(value, schema.const)) {
    say(at, path, `must be ${JSON.stringify(schema.const)}, is ${valueText(value)}`)
  }
  const allowed = schema.enum
  if (Array.isArray(allowed) && !allowed.some((one) => isDeepStrictEqual(value, one))) {
    say(
      at,
      path,
      `must be one of ${allowed.map((one) => JSON.stringify(one)).join(', ')}, is ${valueText(value)}`,
    )
  }
}

function text(value: string, schema: JsonSchema, path: string, at: Checking): void {
  const { minLength, maxLength, pattern } = schema
  // Characters as people count them; a text this short can't have too many of them either way.
  const length = typeof minLength === 'number' || typeof maxLength === 'number' ? [...value].length : 0
  if (typeof minLength === 'number' && length < minLength) {
    say(
      at,
      path,
      minLength === 1 ? 'must not be empty' : `must have at least ${minLength} characters, has ${length}`,
    )
  }
  if (typeof maxLength === 'number' && length > maxLength) {
    say(at, path, `must have at most ${maxLength} characters, has ${length}`)
  }
  if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(value)) {
    say(at, path, `must match ${pattern}, is ${valueText(value)}`)
  }
}

function number(value: number, schema: JsonSchema, path: string, at: Checking): void {
  const bounds: [keyword: string, fits: (bound: number) => boolean, words: string][] = [
    ['minimum', (bound) => value >= bound, 'at least'],
    ['maximum', (bound) => value <= bound, 'at most'],
    ['exclusiveMinimum', (bound) => value > bound, 'more than'],
    ['exclusiveMaximum', (bound) => value < bound, 'less than'],
    ['multipleOf', (bound) => Math.abs(value / bound - Math.round(value / bound)) < 1e-9, 'a multiple of'],
  ]
  for (const [keyword, fits, words] of bounds) {
    const bound = schema[keyword]
    if (typeof bound === 'number' && !fits(bound)) say(at, path, `must be ${words} ${bound}, is ${value}`)
  }
}

function list(value: readonly unknown[], schema: JsonSchema, path: string, at: Checking): void {
  const { minItems, maxItems, prefixItems, items, uniqueItems } = schema
  if (typeof minItems === 'number' && value.length < minItems) {
    say(at, path, `must have at least ${minItems} items, has ${value.length}`)
  }
  if (typeof maxItems === 'number' && value.length > maxItems) {
    say(at, path, `must have at most ${maxItems} items, has ${value.length}`)
  }
  const first: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : []
  value.forEach((item, i) => {
    check(item, i < first.length ? first[i] : items, `${path}/${i}`, at)
  })
  if (uniqueItems === true && new Set(value.map((item) => JSON.stringify(item))).size < value.length) {
    say(at, path, 'must not have the same item twice')
  }
}

function fields(value: Record<string, unknown>, schema: JsonSchema, path: string, at: Checking): void {
  const known = objectOf(schema.properties)
  const patterns = Object.entries(objectOf(schema.patternProperties))
  for (const name of Array.isArray(schema.required) ? schema.required : []) {
    if (!Object.hasOwn(value, name)) say(at, path, `must have the field "${name}"`)
  }
  for (const [name, field] of Object.entries(value)) {
    const place = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const fitting = patterns.filter(([pattern]) => new RegExp(pattern, 'u').test(name))
    for (const [, one] of fitting) check(field, one, place, at)
    if (Object.hasOwn(known, name)) check(field, known[name], place, at)
    else if (fitting.length > 0) continue
    else if (schema.additionalProperties === false) {
      const names = Object.keys(known)
      say(
        at,
        place,
        `is not a field that was asked for${names.length > 0 ? `; those are ${names.join(', ')}` : ''}`,
      )
    } else check(field, schema.additionalProperties, place, at)
  }
  const count = Object.keys(value).length
  const { minProperties, maxProperties } = schema
  if (typeof minProperties === 'number' && count < minProperties) {
    say(at, path, `must have at least ${minProperties} fields, has ${count}`)
  }
  if (typeof maxProperties === 'number' && count > maxProperties) {
    say(at, path, `must have at most ${maxProperties} fields, has ${count}`)
  }
}

function combined(value: unknown, schema: JsonSchema, path: string, at: Checking): void {
  for (const part of Array.isArray(schema.allOf) ? schema.allOf : []) check(value, part, path, at)
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const branches = schema[keyword]
    if (!Array.isArray(branches)) continue
    const tries = branches.map((branch) => violationsOf(value, branch, path, at))
    const fitting = tries.filter((violations) => violations.length === 0).length
    if (fitting === 0) at.found.push(...nearest(value, branches, tries, path, at.root))
    else if (fitting > 1 && keyword === 'oneOf')
      say(at, path, `must fit one of the allowed forms, fits ${fitting}`)
  }
  if (schema.not !== undefined && violationsOf(value, schema.not, path, at).length === 0) {
    say(at, path, 'must not have this form')
  }
  if (schema.if !== undefined) {
    const holds = violationsOf(value, schema.if, path, at).length === 0
    check(value, holds ? schema.then : schema.else, path, at)
  }
}

function violationsOf(value: unknown, schema: unknown, path: string, at: Checking): Violation[] {
  const found: Violation[] = []
  check(value, schema, path, { ...at, found })
  return found
}

/** What is wrong with the branch that was meant: the one whose constants hold, else the one that is nearly right. */
function nearest(
  value: unknown,
  branches: readonly unknown[],
  tries: readonly Violation[][],
  path: string,
  root: JsonSchema,
): readonly Violation[] {
  const sameKind = branches.flatMap((branch, i) => {
    const { type } = deref(branch, root)
    return type !== undefined && typeFits(value, type) ? [i] : []
  })
  if (sameKind.length === 0) {
    const kinds = branches.map((branch) => typesText(deref(branch, root).type)).join(' or ')
    return [{ path, message: `must be ${kinds}, is ${valueText(value)}` }]
  }
  const meant = sameKind.filter((i) => constantsHold(value, deref(branches[i], root)))
  const [best] = (meant.length > 0 ? meant : sameKind).sort((a, b) => sizeOf(tries[a]) - sizeOf(tries[b]))
  return tries[best ?? 0] ?? []
}

function constantsHold(value: unknown, branch: JsonSchema): boolean {
  if (kindOf(value) !== 'object') return false
  const fixed = Object.entries(objectOf(branch.properties)).filter(([, field]) => 'const' in objectOf(field))
  return (
    fixed.length > 0 &&
    fixed.every(([name, field]) => (value as Record<string, unknown>)[name] === objectOf(field).const)
  )
}

function sizeOf(violations: readonly Violation[] | undefined): number {
  return violations?.length ?? 0
}

function deref(schema: unknown, root: JsonSchema): JsonSchema {
  const given = objectOf(schema)
  return typeof given.$ref === 'string' ? objectOf(resolve(given.$ref, root)) : given
}

/** A place in the same document; one that is not there forbids nothing. */
function resolve(ref: string, root: JsonSchema): unknown {
  if (!ref.startsWith('#')) return true
  let at: unknown = root
  for (const part of ref.slice(1).split('/').slice(1)) {
    at = objectOf(at)[decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  return at ?? true
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function say(at: Checking, path: string, message: string): void {
  at.found.push({ path, message })
}

export function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}

function typeFits(value: unknown, type: unknown): boolean {
  if (type === undefined) return typeof value !== 'number' || Number.isFinite(value)
  if (Array.isArray(type)) return type.some((one) => typeFits(value, one))
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'number') return Number.isFinite(value)
  return kindOf(value) === type
}

const TYPE_WORDS: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

function typesText(type: unknown): string {
  const types = Array.isArray(type) ? type : [type]
  return types.map((one) => TYPE_WORDS[String(one)] ?? 'another form').join(' or ')
}

function valueText(value: unknown): string {
  const kind = kindOf(value)
  if (kind === 'null') return 'null'
  if (kind === 'array' || kind === 'object') return TYPE_WORDS[kind] ?? kind
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value)
  const short = shown.length > 60 ? `${shown.slice(0, 57)}…` : shown
  return kind === 'boolean' ? `true or false (${short})` : `${TYPE_WORDS[kind] ?? kind} (${short})`
}

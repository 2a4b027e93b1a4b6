import { isObject } from '../protocol/index.ts'
import { type Application, errorOf, type Key, pathOf, type SchemaError } from './application.ts'
import type { Subschema } from './references.ts'

/** Whether the value fits, or what is wrong inside it. A value of another type than the keyword's fits. */
type Check<T> = (keywordValue: T, application: Application) => boolean | readonly SchemaError[]
type CheckOf<V, T> = (keywordValue: T, value: V, application: Application) => boolean | readonly SchemaError[]
type Fields = Readonly<Record<string, unknown>>

function forObject<T>(check: CheckOf<Fields, T>): Check<T> {
  return (keywordValue, at) => !isObject(at.value) || check(keywordValue, at.value, at)
}

function forArray<T>(check: CheckOf<readonly unknown[], T>): Check<T> {
  return (keywordValue, at) => !Array.isArray(at.value) || check(keywordValue, at.value, at)
}

function forNumber(check: (limit: number, value: number) => boolean): Check<number> {
  return (limit, { value }) => typeof value !== 'number' || check(limit, value)
}

function forText<T>(check: CheckOf<string, T>): Check<T> {
  return (keywordValue, at) => typeof at.value !== 'string' || check(keywordValue, at.value, at)
}

const CHECKS = {
  $ref: (_: string, at) => at.run.here(at.run.targetOf(at.schema), at),
  type: (types: readonly string[], { value }) => types.some((type) => isOfType(value, type)),
  const: (constant: unknown, { value, run }) => run.equal(value, constant),
  enum: (allowed: readonly unknown[], { value, run }) => allowed.some((one) => run.equal(value, one)),
  not: (other: Subschema, { value, place, evaluated, run }) =>
    run.apply(other, value, place, evaluated && new Set()).length > 0,
  anyOf: (forms: readonly Subschema[], at) => checkForms('anyOf', forms, at, (count) => count > 0),
  allOf: (all: readonly Subschema[], at) => all.flatMap((one) => at.run.here(one, at)),
  oneOf: (forms: readonly Subschema[], at) => checkForms('oneOf', forms, at, (count) => count === 1),
  if: (condition: Subschema, at) => {
    const holds = at.run.here(condition, at).length === 0
    return at.run.here((holds ? at.schema.then : at.schema.else) ?? true, at)
  },

  required: forObject((names: readonly string[], value) => names.every((name) => Object.hasOwn(value, name))),
  minProperties: forObject((least: number, value) => Object.keys(value).length >= least),
  maxProperties: forObject((most: number, value) => Object.keys(value).length <= most),
  propertyNames: forObject((schema: Subschema, value, { place, run }) =>
    Object.keys(value).flatMap((name) =>
      run
        .apply(schema, name, { parent: place, key: name }, undefined)
        .map((error) => ({ ...error, atKey: true as const })),
    ),
  ),
  dependentRequired: forObject(checkDependencies),
  dependentSchemas: forObject(checkDependencies),
  dependencies: forObject(checkDependencies),
  properties: forObject((properties: Readonly<Record<string, Subschema>>, value, at) =>
    Object.entries(properties).flatMap(([name, schema]) =>
      Object.hasOwn(value, name) ? at.run.inside(schema, at, name) : [],
    ),
  ),
  patternProperties: forObject((schemas: Readonly<Record<string, Subschema>>, value, at) =>
    Object.entries(schemas).flatMap(([pattern, schema]) => {
      const names = Object.keys(value).filter((name) => at.run.matches(pattern, name) === true)
      return at.run.insideAll(schema, at, names)
    }),
  ),
  additionalProperties: forObject((schema: Subschema, value, at) => {
    const { properties = {}, patternProperties = {} } = at.schema
    const patterns = Object.keys(patternProperties)
    const isOther = (name: string) =>
      !Object.hasOwn(properties, name) && !patterns.some((pattern) => at.run.matches(pattern, name))
    return checkOthers('additionalProperties', schema, Object.keys(value).filter(isOther), at)
  }),
  unevaluatedProperties: forObject((schema: Subschema, value, at) => {
    const isOther = (name: string) => at.evaluated?.has(name) !== true
    return checkOthers('unevaluatedProperties', schema, Object.keys(value).filter(isOther), at)
  }),

  maxItems: forArray((most: number, value) => value.length <= most),
  minItems: forArray((least: number, value) => value.length >= least),
  prefixItems: forArray(checkByPosition),
  items: forArray((items: Subschema | readonly Subschema[], value, at) =>
    Array.isArray(items)
      ? checkByPosition(items, value, at)
      : at.run.insideAll(items as Subschema, at, from(at.schema.prefixItems?.length ?? 0, value)),
  ),
  additionalItems: forArray((schema: Subschema, value, at) => {
    const { items } = at.schema
    return Array.isArray(items) ? at.run.insideAll(schema, at, from(items.length, value)) : true
  }),
  contains: forArray(
    (schema: Subschema, value, { schema: { minContains = 1, maxContains }, evaluated, run }) => {
      const fitting = value.flatMap((item, i) =>
        run.apply(schema, item, null, undefined).length === 0 ? [i] : [],
      )
      for (const i of fitting) evaluated?.add(i)
      return fitting.length >= minContains && fitting.length <= (maxContains ?? fitting.length)
    },
  ),
  unevaluatedItems: forArray((schema: Subschema, value, at) => {
    const others = [...from(0, value)].filter((i) => at.evaluated?.has(i) !== true)
    return at.run.insideAll(schema, at, others)
  }),
  uniqueItems: forArray((unique: boolean, value, { run }) => {
    if (!unique) return true
    return new Set(value.map((item) => run.textOf(item))).size === value.length
  }),

  minimum: forNumber((least, value) => value >= least),
  maximum: forNumber((most, value) => value <= most),
  exclusiveMinimum: forNumber((least, value) => value > least),
  exclusiveMaximum: forNumber((most, value) => value < most),
  multipleOf: forNumber((divisor, value) => isMultiple(value, divisor)),

  minLength: forText((least: number, value) => value.length >= least && lengthOf(value) >= least),
  maxLength: forText((most: number, value) => value.length <= most || lengthOf(value) <= most),
  pattern: forText((source: string, value, { run }) => run.matches(source, value) ?? true),
} satisfies Record<string, Check<never>>

/** In the order of evaluation. */
export const KEYWORDS: ReadonlyMap<string, Check<never>> = new Map(Object.entries(CHECKS))

const ORDER = new Map([...KEYWORDS.keys()].map((keyword, i) => [keyword, i]))

/** A keyword's position in the order of evaluation. Those that check nothing come last. */
export function orderOf(keyword: string): number {
  return ORDER.get(keyword) ?? ORDER.size
}

export function isOfType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'object') return isObject(value)
  if (type === 'array') return Array.isArray(value)
  return type === 'null' ? value === null : typeof value === type
}

function checkForms(
  keyword: string,
  all: readonly Subschema[],
  at: Application,
  isEnough: (fitting: number) => boolean,
): boolean | SchemaError[] {
  const forms = all.map((form) => at.run.here(form, at))
  const fitting = forms.filter((errors) => errors.length === 0).length
  return isEnough(fitting) || [{ ...errorOf(keyword, at), forms }]
}

function checkDependencies(
  dependencies: Readonly<Record<string, readonly string[] | Subschema>>,
  value: Fields,
  at: Application,
): boolean | SchemaError[] {
  const present = Object.entries(dependencies).filter(([name]) => Object.hasOwn(value, name))
  const isComplete = present.every(
    ([, needed]) => !Array.isArray(needed) || needed.every((name) => Object.hasOwn(value, name)),
  )
  if (!isComplete) return false
  return present.flatMap(([, schema]) => (Array.isArray(schema) ? [] : at.run.here(schema as Subschema, at)))
}

function checkOthers(
  keyword: string,
  schema: Subschema,
  names: readonly string[],
  at: Application,
): readonly SchemaError[] {
  if (schema !== false) return at.run.insideAll(schema, at, names)
  const inside = (key: string) => pathOf({ parent: at.place, key })
  return names.map((name) => ({ ...errorOf(keyword, at), path: inside(name), atKey: true }))
}

function checkByPosition(
  schemas: readonly Subschema[],
  value: readonly unknown[],
  at: Application,
): readonly SchemaError[] {
  return schemas.slice(0, value.length).flatMap((schema, i) => at.run.inside(schema, at, i))
}

function* from(start: number, { length }: readonly unknown[]): Iterable<Key> {
  for (let i = start; i < length; i++) yield i
}

/** In characters, not in code units. */
function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}

/** Exact for decimal fractions: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, divisor: number): boolean {
  if (divisor <= 0) return false
  const [a, b] = [decimal(value), decimal(divisor)]
  const exponent = a.exponent - b.exponent
  const scale = (count: number) => 10n ** BigInt(Math.max(count, 0))
  return (a.digits * scale(exponent)) % (b.digits * scale(-exponent)) === 0n
}

function decimal(value: number): { digits: bigint; exponent: number } {
  const [mantissa = '', exponent = 0] = Math.abs(value).toString().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}

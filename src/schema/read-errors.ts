/** From the validator's flat list of errors, in which every enclosing keyword reports as well, to what a reader needs to know. */
import type { OutputUnit, Schema } from '@cfworker/json-schema'
import { isObject, type KeyPath } from '../protocol/index.ts'
import { MESSAGES, typesText, unknownText, valueText } from './messages.ts'
import type { UsableSchema } from './usable-schema.ts'

export interface Violation {
  readonly path: KeyPath
  /** What must be, and what is: `must be a string, not 3`. */
  readonly message: string
  /** It is about the last name of the path (missing, unknown, badly named), not about what stands there. */
  readonly atKey?: true
}

const MAX_VIOLATIONS = 20

export function violationsIn(errors: readonly OutputUnit[], checked: Checked): Violation[] {
  const all = new Map<string, Violation>()
  for (const violation of violationsOf(errors, checked)) {
    all.set(JSON.stringify([violation.path, violation.message]), violation)
    if (all.size === MAX_VIOLATIONS) break
  }
  return [...all.values()]
}

interface Checked extends UsableSchema {
  readonly value: unknown
}

/** These only say that something inside them is wrong. */
const ENCLOSING = new Set(
  '$ref allOf if properties patternProperties items prefixItems additionalItems unevaluatedItems dependentSchemas'.split(
    ' ',
  ),
)

/** These report what is inside them themselves. */
const REPORTS: Readonly<
  Record<string, (error: OutputUnit, inner: OutputUnit[], checked: Checked) => Iterable<Violation>>
> = {
  anyOf: formViolations,
  oneOf: formViolations,
  propertyNames: nameViolations,
  additionalProperties: otherFields,
  unevaluatedProperties: otherFields,
  required: (error, _, checked) => missingFields(error, checked),
  contains: (error, _, checked) => [leaf(error, checked)],
}

function* violationsOf(errors: readonly OutputUnit[], checked: Checked): Generator<Violation> {
  /** Where the type is wrong: the rest goes without saying. */
  const mistyped = new Set<string>()
  for (let i = 0; i < errors.length; i++) {
    const error = errors[i] as OutputUnit
    const { keyword, instanceLocation, keywordLocation } = error
    const where = `${instanceLocation} ${parentOf(keywordLocation)}`
    if (ENCLOSING.has(keyword) || mistyped.has(where)) continue
    if (keyword === 'type') mistyped.add(where)
    const report = REPORTS[keyword]
    if (report === undefined) yield leaf(error, checked)
    else {
      const inner = insideOf(errors, i)
      yield* report(error, inner, checked)
      i += inner.length
    }
  }
}

/** The errors from inside a keyword follow its own. That of a schema `false` follows, too, and says the wrong location. */
function insideOf(errors: readonly OutputUnit[], at: number): OutputUnit[] {
  const inside = `${errors[at]?.keywordLocation}/`
  let end = at + 1
  for (let next = errors[end]; next !== undefined; next = errors[++end])
    if (next.keyword !== 'false' && !next.keywordLocation.startsWith(inside)) break
  return errors.slice(at + 1, end)
}

function leaf({ keyword, instanceLocation, keywordLocation }: OutputUnit, checked: Checked): Violation {
  const { path, value } = valueAt(instanceLocation, checked.value)
  const schema = keyword === 'false' ? {} : schemaAt(parentOf(keywordLocation), checked)
  const format = keyword === 'pattern' ? schema.readableFormat : undefined
  const words =
    format === undefined
      ? (MESSAGES[keyword]?.(value, schema[keyword] as never) ?? `does not fit the schema ("${keyword}")`)
      : `must be of the format ${format}, not ${valueText(value)}`
  return { path, message: schema.errorMessage ?? words }
}

function missingFields({ instanceLocation, keywordLocation }: OutputUnit, checked: Checked): Violation[] {
  const { path, value } = valueAt(instanceLocation, checked.value)
  const { required = [] } = schemaAt(parentOf(keywordLocation), checked)
  return required
    .filter((name) => !Object.hasOwn(value as object, name))
    .map((name) => ({ path: [...path, name], message: 'is missing', atKey: true }))
}

function* otherFields(error: OutputUnit, inner: OutputUnit[], checked: Checked): Iterable<Violation> {
  if (inner[0]?.keyword !== 'false') {
    yield* violationsOf(inner, checked)
    return
  }
  const { path } = valueAt(inner[0].instanceLocation, checked.value)
  const { properties = {} } = schemaAt(parentOf(error.keywordLocation), checked)
  yield { path, message: unknownText(String(path.at(-1)), Object.keys(properties)), atKey: true }
}

function nameViolations(_: OutputUnit, inner: OutputUnit[], checked: Checked): Violation[] {
  return inner.map(({ keyword, instanceLocation, keywordLocation }) => {
    const { path } = valueAt(instanceLocation, checked.value)
    const schema = keyword === 'false' ? {} : schemaAt(parentOf(keywordLocation), checked)
    const words = MESSAGES[keyword]?.(path.at(-1), schema[keyword] as never) ?? 'must have another name'
    return { path, message: schema.errorMessage ?? words, atKey: true }
  })
}

/** What is wrong with the form that was meant: the one whose constants hold, else the one that is nearly right. */
function formViolations(error: OutputUnit, inner: OutputUnit[], checked: Checked): readonly Violation[] {
  const { path, value } = valueAt(error.instanceLocation, checked.value)
  const schema = schemaAt(parentOf(error.keywordLocation), checked)
  const whole = (message: string): Violation[] => [{ path, message: schema.errorMessage ?? message }]
  const forms = ((schema[error.keyword] ?? []) as Schema[]).map((form) => resolved(form, checked))
  const tries = triesOf(error, inner, forms.length)
  const fitting = tries.filter((tried) => tried.length === 0).length
  if (fitting > 1) return whole(`must fit exactly one of the allowed forms, and fits ${fitting}`)

  const sameType = forms.flatMap((form, i) => (hasType(value, form.type) ? [i] : []))
  if (sameType.length === 0) {
    const types = forms.flatMap(({ type }) => type ?? '')
    if (types.includes('')) return whole(`must fit one of the allowed forms, not ${valueText(value)}`)
    return whole(`must be ${typesText(types)}, not ${valueText(value)}`)
  }
  const meant = sameType.filter((i) => constantsHold(value, forms[i]))
  const [best = []] = (meant.length > 0 ? meant : sameType)
    .map((i) => violationsIn(tries[i] ?? [], checked))
    .sort((a, b) => a.length - b.length)
  const isInside = best.every((violation) => violation.path.length > path.length)
  return isInside || schema.errorMessage === undefined ? best : whole('')
}

/** The errors of each form by its place in the list. */
function triesOf(
  { keywordLocation }: OutputUnit,
  inner: readonly OutputUnit[],
  count: number,
): OutputUnit[][] {
  const tries: OutputUnit[][] = Array.from({ length: count }, () => [])
  let form = 0
  for (const error of inner) {
    if (error.keyword !== 'false')
      form = Number.parseInt(error.keywordLocation.slice(keywordLocation.length + 1), 10)
    tries[form]?.push(error)
  }
  return tries
}

function hasType(value: unknown, types: Schema['type']): boolean {
  return [types ?? []].flat().some((type) => {
    if (type === 'integer') return Number.isInteger(value)
    if (type === 'object') return isObject(value)
    if (type === 'array') return Array.isArray(value)
    return type === 'null' ? value === null : typeof value === type
  })
}

function constantsHold(value: unknown, form: Schema | undefined): boolean {
  if (!isObject(value)) return false
  const fixed = Object.entries(form?.properties ?? {}).filter(
    ([, field]) => isObject(field) && 'const' in field,
  )
  return fixed.length > 0 && fixed.every(([name, field]) => value[name] === (field as Schema).const)
}

function parentOf(location: string): string {
  return location.slice(0, location.lastIndexOf('/'))
}

function stepsOf(location: string): string[] {
  return location
    .split('/')
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
}

function valueAt(location: string, root: unknown): { path: KeyPath; value: unknown } {
  const path: (string | number)[] = []
  let value = root
  for (const step of stepsOf(location)) {
    path.push(Array.isArray(value) ? Number(step) : step)
    value = (value as Record<string, unknown>)[step]
  }
  return { path, value }
}

function schemaAt(location: string, checked: Checked): Schema {
  let at: unknown = checked.schema
  for (const step of stepsOf(location)) {
    at =
      step === '$ref' && isObject(at) && typeof at.$ref === 'string'
        ? resolved(at, checked)
        : (at as Schema)[step]
  }
  return isObject(at) ? at : {}
}

function resolved(schema: Schema, { lookup }: Checked): Schema {
  const target = schema.__absolute_ref__ === undefined ? schema : lookup[schema.__absolute_ref__]
  return isObject(target) ? target : {}
}

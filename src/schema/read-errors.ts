/** Turns the errors of a validation into messages. */
import { isObject, type KeyPath } from '../protocol/index.ts'
import type { SchemaError } from './application.ts'
import { isOfType } from './keywords.ts'
import { MESSAGES, typesText, unknownText, valueText } from './messages.ts'
import type { SchemaNode, Subschema } from './references.ts'
import type { UsableSchema } from './usable-schema.ts'

export interface Violation {
  readonly path: KeyPath
  /** What must be, and what is: `must be a string, not 3`. */
  readonly message: string
  /** It is about the last name of the path (missing, unknown, badly named), not about what stands there. */
  readonly atKey?: true
}

const MAX_VIOLATIONS = 20

export function violationsIn(errors: readonly SchemaError[], usable: UsableSchema): Violation[] {
  const all = new Map<string, Violation>()
  for (const error of errors) {
    for (const violation of violationsOf(error, usable))
      if (all.size < MAX_VIOLATIONS) all.set(JSON.stringify([violation.path, violation.message]), violation)
    if (all.size === MAX_VIOLATIONS) break
  }
  return [...all.values()]
}

function violationsOf(error: SchemaError, usable: UsableSchema): readonly Violation[] {
  if (error.atKey) return [{ path: error.path, message: keyText(error), atKey: true }]
  if (error.forms !== undefined) return formViolations(error, error.forms, usable)
  if (error.keyword === 'required') return missingFields(error)
  return [{ path: error.path, message: error.schema.errorMessage ?? valueWords(error) }]
}

function valueWords({ keyword, value, schema }: SchemaError): string {
  if (keyword === 'pattern' && schema.readableFormat !== undefined)
    return `must be of the format ${schema.readableFormat}, not ${valueText(value)}`
  return MESSAGES[keyword]?.(value, schema[keyword] as never) ?? `does not fit the schema ("${keyword}")`
}

/** Of a name that is unknown, or does not fit `propertyNames`. */
function keyText({ keyword, path, schema }: SchemaError): string {
  const name = String(path.at(-1))
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties')
    return unknownText(name, Object.keys(schema.properties ?? {}))
  return (
    schema.errorMessage ?? MESSAGES[keyword]?.(name, schema[keyword] as never) ?? 'must have another name'
  )
}

function missingFields({ path, value, schema: { required = [] } }: SchemaError): Violation[] {
  return required
    .filter((name) => !Object.hasOwn(value as object, name))
    .map((name) => ({ path: [...path, name], message: 'is missing', atKey: true }))
}

/** What is wrong with the form that was meant: the one whose constants hold, else the one that is nearly right. */
function formViolations(
  { keyword, path, value, schema }: SchemaError,
  tries: readonly (readonly SchemaError[])[],
  usable: UsableSchema,
): readonly Violation[] {
  const whole = (message: string): Violation[] => [{ path, message: schema.errorMessage ?? message }]
  const forms = ((schema[keyword] ?? []) as Subschema[]).map((form) => resolved(form, usable))
  const fitting = tries.filter((tried) => tried.length === 0).length
  if (fitting > 1) return whole(`must fit exactly one of the allowed forms, and fits ${fitting}`)

  const sameType = forms.flatMap(({ type = [] }, i) => (type.some((one) => isOfType(value, one)) ? [i] : []))
  if (sameType.length === 0) {
    const types = forms.flatMap(({ type }) => type ?? '')
    if (types.includes('')) return whole(`must fit one of the allowed forms, not ${valueText(value)}`)
    return whole(`must be ${typesText(types)}, not ${valueText(value)}`)
  }
  const meant = sameType.filter((i) => constantsHold(value, forms[i]))
  const [best = []] = (meant.length > 0 ? meant : sameType)
    .map((i) => violationsIn(tries[i] ?? [], usable))
    .sort((a, b) => a.length - b.length)
  const isInside = best.every((violation) => violation.path.length > path.length)
  return isInside || schema.errorMessage === undefined ? best : whole('')
}

function constantsHold(value: unknown, form: SchemaNode | undefined): boolean {
  if (!isObject(value)) return false
  const fixed = Object.entries(form?.properties ?? {}).filter(
    ([, field]) => isObject(field) && 'const' in field,
  )
  return fixed.length > 0 && fixed.every(([name, field]) => value[name] === (field as SchemaNode).const)
}

function resolved(schema: Subschema, { targets }: UsableSchema): SchemaNode {
  if (typeof schema === 'boolean') return {}
  const target = targets.get(schema) ?? schema
  return typeof target === 'boolean' ? {} : target
}

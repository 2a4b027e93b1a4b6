/** Values that do not fit and yet may be the answer: incomplete, with names in another case, or with a wrong value. */
import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../protocol/index.ts'
import { checkSchema, type JsonSchema, type Violation } from '../schema/check-schema.ts'
import { allNames, formsOf, itemsOf, namesOf, wantedNames } from './schema-forms.ts'
import { loose } from './settle-texts.ts'

/** Whether a value that does not fit was perhaps meant as one of this schema. */
export function isRival(value: unknown, schema: JsonSchema): boolean {
  if (isObject(value)) return sharesName(value, schema)
  if (!Array.isArray(value)) return false
  const items = itemsOf(schema)
  // An answer may stand in a list of one.
  if (items === null) return value.length === 1 && isRival(value[0], schema)
  return value
    .slice(0, MAX_ITEMS)
    .some((item) => sharesName(item, items) || checkSchema(item, items).length === 0)
}

/** Whether it has everything that is required. */
export function hasRequired(value: unknown, schema: JsonSchema): boolean {
  if (!isObject(value)) return false
  return formsOf(schema).some((form) => {
    const names = Array.isArray(form.required) ? form.required.map(String) : namesOf(form)
    return names.length > 0 && names.every((name) => Object.hasOwn(value, name))
  })
}

/** What to say of a field that is there by another spelling, alone or beside it with another value; null when there is none. */
export function mistypedName(value: unknown, schema: JsonSchema): string | null {
  if (!isObject(value)) return null
  const names = namesOf(schema)
  const known = new Map(names.map((name) => [loose(name), name]))
  for (const name of Object.keys(value)) {
    const meant = known.get(loose(name))
    if (meant === undefined || names.includes(name) || isDeepStrictEqual(value[name], value[meant])) continue
    return `${JSON.stringify(name)} is not a known field: did you mean ${JSON.stringify(meant)}?`
  }
  return null
}

/** Whether a field stands where only others are known: a bracket that was lost may have been before it. */
export function isMisplaced(value: unknown, schema: JsonSchema): boolean {
  if (!isObject(value)) return false
  const own = namesOf(schema)
  const { properties: _, ...rest } = schema
  const parts = [rest, ...formsOf(schema).flatMap(({ properties }) => Object.values(properties ?? {}))]
  const deeper = new Set(parts.flatMap((part) => [...allNames(part as JsonSchema)]))
  const isOwn = (name: string) => own.includes(name)
  if (Object.keys(value).some((name) => !isOwn(name) && deeper.has(name))) return true
  return Object.values(value).some((item) => hasName(item, (name) => isOwn(name) && !deeper.has(name)))
}

function hasName(value: unknown, test: (name: string) => boolean): boolean {
  if (Array.isArray(value)) return value.some((item) => hasName(item, test))
  return isObject(value) && Object.entries(value).some(([name, item]) => test(name) || hasName(item, test))
}

const MAX_ITEMS = 50

/** Where a value that fits is inside another, which may be what was refused, that is what the model is told; null where none is. */
export function heldIn(value: unknown, schema: JsonSchema): Violation[] | null {
  if (!isObject(value)) return null
  const names = Object.keys(value).slice(0, MAX_ITEMS)
  const holder = names.find((name) => isObject(value[name]) && checkSchema(value[name], schema).length === 0)
  if (holder === undefined) return null
  return [
    { path: [holder], message: 'has a value that fits: if it is the answer, give it with nothing around it' },
  ]
}

/** Also by a name that was written another way: `Type`, `next-thought-needed`. A schema that is repeated shares names, too. */
function sharesName(value: unknown, schema: JsonSchema): boolean {
  if (!isObject(value) || isSchema(value)) return false
  const names = Object.keys(value).map(loose)
  return wantedNames(schema).some((name) => names.some((one) => isLike(one, loose(name))))
}

/** `my_thoughts` for `thoughts`. */
function isLike(name: string, wanted: string): boolean {
  return name === wanted || (wanted.length > 3 && (name.startsWith(wanted) || name.endsWith(wanted)))
}

function isSchema({ type, properties, items, $schema }: Readonly<Record<string, unknown>>): boolean {
  if ($schema !== undefined) return true
  return (type === 'object' && isObject(properties)) || (type === 'array' && isObject(items))
}

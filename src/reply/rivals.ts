/** Values that do not fit and yet may be the answer: incomplete, with names in another case, or with a wrong value. */
import { isObject } from '../protocol/index.ts'
import { checkSchema, type JsonSchema } from '../schema/check-schema.ts'
import { loose } from './settle-texts.ts'

/** Whether a value that does not fit was perhaps meant as one of this schema. */
export function isRival(value: unknown, schema: JsonSchema): boolean {
  if (isObject(value)) return sharesName(value, schema)
  if (!Array.isArray(value)) return false
  const items = isObject(schema.items) ? (schema.items as JsonSchema) : null
  // An answer may stand in a list of one.
  if (items === null) return value.length === 1 && isRival(value[0], schema)
  return value
    .slice(0, MAX_ITEMS)
    .some((item) => sharesName(item, items) || checkSchema(item, items).length === 0)
}

export function hasRequired(value: unknown, { required, properties }: JsonSchema): boolean {
  if (!isObject(value)) return false
  const names = Array.isArray(required) ? required : Object.keys(properties ?? {})
  return names.length > 0 && names.every((name) => Object.hasOwn(value, name))
}

const MAX_ITEMS = 50

/** Also by a name that was written another way: `Type`, `next-thought-needed`. A schema that is repeated shares names, too. */
function sharesName(value: unknown, { required, properties }: JsonSchema): boolean {
  if (!isObject(value) || isSchema(value)) return false
  const wanted = Array.isArray(required) && required.length > 0 ? required : Object.keys(properties ?? {})
  const names = new Set(Object.keys(value).map(loose))
  return wanted.some((name) => names.has(loose(String(name))))
}

function isSchema({ type, properties, items, $schema }: Readonly<Record<string, unknown>>): boolean {
  return (
    $schema !== undefined ||
    (type === 'object' && isObject(properties)) ||
    (type === 'array' && isObject(items))
  )
}

/**
 * The ways in which a parsed value fits a schema: as it is, out of a wrapper that models like to put around it, or with
 * fields that hold JSON as text where an object or a list is wanted, or null where they may be left out.
 */
import { isObject, parseJson } from '../protocol/index.ts'
import { checkSchema, type JsonSchema, type Violation } from '../schema/check-schema.ts'
import type { Read, Repair } from './repair.ts'

export function fits(value: unknown, schema: JsonSchema): Read[] {
  const direct = fitting(value, schema)
  if (direct !== null) return [direct]
  return unwrapped(value, schema, 2)
}

function fitting(value: unknown, schema: JsonSchema): Read | null {
  if (checkSchema(value, schema).length === 0) return { value, repairs: [] }
  return mended(value, schema)
}

function unwrapped(value: unknown, schema: JsonSchema, levels: number): Read[] {
  if (levels === 0) return []
  return inner(value, schema).flatMap((one) => {
    const fit = fitting(one, schema)
    const found = fit === null ? unwrapped(one, schema, levels - 1) : [fit]
    return found.map((way) => ({ value: way.value, repairs: ['wrapper-removed' as const, ...way.repairs] }))
  })
}

const ARGUMENT_FIELDS = ['arguments', 'parameters', 'input', 'args', 'function']
const CALL_FIELDS = new Set([...ARGUMENT_FIELDS, 'name', 'id', 'type', 'tool'])

/** What a wrapper holds: the items of a list; the only field of an object; the arguments of a tool call. */
function inner(value: unknown, schema: JsonSchema): unknown[] {
  if (Array.isArray(value)) return value.filter(isObject)
  if (!isObject(value)) return []
  const names = Object.keys(value)
  const known = Object.keys(schema.properties ?? {})
  if (names.length === 1 && !known.includes(names[0] as string)) return opened(Object.values(value))
  if (!names.every((name) => CALL_FIELDS.has(name))) return []
  return opened(ARGUMENT_FIELDS.map((name) => value[name]))
}

function opened(values: readonly unknown[]): unknown[] {
  return values
    .map((value) => parsedText(value) ?? value)
    .filter((value) => typeof value === 'object' && value !== null)
}

/**
 * Puts parsed objects and lists where the schema wants them and a text of JSON stands, and leaves out fields that are null where
 * the schema allows no null; null when that does not help. A required field is then missing: the value does not fit.
 */
function mended(value: unknown, schema: JsonSchema): Read | null {
  if (typeof value !== 'object' || value === null) return null
  const copy: unknown = structuredClone(value)
  const repairs = new Set<Repair>()
  let violations = checkSchema(copy, schema)
  for (let round = 0; round < 3; round++) {
    const done = violations.flatMap((violation) => mendAt(copy, violation) ?? [])
    if (done.length === 0) return null
    for (const repair of done) repairs.add(repair)
    violations = checkSchema(copy, schema)
    if (violations.length === 0) return { value: copy, repairs: [...repairs] }
  }
  return null
}

function mendAt(root: unknown, { path, atKey }: Violation): Repair | null {
  const last = path.at(-1)
  if (last === undefined || atKey) return null
  let at = root as Record<string, unknown> | undefined
  for (const step of path.slice(0, -1)) at = at?.[step] as Record<string, unknown> | undefined
  if (isObject(at) && at[last] === null) {
    delete at[last]
    return 'nulls-removed'
  }
  const parsed = parsedText(at?.[last])
  if (at === undefined || parsed === undefined) return null
  at[last] = parsed
  return 'double-encoded'
}

function parsedText(value: unknown): unknown {
  return typeof value === 'string' && /^\s*[{[]/.test(value) ? parseJson(value) : undefined
}

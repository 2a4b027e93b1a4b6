/**
 * The ways in which a parsed value fits a schema: as it is, out of a wrapper that models like to put around it, or with
 * fields that hold JSON as text where an object or a list is wanted, or null where they may be left out.
 */
import { isObject } from '../protocol/index.ts'
import { checkSchema, type JsonSchema, type Violation } from '../schema/check-schema.ts'
import type { Read, Repair } from './repair.ts'
import { namesOf } from './schema-forms.ts'
import { loose } from './settle-texts.ts'
import { strictJson } from './strict-json.ts'

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
  const ways = inner(value, schema).map((one) => {
    const fit = fitting(one, schema)
    const found = fit === null ? unwrapped(one, schema, levels - 1) : [fit]
    return found.map((way) => ({ value: way.value, repairs: ['wrapper-removed' as const, ...way.repairs] }))
  })
  // Beside the item that fits there are others: which of them was meant is not known.
  return Array.isArray(value) && ways.some((found) => found.length === 0) ? [] : ways.flat()
}

const ARGUMENT_FIELDS = ['arguments', 'parameters', 'input', 'args', 'function']
const CALL_FIELDS = new Set([...ARGUMENT_FIELDS, 'name', 'id', 'type', 'tool'])
/** Names that say nothing about what they hold. What is inside `error`, `rejected` or `example` is not the answer. */
const NEUTRAL = new Set(
  'answer result response output data value reply json object content final finalanswer finalresult return returnvalue structuredoutput'.split(
    ' ',
  ),
)
/** What answers by a tool call are called with; another tool's arguments are not the answer. */
const CALLS = new Set([...NEUTRAL, ...'respond submit function finish thinkonreply'.split(' ')])

/** What a wrapper holds: the items of a list; the only field of an object; the arguments of a tool call. */
function inner(value: unknown, schema: JsonSchema): unknown[] {
  if (Array.isArray(value)) return value.every(isObject) ? value : []
  if (!isObject(value)) return []
  const names = Object.keys(value)
  const [name = ''] = names
  const isWrapper = names.length === 1 && !namesOf(schema).includes(name)
  if (isWrapper && (NEUTRAL.has(loose(name)) || isNamedList(name, value[name]))) return opened([value[name]])
  // Alone, an input is what was given, not what is answered.
  if (name === 'input' && names.length === 1) return []
  if (!names.every((field) => CALL_FIELDS.has(field)) || !isAnswering(value)) return []
  return opened(ARGUMENT_FIELDS.map((field) => value[field]))
}

/** A list around which a model puts what its items are. */
function isNamedList(name: string, value: unknown): boolean {
  return Array.isArray(value) && LISTS.has(loose(name))
}

const LISTS = new Set(
  'items list values results answers entries elements array tags numbers steps names'.split(' '),
)

function isAnswering({ name, tool, type }: Readonly<Record<string, unknown>>): boolean {
  return [name, tool, type].every((one) => one === undefined || CALLS.has(loose(String(one))))
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
export function mended(value: unknown, schema: JsonSchema): Read | null {
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
  if (typeof value !== 'string' || !/^\s*[{[]/.test(value)) return undefined
  try {
    return strictJson(value, 0, value.length)?.value
  } catch {
    return undefined
  }
}

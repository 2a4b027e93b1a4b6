import type { Schema } from '@cfworker/json-schema'
import { isObject } from '../protocol/index.ts'

const MAX_SIZE = 10_000
/** These check the same value several times. */
const FORMS = ['allOf', 'anyOf', 'oneOf', 'if', 'not', 'dependentSchemas', 'dependencies']

/**
 * Whether checking may take far longer than schema and value are large: definitions that refer twice to the next one double the work
 * with each of them, and so does one that refers to itself from several forms, with each level of the value.
 */
export function multiplies(schema: Schema, lookup: Readonly<Record<string, Schema | boolean>>): boolean {
  const sizes = new Map<object, number>()
  let isCyclic = false
  let hasForms = false

  /** Of the schema with all that it refers to, put in its place. */
  function sizeOf(value: unknown): number {
    if (typeof value !== 'object' || value === null) return 0
    const known = sizes.get(value)
    if (known !== undefined) {
      isCyclic ||= known === 0
      return known
    }
    sizes.set(value, 0)
    let size = 1
    for (const part of Object.values(value)) size += sizeOf(part)
    if (isObject(value)) {
      hasForms ||= FORMS.some((form) => form in value)
      if (typeof value.__absolute_ref__ === 'string') size += sizeOf(lookup[value.__absolute_ref__])
    }
    sizes.set(value, size)
    return size
  }

  return sizeOf(schema) > MAX_SIZE || (isCyclic && hasForms)
}

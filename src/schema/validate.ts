/**
 * Applies a schema to a value that is plain JSON. Each application takes steps of `work`; patterns and comparisons take their own.
 * Throws `LIMIT` when they are used up, and a `RangeError` for a value or schema that is nested too deeply.
 */
import { stableJson } from '../protocol/index.ts'
import type { WorkLimit } from '../protocol/patterns/work-limit.ts'
import {
  type Application,
  errorOf,
  type Key,
  type Place,
  pathOf,
  type Run,
  type SchemaError,
} from './application.ts'
import { KEYWORDS } from './keywords.ts'
import type { SchemaNode, Subschema } from './references.ts'
import type { UsableSchema } from './usable-schema.ts'

/** Further items and fields are not checked. */
const MAX_ERRORS = 200
const APPLICATION_STEPS = 10

export function validate(value: unknown, usable: UsableSchema, work: WorkLimit): SchemaError[] {
  const evaluated = usable.tracksEvaluated ? new Set<Key>() : undefined
  return new Validation(usable, work).apply(usable.schema, value, null, evaluated)
}

class Validation implements Run {
  readonly #work: WorkLimit
  readonly #usable: UsableSchema

  constructor(usable: UsableSchema, work: WorkLimit) {
    this.#usable = usable
    this.#work = work
  }

  apply(
    schema: Subschema,
    value: unknown,
    place: Place | null,
    evaluated: Set<Key> | undefined,
  ): SchemaError[] {
    this.#work.take(APPLICATION_STEPS)
    if (schema === true) return []
    if (schema === false) return [{ keyword: 'false', path: pathOf(place), value, schema: {} }]
    const application: Application = { schema, value, place, evaluated, run: this }
    const errors: SchemaError[] = []
    for (const keyword in schema) {
      const found = KEYWORDS.get(keyword)?.(schema[keyword] as never, application) ?? true
      if (typeof found === 'object') for (const error of found) errors.push(error)
      else if (!found) errors.push(errorOf(keyword, application))
      // After a wrong type, further errors add nothing.
      if (found === false && keyword === 'type') break
    }
    return errors
  }

  here(schema: Subschema, { value, place, evaluated }: Application): SchemaError[] {
    const accepted = evaluated && new Set<Key>()
    const errors = this.apply(schema, value, place, accepted)
    if (errors.length === 0) for (const key of accepted ?? []) evaluated?.add(key)
    return errors
  }

  inside(schema: Subschema, { value, place, evaluated }: Application, key: Key): SchemaError[] {
    evaluated?.add(key)
    const inner = (value as Record<Key, unknown>)[key]
    return this.apply(schema, inner, { parent: place, key }, evaluated && new Set())
  }

  insideAll(schema: Subschema, application: Application, keys: Iterable<Key>): SchemaError[] {
    const errors: SchemaError[] = []
    for (const key of keys) {
      for (const error of this.inside(schema, application, key)) errors.push(error)
      if (errors.length >= MAX_ERRORS) break
    }
    return errors
  }

  targetOf(schema: SchemaNode): Subschema {
    return this.#usable.targets.get(schema) ?? true
  }

  matches(source: string, text: string): boolean | undefined {
    return this.#usable.patterns.get(source)?.test(text, this.#work)
  }

  equal(one: unknown, other: unknown): boolean {
    if (typeof one !== 'object' || typeof other !== 'object') return one === other
    return this.textOf(one) === this.textOf(other)
  }

  textOf(value: unknown): string {
    const text = stableJson(value)
    this.#work.take(text.length)
    return text
  }
}

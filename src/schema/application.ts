import type { KeyPath } from '../protocol/index.ts'
import type { SchemaNode, Subschema } from './references.ts'

/** Something that is wrong. Keywords that apply other schemas report the errors of those. */
export interface SchemaError {
  readonly keyword: string
  readonly path: KeyPath
  readonly value: unknown
  /** The schema with the keyword; empty for the schema `false`. */
  readonly schema: SchemaNode
  /** Of `anyOf` and `oneOf`: the errors of each form. */
  readonly forms?: readonly (readonly SchemaError[])[]
  /** It is about the last name of the path, not about the value there. */
  readonly atKey?: true
}

export type Key = string | number

/** One application of a schema. */
export interface Application {
  readonly schema: SchemaNode
  readonly value: unknown
  readonly place: Place | null
  /** Fields and items that a keyword has accepted; undefined if no keyword asks. */
  readonly evaluated: Set<Key> | undefined
  readonly run: Run
}

export interface Place {
  readonly parent: Place | null
  readonly key: Key
}

/** What keywords do with the schemas in them. */
export interface Run {
  apply(
    schema: Subschema,
    value: unknown,
    place: Place | null,
    evaluated: Set<Key> | undefined,
  ): SchemaError[]
  /** Applies a schema to the same value. The parts that it evaluates count only if the whole value fits. */
  here(schema: Subschema, application: Application): SchemaError[]
  /** To a field or an item of the value. */
  inside(schema: Subschema, application: Application, key: Key): SchemaError[]
  /** To several fields or items, until there are enough errors. */
  insideAll(schema: Subschema, application: Application, keys: Iterable<Key>): SchemaError[]
  /** Of a schema with a reference. */
  targetOf(schema: SchemaNode): Subschema
  /** Undefined if the pattern is not usable. */
  matches(source: string, text: string): boolean | undefined
  equal(one: unknown, other: unknown): boolean
  /** Equal values have the same text. */
  textOf(value: unknown): string
}

export function errorOf(keyword: string, { value, place, schema }: Application): SchemaError {
  return { keyword, path: pathOf(place), value, schema }
}

export function pathOf(place: Place | null): KeyPath {
  const path: Key[] = []
  for (let at = place; at !== null; at = at.parent) path.push(at.key)
  return path.reverse()
}

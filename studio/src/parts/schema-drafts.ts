/**
 * A value of a JSON Schema as what a person types: a text for each property. What can't be a field of its own is written as JSON. Only
 * what can be said at once is checked here; whoever gets the value checks all of it.
 */
import { isObject } from 'thinkon/protocol'

export type Schema = Readonly<Record<string, unknown>>
export type Drafts = Readonly<Record<string, string>>

export type FieldKind = 'text' | 'number' | 'boolean' | 'choice' | 'list' | 'json'

export interface SchemaProperty {
  readonly name: string
  readonly kind: FieldKind
  readonly schema: Schema
  readonly isRequired: boolean
}

export type DraftProblem = 'missing' | 'notANumber' | 'notWhole' | 'notJson'

/** The whole value under this name, where the schema has no properties to make fields of. */
export const WHOLE = ''

export function propertiesOf(schema: Schema): SchemaProperty[] {
  const { properties, required } = schema
  if (!isObject(properties)) return [{ name: WHOLE, kind: kindOf(schema), schema, isRequired: true }]
  return Object.entries(properties).map(([name, given]) => {
    const property: Schema = isObject(given) ? given : {}
    const isRequired = Array.isArray(required) && required.includes(name)
    return { name, kind: kindOf(property), schema: property, isRequired }
  })
}

function kindOf({ type, enum: choices, items }: Schema): FieldKind {
  if (Array.isArray(choices)) return 'choice'
  if (type === 'string') return 'text'
  if (type === 'number' || type === 'integer') return 'number'
  if (type === 'boolean') return 'boolean'
  // One on each line.
  return type === 'array' && isObject(items) && items.type === 'string' ? 'list' : 'json'
}

export function draftsOf(schema: Schema, value: unknown): Drafts {
  const drafts: Record<string, string> = {}
  for (const { name, kind } of propertiesOf(schema)) {
    const own = name === WHOLE ? value : isObject(value) ? value[name] : undefined
    if (own !== undefined) drafts[name] = draftOf(kind, own)
  }
  return drafts
}

function draftOf(kind: FieldKind, value: unknown): string {
  if (kind === 'text' && typeof value === 'string') return value
  if (kind === 'list' && Array.isArray(value)) return value.join('\n')
  return JSON.stringify(value, null, kind === 'json' ? 2 : 0)
}

/** Without what nothing was typed for. */
export function readDrafts(
  schema: Schema,
  drafts: Drafts,
): { value: unknown; problems: Readonly<Record<string, DraftProblem>> } {
  const problems: Record<string, DraftProblem> = {}
  const value: Record<string, unknown> = {}
  for (const property of propertiesOf(schema)) {
    const { name, isRequired } = property
    const draft = drafts[name] ?? ''
    if (draft.trim() === '') {
      if (isRequired) problems[name] = 'missing'
      continue
    }
    const read = readDraft(property, draft)
    if ('problem' in read) problems[name] = read.problem
    else value[name] = read.value
  }
  return { value: WHOLE in value ? value[WHOLE] : value, problems }
}

type Read = { readonly value: unknown } | { readonly problem: DraftProblem }

function readDraft({ kind, schema }: SchemaProperty, draft: string): Read {
  if (kind === 'text') return { value: draft }
  if (kind === 'list') return { value: draft.split('\n').filter((line) => line.trim() !== '') }
  if (kind === 'number') {
    const number = Number(draft)
    if (!Number.isFinite(number)) return { problem: 'notANumber' }
    return schema.type === 'integer' && !Number.isInteger(number)
      ? { problem: 'notWhole' }
      : { value: number }
  }
  return readJson(draft)
}

export function readJson(text: string): Read {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { problem: 'notJson' }
  }
}

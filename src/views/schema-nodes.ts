/**
 * A JSON Schema as a form has it: what kind of field stands for a value, one level at a time, so that a schema that holds itself has a form,
 * too. What no field can stand for is written as JSON. Only what a field can see is checked here; whoever gets the value checks all of it.
 */
import { isObject } from '../protocol/index.ts'
import { checkView } from './entrances.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

export type SchemaNode =
  | { readonly kind: 'text' | 'boolean' | 'json'; readonly about: string }
  | { readonly kind: 'number'; readonly isWhole: boolean; readonly about: string }
  | { readonly kind: 'choice'; readonly choices: readonly unknown[]; readonly about: string }
  | { readonly kind: 'fixed'; readonly value: unknown; readonly about: string }
  | {
      readonly kind: 'list'
      readonly item: JsonSchema
      readonly least: number
      readonly most: number
      readonly about: string
    }
  | { readonly kind: 'object'; readonly fields: readonly SchemaField[]; readonly about: string }
  | { readonly kind: 'union'; readonly branches: readonly SchemaBranch[]; readonly about: string }

export interface SchemaField {
  readonly name: string
  readonly schema: JsonSchema
  readonly isRequired: boolean
}

export interface SchemaBranch {
  /** What tells it from the others. */
  readonly name: string
  readonly schema: JsonSchema
}

/** `root`: the whole schema, to which references refer. */
export function schemaNode(given: JsonSchema, root: JsonSchema): SchemaNode {
  checkView('schemaNode', [given, root])
  const schema = resolved(given, root)
  const about = typeof schema.description === 'string' ? schema.description : ''
  if ('const' in schema) return { kind: 'fixed', value: schema.const, about }
  if (Array.isArray(schema.enum)) return { kind: 'choice', choices: schema.enum, about }
  const branches = branchesOf(schema)
  if (branches !== null)
    return { kind: 'union', branches: branches.map((one, at) => branchOf(one, root, at)), about }
  const { type } = schema
  if (type === 'string') return { kind: 'text', about }
  if (type === 'boolean') return { kind: 'boolean', about }
  if (type === 'null') return { kind: 'fixed', value: null, about }
  if (type === 'number' || type === 'integer') return { kind: 'number', isWhole: type === 'integer', about }
  if (type === 'array' && isObject(schema.items) && schema.prefixItems === undefined) {
    const { items, minItems, maxItems } = schema
    const [least, most] = [numberOf(minItems, 0), numberOf(maxItems, Number.POSITIVE_INFINITY)]
    return { kind: 'list', item: items as JsonSchema, least, most, about }
  }
  const fields = fieldsOf(schema)
  return fields.length > 0 ? { kind: 'object', fields, about } : { kind: 'json', about }
}

function fieldsOf({ properties, required }: JsonSchema): SchemaField[] {
  const needed = new Set<unknown>(Array.isArray(required) ? required : [])
  return Object.entries(isObject(properties) ? properties : {}).map(([name, given]) => ({
    name,
    schema: isObject(given) ? given : {},
    isRequired: needed.has(name),
  }))
}

/** Several types are branches, as is null beside a type. */
function branchesOf(schema: JsonSchema): readonly JsonSchema[] | null {
  const { anyOf, oneOf, type, nullable } = schema
  const given = anyOf ?? oneOf
  if (Array.isArray(given)) return given.filter(isObject)
  if (Array.isArray(type)) return type.map((one) => ({ ...schema, type: one }))
  return nullable === true ? [{ ...schema, nullable: false }, { type: 'null' }] : null
}

function branchOf(given: JsonSchema, root: JsonSchema, at: number): SchemaBranch {
  const schema = resolved(given, root)
  return { name: nameOf(schema) ?? `${at + 1}`, schema: given }
}

function nameOf(schema: JsonSchema): string | null {
  const { title, type, properties } = schema
  if (typeof title === 'string') return title
  if ('const' in schema) return JSON.stringify(schema.const)
  // One value of a field tells it from the others, as a rule.
  const fields = Object.entries(isObject(properties) ? properties : {})
  for (const [name, field] of fields) {
    const only =
      isObject(field) && Array.isArray(field.enum) && field.enum.length === 1 ? field.enum[0] : undefined
    const fixed = isObject(field) && 'const' in field ? field.const : only
    if (fixed !== undefined) return `${name}: ${JSON.stringify(fixed)}`
  }
  if (fields.length > 0) return `{ ${fields.map(([name]) => name).join(', ')} }`
  return typeof type === 'string' ? type : null
}

/** References that lead nowhere, or in a circle, are any value. */
function resolved(given: JsonSchema, root: JsonSchema): JsonSchema {
  let schema = given
  for (let hops = 0; hops < MOST_HOPS; hops++) {
    const { $ref, ...beside } = schema
    if (typeof $ref !== 'string') return schema
    const found = $ref
      .split('/')
      .slice(1)
      .reduce<unknown>((part, step) => (isObject(part) ? part[decoded(step)] : undefined), root)
    schema = isObject(found) ? { ...found, ...beside } : {}
  }
  return {}
}

const MOST_HOPS = 16

function decoded(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}

export type LeafProblem = 'notANumber' | 'notWhole' | 'notJson'

export type Leaf = { readonly value: unknown } | { readonly problem: LeafProblem }

/** What was typed into a field that takes a text. */
export function readLeaf(node: SchemaNode, text: string): Leaf {
  checkView('readLeaf', [node, text])
  if (node.kind === 'text') return { value: text }
  if (node.kind === 'number') {
    const number = text.trim() === '' ? Number.NaN : Number(text)
    if (!Number.isFinite(number)) return { problem: 'notANumber' }
    return node.isWhole && !Number.isInteger(number) ? { problem: 'notWhole' } : { value: number }
  }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { problem: 'notJson' }
  }
}

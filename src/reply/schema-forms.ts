/** The forms that a value may have by its schema: references and alternatives are followed. */
import { isObject } from '../protocol/index.ts'
import type { JsonSchema } from '../schema/check-schema.ts'

const MAX_FORMS = 50

export function formsOf(schema: JsonSchema): JsonSchema[] {
  const known = FORMS.get(schema)
  if (known !== undefined) return known
  const found = new Set<JsonSchema>()
  const add = (part: unknown): void => {
    if (!isObject(part) || found.has(part) || found.size >= MAX_FORMS) return
    found.add(part)
    if (typeof part.$ref === 'string') add(at(schema, part.$ref))
    for (const name of ['anyOf', 'oneOf', 'allOf'])
      if (Array.isArray(part[name])) for (const one of part[name]) add(one)
  }
  add(schema)
  const forms = [...found]
  FORMS.set(schema, forms)
  return forms
}

const FORMS = new WeakMap<JsonSchema, JsonSchema[]>()

/** What a local reference points to. */
function at(root: JsonSchema, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined
  const steps = reference.slice(1).split('/').slice(1)
  let part: unknown = root
  for (const step of steps) {
    if (!isObject(part)) return undefined
    part = part[step.replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  return part
}

/** The names of the fields that a value of this schema may have. */
export function namesOf(schema: JsonSchema): string[] {
  return [...new Set(formsOf(schema).flatMap(({ properties }) => Object.keys(properties ?? {})))]
}

/** Every name of a field that the schema mentions, at any depth. */
export function allNames(schema: JsonSchema): ReadonlySet<string> {
  const names = new Set<string>()
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    for (const name of Object.keys((part as JsonSchema).properties ?? {})) names.add(name)
    for (const inner of Object.values(part)) visit(inner)
  }
  visit(schema)
  return names
}

/** Those that it must have, in one form or another; all of them where none is required. */
export function wantedNames(schema: JsonSchema): string[] {
  const required = formsOf(schema).flatMap((form) =>
    Array.isArray(form.required) ? form.required.map(String) : [],
  )
  return required.length > 0 ? [...new Set(required)] : namesOf(schema)
}

/** What the items of a list must be; null where no list is wanted. */
export function itemsOf(schema: JsonSchema): JsonSchema | null {
  const list = formsOf(schema).find(({ items }) => isObject(items))
  if (list === undefined) return null
  // References in it are to the whole schema.
  const { $defs, definitions } = schema
  return {
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
    ...(list.items as JsonSchema),
  }
}

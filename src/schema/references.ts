import { isObject } from '../protocol/index.ts'

/** A schema after usable-schema.ts: every known keyword has the form that the standard asks for. */
export interface SchemaNode {
  readonly [keyword: string]: unknown
  readonly $ref?: string
  readonly type?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly required?: readonly string[]
  readonly pattern?: string
  readonly properties?: Readonly<Record<string, Subschema>>
  readonly patternProperties?: Readonly<Record<string, Subschema>>
  readonly items?: Subschema | readonly Subschema[]
  readonly prefixItems?: readonly Subschema[]
  readonly then?: Subschema
  readonly else?: Subschema
  readonly minContains?: number
  readonly maxContains?: number
  readonly errorMessage?: string
}

export type Subschema = SchemaNode | boolean

/** Their values are no schemas. */
const PLAIN = new Set([
  'const',
  'default',
  'example',
  'examples',
  'enum',
  'required',
  'type',
  'dependentRequired',
])
const MAPS = new Set([
  '$defs',
  'definitions',
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
])
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'])

/** Relative references of a schema without an `$id` are resolved against it. Nothing is fetched. */
const ROOT = 'schema:/root'

export interface References {
  readonly nodes: readonly SchemaNode[]
  readonly targets: ReadonlyMap<SchemaNode, Subschema>
  /** Those without a target. */
  readonly stray: readonly string[]
}

export function resolveReferences(root: SchemaNode): References {
  const places = new Map<string, Subschema>()
  const bases = new Map<SchemaNode, string>()

  function visit(node: Subschema, base: string, pointer: string, isNamed = false): void {
    keep(`${base}#${pointer}`, node)
    if (typeof node === 'boolean') return
    const own = isNamed ? undefined : idOf(node, base)
    if (own?.includes('#')) keep(own, node)
    else if (own !== undefined) {
      visit(node, own, '', true)
      return
    }
    if (typeof node.$anchor === 'string') keep(`${base}#${node.$anchor}`, node)
    if (!bases.has(node)) bases.set(node, base)
    for (const [step, sub] of subschemasOf(node)) visit(sub, base, `${pointer}${step}`)
  }

  function keep(place: string, node: Subschema): void {
    if (!places.has(place)) places.set(place, node)
  }

  visit(root, ROOT, '')
  const targets = new Map<SchemaNode, Subschema>()
  const stray: string[] = []
  for (const [node, base] of bases) {
    if (node.$ref === undefined) continue
    const target = places.get(placeOf(node.$ref, base))
    if (target === undefined) stray.push(node.$ref)
    else targets.set(node, target)
  }
  return { nodes: [...bases.keys()], targets, stray }
}

/** Also those below unknown keywords: a reference may lead there. */
function subschemasOf(node: SchemaNode): [step: string, sub: Subschema][] {
  return Object.entries(node).flatMap(([keyword, value]): [string, Subschema][] => {
    const step = `/${escaped(keyword)}`
    if (PLAIN.has(keyword)) return []
    const isLarger = MAPS.has(keyword) || (LISTS.has(keyword) && Array.isArray(value))
    const subs: [string, unknown][] = isLarger
      ? Object.entries(value as object).map(([name, sub]) => [`${step}/${escaped(name)}`, sub])
      : [[step, value]]
    return subs.filter((one): one is [string, Subschema] => isSubschema(one[1]))
  })
}

function isSubschema(value: unknown): value is Subschema {
  return typeof value === 'boolean' || isObject(value)
}

/** The URI that a schema gives itself, of which a fragment is an anchor. */
function idOf(node: SchemaNode, base: string): string | undefined {
  const id = node.$id ?? node.id
  if (typeof id !== 'string' || id === '') return undefined
  const place = placeOf(id, base)
  return place.endsWith('#') ? place.slice(0, -1) : place
}

/** A reference as an absolute URI with a decoded fragment. */
function placeOf(reference: string, base: string): string {
  try {
    const url = new URL(reference, base)
    const fragment = decodeURIComponent(url.hash.slice(1))
    url.hash = ''
    return `${url.href}#${fragment}`
  } catch {
    return reference
  }
}

function escaped(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1')
}

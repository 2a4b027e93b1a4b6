/** Checks a value against the words of JSON Schema that the protocol is written in. */
export type Shape = Readonly<Record<string, unknown>>

/** What is wrong and where, or null. `definitions` are what a `$ref` names. */
export function wrongWith(
  value: unknown,
  shape: Shape,
  definitions: Readonly<Record<string, Shape>> = {},
  at = '',
): string | null {
  const check = (part: unknown, of: unknown, name: string) => wrongWith(part, of as Shape, definitions, name)
  if (typeof shape.$ref === 'string') {
    const name = shape.$ref.split('/').at(-1) as string
    return check(value, definitions[name] as Shape, at)
  }
  if (Array.isArray(shape.enum) && !shape.enum.includes(value))
    return `${place(at)} must be one of ${shape.enum.join(', ')}`
  if (shape.type !== undefined && ![shape.type].flat().some((type) => isOf(value, type as string)))
    return `${place(at)} must be ${[shape.type].flat().join(' or ')}`
  if (typeof value === 'number') {
    const { minimum = value, maximum = value } = shape as { minimum?: number; maximum?: number }
    if (value < minimum || value > maximum) return `${place(at)} must be from ${minimum} to ${maximum}`
  }
  if (Array.isArray(value)) {
    if (shape.items === undefined) return null
    return firstOf(value.keys(), (i) => check(value[i], shape.items, `${at}[${i}]`))
  }
  if (typeof value !== 'object' || value === null) return null
  const parts = value as Record<string, unknown>
  const missing = ((shape.required ?? []) as string[]).find((name) => parts[name] === undefined)
  if (missing !== undefined) return `${place(at)} has no "${missing}"`
  const known = (shape.properties ?? {}) as Record<string, Shape>
  return firstOf(Object.keys(parts), (name) => {
    const of = known[name] ?? shape.additionalProperties
    return of === undefined || parts[name] === undefined ? null : check(parts[name], of, `${at}.${name}`)
  })
}

function place(at: string): string {
  return at === '' ? 'it' : at.replace(/^\./, '')
}

function firstOf<T>(items: Iterable<T>, check: (item: T) => string | null): string | null {
  for (const item of items) {
    const wrong = check(item)
    if (wrong !== null) return wrong
  }
  return null
}

function isOf(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return Number.isFinite(value)
    default:
      return typeof value === type
  }
}

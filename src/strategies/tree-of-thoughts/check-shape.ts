/** Checks a value against the words of JSON Schema that the protocol is written in. */
export type Shape = Readonly<Record<string, unknown>>

/** What is wrong and where, or null. `definitions` are what a `$ref` names. */
export function wrongWith(
  value: unknown,
  shape: Shape,
  definitions: Readonly<Record<string, Shape>> = {},
): string | null {
  const fault = faultIn(value, shape as KnownShape, definitions)
  return fault === null ? null : `${fault.at.replace(/^\./, '') || 'it'} ${fault.what}`
}

interface KnownShape {
  readonly $ref?: string
  readonly enum?: readonly unknown[]
  readonly type?: string | readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: KnownShape
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, KnownShape>>
  readonly additionalProperties?: KnownShape
}

interface Fault {
  readonly at: string
  readonly what: string
}

/** Where it is is put together on the way out: every message is checked, and hardly any has a fault. */
function faultIn(
  value: unknown,
  shape: KnownShape,
  definitions: Readonly<Record<string, Shape>>,
): Fault | null {
  const { $ref, enum: choices, type } = shape
  if ($ref !== undefined) {
    const named = definitions[$ref.slice($ref.lastIndexOf('/') + 1)] as KnownShape
    return faultIn(value, named, definitions)
  }
  if (choices !== undefined && !choices.includes(value))
    return { at: '', what: `must be one of ${choices.join(', ')}` }
  if (type !== undefined && !isOfAny(value, type))
    return { at: '', what: `must be ${[type].flat().join(' or ')}` }
  if (typeof value === 'number') {
    const { minimum = value, maximum = value } = shape
    if (value < minimum || value > maximum) return { at: '', what: `must be from ${minimum} to ${maximum}` }
  }
  if (typeof value !== 'object' || value === null) return null
  if (Array.isArray(value))
    return shape.items === undefined ? null : faultInItems(value, shape.items, definitions)
  return faultInParts(value as Readonly<Record<string, unknown>>, shape, definitions)
}

function faultInItems(
  items: readonly unknown[],
  shape: KnownShape,
  definitions: Readonly<Record<string, Shape>>,
): Fault | null {
  for (let i = 0; i < items.length; i++) {
    const fault = faultIn(items[i], shape, definitions)
    if (fault !== null) return inside(`[${i}]`, fault)
  }
  return null
}

function faultInParts(
  parts: Readonly<Record<string, unknown>>,
  { required = [], properties = {}, additionalProperties }: KnownShape,
  definitions: Readonly<Record<string, Shape>>,
): Fault | null {
  for (const name of required) if (parts[name] === undefined) return { at: '', what: `has no "${name}"` }
  for (const name of Object.keys(parts)) {
    const of = properties[name] ?? additionalProperties
    if (of === undefined || parts[name] === undefined) continue
    const fault = faultIn(parts[name], of, definitions)
    if (fault !== null) return inside(`.${name}`, fault)
  }
  return null
}

function inside(place: string, fault: Fault): Fault {
  return { at: `${place}${fault.at}`, what: fault.what }
}

function isOfAny(value: unknown, type: string | readonly string[]): boolean {
  return typeof type === 'string' ? isOf(value, type) : type.some((one) => isOf(value, one))
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

import { isTooDeep } from './depth.ts'

/** A JSON object: neither null nor a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** JSON with sorted keys: values that are equal as JSON have the same text. */
export function stableJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(stableJson).join(',')}]`
  if ('toJSON' in value && typeof value.toJSON === 'function') return stableJson(value.toJSON())
  const members = Object.entries(value)
    .filter(([, item]) => item !== undefined && typeof item !== 'function')
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${stableJson(item)}`).join(',')}}`
}

/** Undefined for what is not JSON, or is nested too deeply for a value. */
export function parseJson(text: string): unknown {
  try {
    const value = JSON.parse(text)
    return isTooDeep(value) ? undefined : value
  } catch {
    return undefined
  }
}

/** The fields whose value is not undefined: what is optional must not be overwritten with undefined. */
export function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(present) as { [K in keyof T]?: Exclude<T[K], undefined> }
}

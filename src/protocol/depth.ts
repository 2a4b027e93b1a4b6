/** Lists and objects within each other. Every function that walks through a value by calling itself relies on it. */
export const MAX_DEPTH = 200

/** Also for a value that contains itself. */
export function isTooDeep(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) return value.some((item) => isTooDeep(item, levels - 1))
  for (const name in value) {
    const part: unknown = value[name as keyof typeof value]
    // Most parts are none.
    if (typeof part === 'object' && isTooDeep(part, levels - 1)) return true
  }
  return false
}

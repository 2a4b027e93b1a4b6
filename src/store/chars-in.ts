/** The size of a value: the characters of its texts, and 1 for each list and object. */
export function charsIn(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let chars = 1
  for (const part of Object.values(value)) chars += charsIn(part)
  return chars
}

/** A longer one is no misspelled name, and the distance takes time in the product of both lengths. */
const MAX_LENGTH = 200

/** The name nearest to a mistyped one, ignoring case; undefined if none is near. */
export function nearest(given: string, names: Iterable<string>): string | undefined {
  if (given.length > MAX_LENGTH) return undefined
  let best: string | undefined
  // Changing every letter gives another word, except for names of a single letter.
  const maxDistance = Math.max(1, Math.min(given.length - 1, Math.max(2, Math.floor(given.length / 3))))
  let least = maxDistance + 1
  for (const name of names) {
    if (name.length > MAX_LENGTH) continue
    const distance = editDistance(given.toLowerCase(), name.toLowerCase())
    if (distance >= least) continue
    least = distance
    best = name
  }
  return best
}

/** How a message about an unknown name ends: `: did you mean "wait"?`; empty if none is near. */
export function meantText(given: string, names: Iterable<string>): string {
  const near = nearest(given, names)
  return near === undefined ? '' : `: did you mean "${near}"?`
}

/** The same; if none is near, which there are: `; there are: wait, fail`. */
export function meantOrAll(given: string, names: readonly string[]): string {
  return meantText(given, names) || `; there are: ${names.join(', ')}`
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next[j] = Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1)
    }
    row = next
  }
  return row[b.length] as number
}

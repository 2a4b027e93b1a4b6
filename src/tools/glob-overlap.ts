import { expandBraces, globBudget, partsOf } from './glob.ts'

/** Longer ones are not looked into. */
const MAX_LENGTH = 1_000
/** `*.test.*` has only the dot in common with `*.key`: that says nothing. */
const MIN_COMMON = 2

/**
 * Whether a word that a shell expands to paths is about files that a pattern keeps from being touched: some path fits both, and
 * they have some characters in common that are written out in both.
 */
export function mayOverlap(pattern: string, word: string): boolean {
  if (word.length > MAX_LENGTH) return true
  try {
    const kept = expandBraces(pattern.replace(/^\.\/|\/$/g, ''), globBudget(pattern)).map(partsOf)
    const named = expandBraces(word, globBudget(word)).map(partsOf)
    return kept.some((parts) => named.some((others) => inPaths(parts, others) >= MIN_COMMON))
  } catch {
    return true // too much to say what it does not name
  }
}

/** As isRestrictedPath: a bare name is meant in any folder, and a folder with all that is in it. */
function inPaths(kept: readonly string[], named: readonly string[]): number {
  const [name = '', ...more] = kept
  if (more.length === 0 && name !== '**') return Math.max(...named.map((part) => inNames(name, part)))
  return common([...kept, '**'], named, PARTS)
}

function inNames(kept: string, named: string): number {
  // A shell does not let a leading wildcard stand for a dot.
  if (kept.startsWith('.') && /^[*?[]/.test(named)) return NOTHING_FITS
  return common(charsOf(kept), charsOf(named), CHARS)
}

function inChars(one: string, other: string): number {
  if (one === ONE || other === ONE) return 0
  return one === other ? 1 : NOTHING_FITS
}

const NOTHING_FITS = Number.NEGATIVE_INFINITY
/** Stand for any text and for one character. */
const [ANY, ONE] = ['\0', '\u0001']
/** Classes within brackets, `{a..z}`. */
const WILDCARDS = /\\(.)|\[(?:\[[:=.][^\]]*\]|[^\]])+\]|\{\w+\.\.\w+\}|[*?]/gs

function charsOf(name: string): string[] {
  return [...name.replace(WILDCARDS, (all, escaped) => escaped ?? (all === '*' ? ANY : ONE))]
}

interface Kind<T> {
  isAny(item: T): boolean
  /** What two items have in common. */
  of(one: T, other: T): number
}

const PARTS: Kind<string> = { isAny: (part) => part === '**', of: inNames }
const CHARS: Kind<string> = { isAny: (char) => char === ANY, of: inChars }

/**
 * What two sequences, each with items that stand for any number of others, can have in common: the sum of what their items have;
 * NOTHING_FITS if no sequence fits both.
 */
function common<T>(a: readonly T[], b: readonly T[], { isAny, of }: Kind<T>): number {
  const anyOfB = b.map(isAny)
  // rest[j]: of what follows in a, and of b from j on. What is left of b must be able to stand for nothing.
  let rest: number[] = []
  for (let j = b.length; j >= 0; j--)
    rest[j] = j === b.length ? 0 : anyOfB[j] ? (rest[j + 1] as number) : NOTHING_FITS
  for (const item of a.toReversed()) rest = before(item)
  return rest[0] as number

  function before(item: T): number[] {
    const anyOfA = isAny(item)
    const row: number[] = []
    row[b.length] = anyOfA ? (rest[b.length] as number) : NOTHING_FITS
    for (let j = b.length - 1; j >= 0; j--) {
      if (anyOfA || anyOfB[j]) row[j] = Math.max(rest[j] as number, row[j + 1] as number)
      else row[j] = (rest[j + 1] as number) + of(item, b[j] as T)
    }
    return row
  }
}

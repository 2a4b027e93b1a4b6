/**
 * Patterns for paths: `*` and `?` within a name, `**` across folders, `[a-z]`, `{a,b}`. Matching backtracks no further than
 * the last star, so that no pattern can hang. A pattern without `/` is matched against the last name, one with `/` against
 * the whole path.
 */
import { DecodingBudget } from '../protocol/decoding-budget.ts'
import { ThinkonError } from '../protocol/index.ts'

const MAX_LENGTH = 1_000
/** Of the alternatives of a pattern. */
const MAX_CHARS = 64 * 1024
/** Each alternative counts as this many characters more, because it is matched against each path. */
const PER_ALTERNATIVE = 128

export function globMatcher(pattern: string): (path: string) => boolean {
  const alternatives = compileGlob(pattern)
  return (path) => {
    const parts = path.split('/')
    return alternatives.some((names) =>
      isBare(names)
        ? matchSequence(names, parts.slice(-1), matchName)
        : matchSequence(names, parts, matchName),
    )
  }
}

/** For rules that allow: the exact path. `src/` means everything inside. */
export function pathFits(pattern: string, name: string): boolean {
  const plain = pattern.replace(/^\.\//, '')
  if (plain.endsWith('/')) return globOf(`${plain}**`)(name)
  // A glob without a slash would match the last name in any folder.
  if (!plain.includes('/') && plain !== '**' && name.includes('/')) return false
  return globOf(plain)(name)
}

/** For rules that ask or deny: also everything in a matching folder, a bare name anywhere, in any case. */
export function isRestrictedPath(pattern: string, name: string): boolean {
  return isRestrictedParts(pattern, partsOf(name))
}

/** The same, for a path that is matched against many patterns. */
export function isRestrictedParts(pattern: string, parts: readonly string[]): boolean {
  return restrictionOf(pattern)(parts)
}

export function partsOf(name: string): readonly string[] {
  return name.normalize('NFC').toLowerCase().split('/')
}

const globOf = remembering(globMatcher)

const restrictionOf = remembering((pattern) => {
  const plain = pattern.replace(/^\.\//, '').replace(/\/$/, '').normalize('NFC').toLowerCase()
  const alternatives = compileGlob(plain).map(
    (names): Names => (isBare(names) ? names : [...names, ANY_NUMBER]),
  )
  return (parts: readonly string[]) =>
    alternatives.some((names) =>
      isBare(names)
        ? parts.some((part) => matchSequence(names, [part], matchName))
        : matchSequence(names, parts, matchName),
    )
})

/** Compiled once for each pattern: a policy is asked about every file of a search. */
function remembering<T>(compile: (pattern: string) => T): (pattern: string) => T {
  const known = new Map<string, T>()
  return (pattern) => {
    const found = known.get(pattern) ?? compile(pattern)
    if (known.size >= 1_000) known.clear()
    known.set(pattern, found)
    return found
  }
}

type Names = readonly (Name | typeof ANY_NUMBER)[]

function compileGlob(pattern: string): Names[] {
  if (pattern.length > MAX_LENGTH) throw badPattern(pattern, `is longer than ${MAX_LENGTH} characters`)
  return expandBraces(pattern.replace(/^\.\//, ''), globBudget(pattern)).map((one) =>
    one.split('/').map(compileName),
  )
}

/** One name, without a folder. */
function isBare(names: Names): boolean {
  return names.length === 1 && names[0] !== ANY_NUMBER
}

/** Used for commands, too. ANY_NUMBER matches any number of items. */
export function matchSequence<P, T>(
  pattern: readonly (P | typeof ANY_NUMBER)[],
  items: ArrayLike<T>,
  match: (one: P, item: T) => boolean,
): boolean {
  let at = 0
  let star = -1
  let starItem = 0
  let i = 0
  while (i < items.length) {
    const one = pattern[at]
    if (one === ANY_NUMBER) {
      star = at++
      starItem = i
    } else if (one !== undefined && match(one, items[i] as T)) {
      at++
      i++
    } else if (star >= 0) {
      at = star + 1
      i = ++starItem
    } else return false
  }
  while (pattern[at] === ANY_NUMBER) at++
  return at === pattern.length
}

/** Matches any number of items of a sequence: folders of a path, characters of a name. */
export const ANY_NUMBER = Symbol('any number')

type Name = readonly (CharTest | typeof ANY_NUMBER)[]
type CharTest = (char: string) => boolean

function matchName(name: Name, part: string): boolean {
  const chars = /[\uD800-\uDFFF]/.test(part) ? [...part] : part
  return matchSequence<CharTest, string>(name, chars, fitsChar)
}

const fitsChar = (test: CharTest, char: string) => test(char)

function compileName(text: string): Name | typeof ANY_NUMBER {
  if (text === '**') return ANY_NUMBER
  const name: (CharTest | typeof ANY_NUMBER)[] = []
  const chars = [...text]
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i] as string
    const close = char === '[' ? chars.indexOf(']', i + 2) : -1
    if (char === '*') name.push(ANY_NUMBER)
    else if (char === '?') name.push(() => true)
    else if (close > 0) {
      name.push(charClass(chars.slice(i + 1, close)))
      i = close
    } else if (char === '\\' && i + 1 < chars.length) {
      const next = chars[++i]
      name.push((given) => given === next)
    } else name.push((given) => given === char)
  }
  return name
}

function charClass(chars: readonly string[]): CharTest {
  const negated = chars[0] === '!' || chars[0] === '^'
  const ranges: [string, string][] = []
  for (let i = negated ? 1 : 0; i < chars.length; i++) {
    const from = chars[i] as string
    const to = chars[i + 2]
    if (chars[i + 1] === '-' && to !== undefined) {
      ranges.push([from, to])
      i += 2
    } else ranges.push([from, from])
  }
  return (char) => ranges.some(([from, to]) => char >= from && char <= to) !== negated
}

/** For the alternatives of a pattern. */
export function globBudget(pattern: string, limit = MAX_CHARS): DecodingBudget {
  const error = () => badPattern(pattern, 'has too many alternatives')
  return new DecodingBudget('the pattern', { limit, error })
}

/** The alternatives of `{a,b}`. Each is taken from the budget. */
export function expandBraces(pattern: string, budget: DecodingBudget): string[] {
  const done: string[] = []
  const open = [pattern]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const group = choicesIn(one)
    if (group === null) done.push(one)
    else {
      const [before, after] = [one.slice(0, group.from), one.slice(group.to)]
      for (const choice of group.choices) {
        budget.take(PER_ALTERNATIVE + before.length + choice.length + after.length)
        open.push(before + choice + after)
      }
    }
  }
  return done
}

/** The first group without another one in it. */
function choicesIn(pattern: string): { from: number; to: number; choices: string[] } | null {
  for (const { 0: all, index } of pattern.matchAll(/\{[^{}]*\}/g)) {
    if (all.includes(','))
      return { from: index, to: index + all.length, choices: all.slice(1, -1).split(',') }
  }
  return null
}

function badPattern(pattern: string, why: string): ThinkonError {
  return new ThinkonError('BAD_INPUT', `the pattern ${pattern.slice(0, 80)} ${why}`)
}

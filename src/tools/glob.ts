/**
 * Patterns for paths: `*` and `?` within a name, `**` across folders, `[a-z]`, `{a,b}`. Matching backtracks no further than
 * the last star, so that no pattern can hang. A pattern without `/` is matched against the last name, one with `/` against
 * the whole path.
 */
import { ThinkonError } from '../protocol/index.ts'

const MAX_ALTERNATIVES = 64
const MAX_LENGTH = 1_000

export function globMatcher(pattern: string): (path: string) => boolean {
  if (pattern.length > MAX_LENGTH) throw badPattern(pattern, `is longer than ${MAX_LENGTH} characters`)
  const alternatives = expandBraces(pattern.replace(/^\.\//, '')).map((one) =>
    one.split('/').map(compileName),
  )
  return (path) => {
    const parts = path.split('/')
    return alternatives.some((names) =>
      names.length === 1 && names[0] !== ANY_NUMBER
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
  const fits = globOf(pattern.replace(/^\.\//, '').replace(/\/$/, '').toLowerCase())
  const parts = name.toLowerCase().split('/')
  return parts.some((_, i) => fits(parts.slice(0, i + 1).join('/')))
}

const compiled = new Map<string, (path: string) => boolean>()

function globOf(pattern: string): (path: string) => boolean {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  if (compiled.size >= 1_000) compiled.clear()
  const matcher = globMatcher(pattern)
  compiled.set(pattern, matcher)
  return matcher
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
  return matchSequence(name, [...part], (test, char) => test(char))
}

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

function expandBraces(pattern: string): string[] {
  const done: string[] = []
  const open = [pattern]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const group = /\{([^{}]*,[^{}]*)\}/.exec(one)
    if (group === null) done.push(one)
    else {
      const [all, inner = ''] = group
      const [before, after] = [one.slice(0, group.index), one.slice(group.index + all.length)]
      for (const choice of inner.split(',')) open.push(before + choice + after)
    }
    if (done.length + open.length > MAX_ALTERNATIVES) throw badPattern(pattern, 'has too many alternatives')
  }
  return done
}

function badPattern(pattern: string, why: string): ThinkonError {
  return new ThinkonError('BAD_INPUT', `the pattern ${pattern.slice(0, 80)} ${why}`)
}

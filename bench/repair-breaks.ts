/** Breaks in how a value is written. Each knows whether what was meant is still the only reading. */

import { join, type Layout, type Token, tokensOf, yamlOf } from './repair-tokens.ts'
import { INNER_QUOTES, LATEX, PATTERNS, TRICKY, YAML_SIGNS } from './repair-values.ts'

/** Where a break starts from. */
export interface Start {
  readonly schema: string
  readonly value: unknown
  /** Another value that fits. */
  readonly decoy: unknown
  readonly layout: Layout
  readonly tokens: readonly Token[]
  /** The first, the middle or the last of a list, turn by turn. */
  readonly place: <T>(list: readonly T[]) => T | undefined
  /** The next of a list, reply by reply. */
  readonly vary: <T>(list: readonly T[]) => T
  /** Any of a list. */
  readonly pick: <T>(list: readonly T[]) => T
}

/** A reply, and its only reading or why there is none. */
export interface Made {
  readonly text: string
  readonly expect: unknown
}

/** Undefined where it can't be made, or where people could argue about its truth. */
export type Break = (start: Start) => Made | undefined

const FREE_TEXT =
  /^(?:description|goal|plan|note|reason|name|current_thinking|thoughts|content|because|title|left|right|label)$/

/** Fields that may be left out: a reply that was cut off before one of them may be whole. */
const OPTIONAL = new Set(['note', 'adopt', 'cost', 'scores', 'result', 'mark', 'sub_steps'])

/** The value with another text in one place. */
export function withText(value: unknown, path: Token['path'], text: string): unknown {
  const copy = structuredClone(value)
  let part = copy as Record<string | number, unknown>
  for (const name of path.slice(0, -1)) part = part[name] as typeof part
  part[path.at(-1) as string | number] = text
  return copy
}

export function freeTexts({ tokens }: Start): Token[] {
  return tokens.filter(({ is, path }) => {
    const name = path.findLast((step) => typeof step === 'string')
    return is === 'text' && (name === undefined || FREE_TEXT.test(name))
  })
}

/** A text among the texts of the value, written without what JSON wants escaped. */
function rawText(texts: readonly string[], keep: (token: Token) => boolean = () => true): Break {
  return (start) => {
    const token = start.place(freeTexts(start).filter(keep))
    if (token === undefined) return undefined
    const text = start.vary(texts)
    return {
      text: join(start.tokens.map((one) => (one === token ? { ...one, text: `"${text}"` } : one))),
      expect: withText(start.value, token.path, text),
    }
  }
}

/** The same token by token; nothing is lost. */
function rewritten(change: (token: Token, start: Start) => string): Break {
  return (start) => ({
    text: join(start.tokens.map((token) => ({ ...token, text: change(token, start) }))),
    expect: start.value,
  })
}

function hasNone(is: Token['is']): (start: Start) => boolean {
  return ({ tokens }) => tokens.every((token) => token.is !== is)
}

function unless(wrong: (start: Start) => boolean, make: Break): Break {
  return (start) => (wrong(start) ? undefined : make(start))
}

const bare = (text: string): string => text.slice(1, -1)
const isQuoted = ({ is }: Token): boolean => is === 'key' || is === 'text'
const quotedBy = (before: string, after: string) => (token: Token) =>
  isQuoted(token) ? `${before}${bare(token.text)}${after}` : token.text

const python: Record<string, string> = { true: 'True', false: 'False', null: 'None' }
const wide: Record<string, string> = { '{': '｛', '}': '｝', '[': '［', ']': '］', ',': '，', ':': '：' }
const entities: Record<string, string> = { '"': '&quot;', '<': '&lt;', '>': '&gt;', '&': '&amp;' }

export const bareKeys = unless(
  hasNone('key'),
  rewritten(({ is, text }) => (is === 'key' ? bare(text) : text)),
)
export const singleQuotes = unless(hasNone('text'), rewritten(quotedBy("'", "'")))
export const curlyQuotes = unless(hasNone('text'), rewritten(quotedBy('“', '”')))
export const pythonLiterals = unless(
  hasNone('word'),
  rewritten((token) =>
    token.is === 'word' ? (python[token.text] ?? token.text) : quotedBy("'", "'")(token),
  ),
)
export const fullWidth = rewritten((token) => wide[token.text] ?? quotedBy('“', '”')(token))
export const htmlEntities = rewritten(({ text }) => text.replace(/["<>&]/g, (sign) => entities[sign] ?? sign))
export const invisible = rewritten((token, { pick }) =>
  isQuoted(token) ? token.text : token.text + pick(['', '\u200b', '\u2060', '\ufeff']),
)
export const apostrophes: Break = (start) => {
  const made = rawText(["Ann's list doesn't end", "it's the cook's turn"])(start)
  if (made === undefined) return undefined
  return { text: made.text.replaceAll('"', "'"), expect: made.expect }
}
export const javascript = unless(
  ({ tokens }) => tokens[0]?.text !== '{',
  (start) => {
    const body = start.tokens.map((token) => ({
      ...token,
      text: token.is === 'key' ? bare(token.text) : quotedBy("'", "'")(token),
    }))
    return { text: `const answer = ${join(body)};`, expect: start.value }
  },
)
export const encodedTwice: Break = ({ tokens, value, vary }) => {
  const twice = JSON.stringify(join(tokens))
  return { text: vary([twice, bare(twice)]), expect: value }
}

export const innerQuotes = rawText(INNER_QUOTES)
/** In a list, what is inside the quotes may be an item. */
export const innerItems: Break = (start) => {
  const made = rawText(
    ['she wrote "a", "b" and left', 'either "x", "y" or both'],
    ({ inList }) => inList,
  )(start)
  return made && { text: made.text, expect: 'ambiguous' }
}
export const rawNewline = rawText(['first this\nthen that', 'a:\n- b\n- c'])
export const latex = rawText(LATEX)
export const patterns = rawText(PATTERNS)
export const trickyText: Break = (start) => {
  const token = start.place(freeTexts(start))
  if (token === undefined) return undefined
  const value = withText(start.value, token.path, start.vary(TRICKY))
  return { text: join(tokensOf(value, start.layout)), expect: value }
}
export const placeholder: Break = (start) => {
  const token = start.place(freeTexts(start).filter(({ inList }) => !inList))
  if (token === undefined) return undefined
  const text = `<your ${token.path.at(-1)} here>`
  return { text: join(tokensOf(withText(start.value, token.path, text), start.layout)), expect: 'unreadable' }
}

export const trailingComma: Break = ({ tokens, value, place }) => {
  const ends = tokens.flatMap((token, index) =>
    token.is === 'close' && tokens[index - 1]?.is !== 'open' ? [index] : [],
  )
  const at = place(ends)
  return at === undefined ? undefined : { text: spliced(tokens, at, 0, ','), expect: value }
}
export const doubleComma: Break = ({ tokens, value, place }) => {
  const comma = place(tokens.filter(({ is }) => is === 'comma'))
  if (comma === undefined) return undefined
  return { text: spliced(tokens, tokens.indexOf(comma), 0, ','), expect: comma.inList ? 'unreadable' : value }
}
export const lostComma: Break = ({ tokens, value, place }) => {
  const comma = place(tokens.filter(({ is }) => is === 'comma'))
  if (comma === undefined) return undefined
  const at = tokens.indexOf(comma)
  const [before, after] = [tokens[at - 1], tokens[at + 1]]
  const text = spliced(tokens, at, 1)
  if (after?.is === 'open' && before?.is === 'close') return { text, expect: value }
  if (after?.gap === '' || after === undefined) return undefined
  if (after.is === 'key' || (after.is === 'text' && after.gap.includes('\n'))) return { text, expect: value }
  return after.is === 'text' ? { text, expect: 'ambiguous' } : undefined
}
export const comment: Break = ({ tokens, value, decoy, place, pick, vary }) => {
  const comma = place(tokens.filter(({ is }) => is === 'comma'))
  if (comma === undefined) return undefined
  const at = tokens.indexOf(comma) + 1
  const said = vary(['checked', 'see "above"', `not ${JSON.stringify(decoy)}`, "it's fine, isn't it"])
  const line = tokens[at]?.gap.includes('\n')
  const signs = line ? pick([` // ${said}`, ` # ${said}`, ` /* ${said} */`]) : ` /* ${said} */`
  return { text: spliced(tokens, at, 0, signs), expect: value }
}
export const ellipsis: Break = ({ tokens, place, vary }) => {
  const comma = place(tokens.filter(({ is, inList }) => is === 'comma' && inList))
  if (comma === undefined) return undefined
  return {
    text: spliced(tokens, tokens.indexOf(comma) + 1, 0, vary([' ...,', ' …,', ' [...],'])),
    expect: 'unreadable',
  }
}
export const closers: Break = ({ tokens, value, vary }) => {
  const end = tokens.at(-1)?.text === '}' ? '}' : ']'
  const [all, last] = [join(tokens), tokens.at(-2)]
  const wrong = all.slice(0, -1) + (end === '}' ? ']' : '}')
  const open = end === '}' && last?.is !== 'number' ? [all.slice(0, -1)] : []
  return { text: vary([all + end, wrong, ...open]), expect: value }
}

/** Cut off between two tokens or inside one. */
export const cutOff: Break = ({ tokens, value, place, pick }) => {
  const ends = tokens.flatMap((_, index) => (index > tokens.length / 4 ? [index] : []))
  const at = pick([true, false]) ? place(ends) : pick(ends)
  if (at === undefined) return undefined
  const [rest, last] = [tokens.slice(at), tokens[at - 1] as Token]
  const kept = join(tokens.slice(0, at))
  if (rest.every(({ is }) => is === 'close')) {
    const onlyBraces = rest.every(({ text }) => text === '}') && last.is !== 'number'
    return onlyBraces ? { text: kept, expect: value } : undefined
  }
  const isWhole = rest.every(({ is, path }) => is === 'close' || path.some((step) => OPTIONAL.has(`${step}`)))
  if (isWhole) return undefined
  const inside = isQuoted(last) ? kept.slice(0, -Math.ceil(last.text.length / 2)) : kept
  return { text: pick([kept, inside]), expect: 'unreadable' }
}
export const sameKeyTwice: Break = ({ tokens, place, pick }) => {
  const keys = tokens.filter(({ is }, index) => is === 'key' && isQuoted(tokens[index + 2] as Token))
  const key = place(keys)
  if (key === undefined) return undefined
  const at = tokens.indexOf(key)
  const other = `${key.text}:${key.gap === '' ? '' : ' '}"something else"`
  const isLater = pick([true, false])
  const text = isLater ? `,${key.gap}${other}` : `${key.gap}${other},`
  return { text: spliced(tokens, isLater ? at + 3 : at, 0, text), expect: 'unreadable' }
}

export const plainYaml: Break = ({ value }) => ({ text: yamlOf(value), expect: value })
export const yamlSign = inYaml((_, vary) => vary(YAML_SIGNS))
export const yamlComment: Break = (start) => {
  const made = inYaml((text) => `${text} # twice if need be`)(start)
  return made && { text: made.text, expect: 'ambiguous' }
}
export const yamlContinued: Break = (start) => {
  const made = inYaml((text) => `${text}\nand what belongs to it`)(start)
  return made && { text: made.text, expect: 'ambiguous' }
}

function inYaml(change: (text: string, vary: Start['vary']) => string): Break {
  return (start) => {
    const token = start.place(freeTexts(start))
    if (token === undefined || token.text.length < 4) return undefined
    const value = withText(start.value, token.path, change(JSON.parse(token.text) as string, start.vary))
    return { text: yamlOf(value), expect: value }
  }
}

function spliced(tokens: readonly Token[], at: number, lost: number, text = ''): string {
  return join(tokens.slice(0, at)) + text + join(tokens.slice(at + lost))
}

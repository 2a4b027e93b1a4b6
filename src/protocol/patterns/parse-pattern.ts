/**
 * The syntax tree of a regular expression with the `u` flag. The parser reads only sources that `new RegExp` accepts; classes and escapes are
 * evaluated by native expressions on single characters, so their meaning is JavaScript's in every detail.
 */
import { ThinkonError } from '../errors.ts'

export type CharTest = (codePoint: number) => boolean

export type PatternNode =
  | { readonly type: 'char'; readonly test: CharTest }
  | { readonly type: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly type: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly type: 'repeat'; readonly node: PatternNode; readonly min: number; readonly max: number }
  | { readonly type: 'assertion'; readonly index: number; readonly negated: boolean }

/** A condition on a position. The assertions inside a lookaround precede it in the list. */
export type Assertion =
  | { readonly kind: 'position'; readonly holds: (text: string, at: number) => boolean }
  | { readonly kind: 'lookahead' | 'lookbehind'; readonly node: PatternNode }

export interface ParsedPattern {
  readonly node: PatternNode
  readonly assertions: readonly Assertion[]
}

/** More would not fit into the bits of a position's context. */
const MAX_ASSERTIONS = 30
const MAX_NESTING = 200

/** `source` must be valid with the `u` flag. Throws `BAD_INPUT` for a back-reference, the only construct without a linear algorithm. */
export function parsePattern(source: string, flags: string): ParsedPattern {
  const parser = new Parser(source)
  return { node: parser.choice(new Set(flags), 0), assertions: parser.assertions }
}

class Parser {
  readonly assertions: Assertion[] = []
  readonly #source: string
  #at = 0

  constructor(source: string) {
    this.#source = source
  }

  choice(flags: ReadonlySet<string>, depth: number): PatternNode {
    if (depth > MAX_NESTING) throw unsupported('nests too many groups')
    const options = [this.#sequence(flags, depth)]
    while (this.#takes('|')) options.push(this.#sequence(flags, depth))
    return options.length === 1 ? (options[0] as PatternNode) : { type: 'choice', options }
  }

  #sequence(flags: ReadonlySet<string>, depth: number): PatternNode {
    const parts: PatternNode[] = []
    while (this.#at < this.#source.length && !'|)'.includes(this.#peek()))
      parts.push(this.#repeated(this.#term(flags, depth)))
    return parts.length === 1 ? (parts[0] as PatternNode) : { type: 'sequence', parts }
  }

  #repeated(node: PatternNode): PatternNode {
    const [, sign, least, open, most] = this.#read(/([*+?])\??|\{(\d+)(?:(,)(\d*))?\}\??/y) ?? []
    if (sign !== undefined)
      return { type: 'repeat', node, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity }
    if (least === undefined) return node
    const max = open === undefined ? Number(least) : most === '' ? Infinity : Number(most)
    return { type: 'repeat', node, min: Number(least), max }
  }

  #term(flags: ReadonlySet<string>, depth: number): PatternNode {
    if (this.#takes('(')) return this.#group(flags, depth)
    if (this.#takes('^')) return this.#position(flags.has('m') ? isLineStart : isStart)
    if (this.#takes('$')) return this.#position(flags.has('m') ? isLineEnd : isEnd)
    const boundary = this.#read(/\\([bB])/y)
    if (boundary !== undefined)
      return this.#position(flags.has('i') ? isBoundaryIgnoringCase : isBoundary, boundary[1] === 'B')
    if (this.#read(/\\(?:[1-9]|k<)/y)) throw unsupported('has a back-reference')
    // A class ends at the first bracket that is not escaped. Two escaped halves of a surrogate pair are one character.
    const [atom = ''] =
      this.#read(
        /\[(?:\\[\s\S]|[^\\\]])*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u.{4}|\\x..|\\c.|\\[\s\S]|[\s\S]/uy,
      ) ?? []
    return { type: 'char', test: charTest(atom, flags) }
  }

  #group(flags: ReadonlySet<string>, depth: number): PatternNode {
    const look = this.#read(/\?(<?)([=!])/y)
    const modifiers = look ?? this.#read(/\?([ims]*)(?:-([ims]*))?:/y) ?? this.#read(/\?<[^>]*>/y)
    const inner = new Set(flags)
    if (look === undefined) {
      for (const flag of modifiers?.[1] ?? '') inner.add(flag)
      for (const flag of modifiers?.[2] ?? '') inner.delete(flag)
    }
    const node = this.choice(inner, depth + 1)
    this.#takes(')')
    if (look === undefined) return node
    return this.#assertion({ kind: look[1] === '<' ? 'lookbehind' : 'lookahead', node }, look[2] === '!')
  }

  #position(holds: (text: string, at: number) => boolean, negated = false): PatternNode {
    const known = this.assertions.findIndex((one) => one.kind === 'position' && one.holds === holds)
    return known >= 0
      ? { type: 'assertion', index: known, negated }
      : this.#assertion({ kind: 'position', holds }, negated)
  }

  #assertion(assertion: Assertion, negated: boolean): PatternNode {
    if (this.assertions.length === MAX_ASSERTIONS)
      throw unsupported(`has more than ${MAX_ASSERTIONS} assertions`)
    return { type: 'assertion', index: this.assertions.push(assertion) - 1, negated }
  }

  #peek(): string {
    return this.#source[this.#at] ?? ''
  }

  #takes(char: string): boolean {
    if (this.#peek() !== char) return false
    this.#at++
    return true
  }

  #read(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#source)
    if (match === null) return undefined
    this.#at = pattern.lastIndex
    return match
  }
}

function charTest(atom: string, flags: ReadonlySet<string>): CharTest {
  const literal = atom.length <= 2 && !/^[\\.[]/.test(atom) ? atom.codePointAt(0) : undefined
  if (literal !== undefined && !flags.has('i')) return (char) => char === literal
  const native = new RegExp(`^(?:${atom})$`, flagsText(flags))
  return (char) => native.test(String.fromCodePoint(char))
}

const WORD = /^\w$/
const WORD_IGNORING_CASE = /^\w$/iu

function boundaryOf(word: RegExp): (text: string, at: number) => boolean {
  const isWord = (code: number) =>
    code < 0x80 ? ASCII_WORDS[code] === true : word.test(String.fromCharCode(code))
  return (text, at) => isWord(text.charCodeAt(at - 1)) !== isWord(text.charCodeAt(at))
}

const ASCII_WORDS = Array.from({ length: 128 }, (_, code) => WORD.test(String.fromCharCode(code)))
const isBoundary = boundaryOf(WORD)
const isBoundaryIgnoringCase = boundaryOf(WORD_IGNORING_CASE)

const isStart = (_: string, at: number) => at === 0
const isEnd = (text: string, at: number) => at === text.length
const isLineStart = (text: string, at: number) => at === 0 || isLineBreak(text.charCodeAt(at - 1))
const isLineEnd = (text: string, at: number) => at === text.length || isLineBreak(text.charCodeAt(at))
const isLineBreak = (code: number) => code === 10 || code === 13 || code === 0x2028 || code === 0x2029

function flagsText(flags: ReadonlySet<string>): string {
  return ['i', 's', 'u'].filter((flag) => flag === 'u' || flags.has(flag)).join('')
}

function unsupported(problem: string): ThinkonError {
  return new ThinkonError('BAD_INPUT', `${problem}, which can't be matched in linear time`)
}

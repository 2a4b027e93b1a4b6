/**
 * The positions of the keys of `export default { … }` in a TypeScript or JavaScript text. Follows object and array literals
 * and skips everything else, so that a computed value has the position of what surrounds it. Never throws: positions only
 * improve messages, and may be unknown.
 */
import { defined, MAX_DEPTH, parseJson } from '../protocol/index.ts'
import { type Path, Positions } from './positions.ts'

export interface LiteralPositions {
  readonly positions: Positions
  /** Duplicate keys of an object: the second of each. */
  readonly doubles: readonly Path[]
  /** The first value that is nested too deep: nothing inside it has a position. */
  readonly tooDeepAt: number | undefined
}

export function modulePositions(text: string): Positions {
  const start = literalStart(text)
  return start === undefined ? new Positions() : literalPositions(text, start).positions
}

/** Of the literal, in JavaScript or JSON, that begins at this offset or after space. */
export function literalPositions(text: string, start: number): LiteralPositions {
  const walker = new Walker(text)
  walker.value(walker.space(start), [])
  return walker
}

/** The brace of the default export's literal: exported directly, in `defineConfig(…)`, or through a constant. */
function literalStart(text: string): number | undefined {
  const plain = blanked(text)
  const found = /\bexport\s+default\s+|\bmodule\.exports\s*=\s*/.exec(plain)
  if (found === null) return undefined
  const rest = after(plain, found.index + found[0].length)
  if (rest !== undefined) return rest
  const [name] = /^[\w$]{1,200}\b/.exec(plain.slice(found.index + found[0].length)) ?? []
  if (name === undefined) return undefined
  const made = new RegExp(`\\b(?:const|let|var)\\s+${name.replaceAll('$', '\\$')}\\b[^=]*=\\s*`).exec(plain)
  return made === null ? undefined : after(plain, made.index + made[0].length)
}

function after(plain: string, at: number): number | undefined {
  const opening = /(?:[\w$.]+\s*\(\s*|\(\s*)?(\{)/y
  opening.lastIndex = at
  const found = opening.exec(plain)
  return found === null ? undefined : found.index + found[0].length - 1
}

/** Comments and the contents of strings become spaces; offsets stay the same. One that is not closed ends with its line, or the text. */
function blanked(text: string): string {
  const hidden =
    /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:\\.|[^'\\\n])*'?|"(?:\\.|[^"\\\n])*"?|`(?:\\.|[^`\\])*`?/g
  return text.replace(hidden, (found) => found.replace(/[^\n]/g, ' '))
}

const QUOTES = '\'"`'

class Walker {
  readonly positions = new Positions()
  readonly doubles: Path[] = []
  tooDeepAt: number | undefined
  private readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** Returns the offset after the value: of the comma or bracket that ends it. */
  value(at: number, path: Path, key?: number): number {
    this.positions.set(path, { ...defined({ key }), value: at })
    const char = this.text[at]
    if (char !== '{' && char !== '[') return this.expression(at)
    if (path.length >= MAX_DEPTH) {
      this.tooDeepAt ??= at
      return this.expression(at)
    }
    return this.expression(char === '{' ? this.object(at, path) : this.list(at, path))
  }

  private object(start: number, path: Path): number {
    let at = this.space(start + 1)
    while (at < this.text.length && this.text[at] !== '}') {
      at = this.property(at, path)
      if (this.text[at] === ',') at = this.space(at + 1)
      else if (this.text[at] !== '}') break
    }
    return at + 1
  }

  private property(at: number, path: Path): number {
    const [found, quoted, bare] = this.match(/'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|([\w$]+)/y, at)
    // Escapes in a key are rare; most mean the same in JavaScript and JSON.
    const key = bare ?? (quoted?.includes('\\') ? String(parseJson(`"${quoted}"`)) : quoted)
    const next = found === '' ? at : this.space(at + found.length)
    if (key !== undefined && this.text[next] === ':') {
      const inner = [...path, key]
      if (this.positions.has(inner)) this.doubles.push(inner)
      return this.value(this.space(next + 1), inner, at)
    }
    // A shorthand is its own value; spreads, computed keys and methods are skipped.
    if (key !== undefined && /[,}]/.test(this.text[next] ?? ''))
      this.positions.set([...path, key], { key: at, value: at })
    return this.expression(at)
  }

  private list(start: number, path: Path): number {
    let at = this.space(start + 1)
    for (let index = 0; at < this.text.length && this.text[at] !== ']'; index++) {
      at = this.value(at, [...path, index])
      if (this.text[at] === ',') at = this.space(at + 1)
      else if (this.text[at] !== ']') break
    }
    return at + 1
  }

  /** The offset of the comma or closing bracket that ends an expression. */
  private expression(start: number): number {
    let depth = 0
    for (let at = this.space(start); at < this.text.length; at = this.space(at)) {
      const char = this.text[at] as string
      if (depth === 0 && (char === ',' || ')]}'.includes(char))) return at
      if ('([{'.includes(char)) depth++
      else if (')]}'.includes(char)) depth--
      const [text] = this.match(/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/y, at)
      // Nothing after a string that is never closed can be told; to look for its end at every quote takes long.
      if (text === '' && QUOTES.includes(char)) return this.text.length
      at += text === '' ? 1 : text.length
    }
    return this.text.length
  }

  space(at: number): number {
    const [found] = this.match(/(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))*/y, at)
    return at + found.length
  }

  private match(pattern: RegExp, at: number): [string, string | undefined, string | undefined] {
    pattern.lastIndex = at
    const [found = '', single, double, bare] = pattern.exec(this.text) ?? []
    return [found, single ?? double, bare]
  }
}

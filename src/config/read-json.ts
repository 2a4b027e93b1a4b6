/** Reads strict JSON, with the position of every key and value, and errors with theirs. */
import { type Path, Positions } from './positions.ts'

export class JsonSyntaxError extends Error {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

export interface JsonText {
  readonly value: unknown
  readonly positions: Positions
  /** Duplicate keys of an object: the second of each. */
  readonly doubles: readonly Path[]
}

export function readJson(text: string): JsonText {
  const reader = new Reader(text)
  reader.space()
  reader.value([])
  reader.space()
  if (!reader.atEnd) throw reader.unexpected('nothing more')
  // Its syntax has been checked: this can't fail.
  return {
    value: JSON.parse(text.replace(/^\ufeff/, '')),
    positions: reader.positions,
    doubles: reader.doubles,
  }
}

const DEEPEST = 200
const ESCAPES = new Map(
  Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', '/': '/' }),
)

class Reader {
  readonly positions = new Positions()
  readonly doubles: Path[] = []
  private readonly text: string
  private at: number

  constructor(text: string) {
    this.text = text
    this.at = text.startsWith('\ufeff') ? 1 : 0
  }

  get atEnd(): boolean {
    return this.at >= this.text.length
  }

  space(): void {
    const space = /[ \t\r\n]*/y
    space.lastIndex = this.at
    space.exec(this.text)
    this.at = space.lastIndex
    if (this.text.startsWith('//', this.at) || this.text.startsWith('/*', this.at))
      throw this.error('JSON has no comments: take it out, or write a thinkon.config.ts')
  }

  value(path: Path, key?: number): void {
    if (path.length > DEEPEST) throw this.error('nested too deep')
    this.positions.set(path, { ...(key === undefined ? {} : { key }), value: this.at })
    const char = this.text[this.at]
    if (char === '{') this.object(path)
    else if (char === '[') this.list(path)
    else if (char === '"') this.string()
    else this.word()
  }

  unexpected(wanted: string): JsonSyntaxError {
    const char = this.text[this.at]
    return this.error(
      `${char === undefined ? 'the file ends here' : `unexpected ${JSON.stringify(char)}`}: ${wanted} is expected`,
    )
  }

  private object(path: Path): void {
    const keys = new Set<string>()
    this.at++
    this.space()
    if (this.take('}')) return
    for (;;) {
      const keyAt = this.at
      if (this.text[this.at] === '}') throw this.error('a comma must not come before }')
      if (this.text[this.at] !== '"') throw this.unexpected('a key in double quotes')
      const key = this.string()
      this.space()
      if (!this.take(':')) throw this.unexpected('":" after the key')
      this.space()
      const at = [...path, key]
      if (keys.has(key)) this.doubles.push(at)
      keys.add(key)
      this.value(at, keyAt)
      this.space()
      if (this.take('}')) return
      if (!this.take(',')) throw this.unexpected('"," or "}"')
      this.space()
    }
  }

  private list(path: Path): void {
    this.at++
    this.space()
    if (this.take(']')) return
    for (let index = 0; ; index++) {
      if (this.text[this.at] === ']') throw this.error('a comma must not come before ]')
      this.value([...path, index])
      this.space()
      if (this.take(']')) return
      if (!this.take(',')) throw this.unexpected('"," or "]"')
      this.space()
    }
  }

  private word(): void {
    const word = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
    word.lastIndex = this.at
    const [found] = word.exec(this.text) ?? []
    if (this.text[this.at] === "'") throw this.error("strings need double quotes, not '…'")
    if (found === undefined) throw this.unexpected('a value')
    this.at += found.length
    if (/[\w.+-]/.test(this.text[this.at] ?? ''))
      throw this.unexpected('"," or the end of the object or list')
  }

  private string(): string {
    let made = ''
    for (this.at++; ; this.at++) {
      const char = this.text[this.at]
      if (char === undefined || char === '\n') throw this.error('the string is not closed by " on its line')
      if (char === '"') break
      if (char < ' ') throw this.error('a control character in a string must be written with \\u')
      made += char === '\\' ? this.escape() : char
    }
    this.at++
    return made
  }

  private escape(): string {
    const char = this.text[++this.at] ?? ''
    const known = ESCAPES.get(char)
    if (known !== undefined) return known
    const code = /^u([0-9a-f]{4})/i.exec(this.text.slice(this.at, this.at + 5))?.[1]
    if (code === undefined)
      throw this.error(`\\${char} means nothing in JSON; a backslash is written \\\\`, this.at - 1)
    this.at += 4
    return String.fromCharCode(Number.parseInt(code, 16))
  }

  private take(char: string): boolean {
    if (this.text[this.at] !== char) return false
    this.at++
    return true
  }

  private error(message: string, at = this.at): JsonSyntaxError {
    return new JsonSyntaxError(message, at)
  }
}

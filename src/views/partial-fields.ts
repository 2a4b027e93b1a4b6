/**
 * The readable part of a JSON object that is still being streamed: the text of some of its fields, as far as it has arrived.
 * Reads piece by piece and keeps only the end of one text, however long the object is.
 */

export interface PartialFields {
  add(piece: string): void
  /** The end of the last wanted field's text; empty before the first; null if the text is not such an object. */
  read(): string | null
}

/** An object without a wanted field in this many characters will hardly have one. */
const MAX_WITHOUT = 300

type Position = 'before' | 'key' | 'colon' | 'value' | 'after' | 'other'

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '', b: '', f: '' }

export function partialFields(wanted: ReadonlySet<string>, keptChars: number): PartialFields {
  let position: Position = 'before'
  let before = ''
  /** Open brackets, not counting the outermost object. */
  let depth = 0
  let inString = false
  let escaped = ''
  let key = ''
  let capturing = false
  let text = ''
  let found = false
  let seen = 0

  function take(char: string): void {
    if (position === 'key') key += char
    else if (capturing) text = (text + char).slice(-keptChars)
  }

  function stringChar(char: string): void {
    if (escaped !== '') {
      escaped += char
      if (escaped.startsWith('\\u')) {
        if (escaped.length < 6) return
        take(String.fromCharCode(Number.parseInt(escaped.slice(2), 16) || 0xfffd))
      } else take(ESCAPED[char] ?? char)
      escaped = ''
    } else if (char === '\\') escaped = char
    else if (char === '"') endString()
    else take(char)
  }

  function endString(): void {
    inString = false
    capturing = false
    if (depth === 0) position = position === 'key' ? 'colon' : 'after'
  }

  function beginString(): void {
    inString = true
    if (depth > 0) return
    if (position !== 'value') {
      position = 'key'
      key = ''
    } else if (wanted.has(key)) {
      capturing = true
      found = true
      text = ''
    }
  }

  function closeBracket(): void {
    depth--
    if (depth < 0) position = 'other'
    else if (depth === 0) position = 'after'
  }

  /** Outside strings. */
  function structure(char: string): void {
    if (char === '"') beginString()
    else if ('{['.includes(char)) depth++
    else if ('}]'.includes(char)) closeBracket()
    else if (depth > 0) return
    else if (char === ':') position = 'value'
    else if (char === ',') position = 'after'
  }

  /** Only a code fence may precede the object. */
  function beforeObject(char: string): void {
    before += char
    if (char === '{' && /^\s*(?:```\w*\s*)?\{$/.test(before)) position = 'after'
    else if (!/^\s*(?:`{0,3}|```\w*\s*)$/.test(before)) position = 'other'
  }

  return {
    add(piece) {
      for (const char of piece) {
        if (position === 'other') return
        if (position === 'before') beforeObject(char)
        else if (inString) stringChar(char)
        else structure(char)
        seen++
      }
    },
    read() {
      if (found) return text
      return position === 'other' || seen > MAX_WITHOUT ? null : ''
    },
  }
}

/**
 * The texts of a JSON object's own fields, character by character, from its brace on; and those of objects in a list, where the name
 * says so: `candidates.content`.
 */
import type { FieldSink, FormReader } from './field-sink.ts'

type Position = 'before' | 'key' | 'colon' | 'value' | 'after' | 'over'

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }

export function partialJson(wanted: ReadonlySet<string>, sink: FieldSink): FormReader {
  let position: Position = 'before'
  /** Open brackets, not counting the outermost object. */
  let depth = 0
  let inString = false
  let escaped = ''
  /** The letter of the last escape, and those that came after it: `\times` may be meant as it is written. */
  let word = ''
  /** It follows a drive: `C:\new`. */
  let isFolder = false
  /** The text had something that is no JSON, a command or a path: how the rest is read is open. */
  let isLost = false
  let key = ''
  /** The field of an object in a list: its name, and whether its value comes next. */
  let innerKey = ''
  let isInnerValue = false
  let inKey: 'own' | 'inner' | null = null
  let capturing = false
  /** Plain characters that were not passed on yet. */
  let pending = ''
  /** The last characters that were. */
  let passed = ''

  function pass(): void {
    if (pending === '') return
    sink.text(pending)
    passed = (passed + pending).slice(-3)
    pending = ''
  }

  function take(char: string): void {
    if (capturing) pending += char
    else if (inKey === 'own') key += char
    else if (inKey === 'inner') innerKey += char
  }

  function plainChar(char: string): void {
    if (word !== '') {
      if (/[a-z]/i.test(char)) word += char
      else endWord()
    }
    take(char)
  }

  function escapedChar(char: string): void {
    escaped += char
    if (escaped.startsWith('\\u')) {
      if (escaped.length < 6) return
      // Whatever follows the u is a letter that was escaped.
      if (!/^\\u[\da-f]{4}$/i.test(escaped)) letterEscaped('u')
      take(String.fromCharCode(Number.parseInt(escaped.slice(2), 16)))
    } else {
      if (!'"\\/'.includes(char)) letterEscaped(char)
      take(ESCAPED[char] ?? char)
    }
    escaped = ''
  }

  function letterEscaped(char: string): void {
    if (capturing) sink.doubt()
    if ('nrt'.includes(char)) word = char
    else isLost = true
    isFolder = DRIVE.test(passed)
  }

  /** A word after a line break is just that, unless the two are a command or a folder. */
  function endWord(): void {
    if (COMMAND.test(word) || (isFolder && word.length > 1)) isLost = true
    word = ''
    pass()
    if (capturing && !isLost) sink.settle()
  }

  function stringChar(char: string): void {
    if (escaped !== '') escapedChar(char)
    else if (char === '\\') {
      if (word === '') pass()
      else endWord()
      escaped = char
    } else if (char === '"') endString()
    else plainChar(char)
  }

  function endString(): void {
    inString = false
    if (capturing) {
      if (word !== '') endWord()
      pass()
      sink.end()
    }
    capturing = false
    inKey = null
    if (depth === 0) position = position === 'key' ? 'colon' : 'after'
  }

  function beginString(): void {
    inString = true
    word = ''
    if (depth === IN_LIST) beginInner()
    else if (depth > 0) return
    else if (position !== 'value') {
      position = 'key'
      inKey = 'own'
      key = ''
    } else if (wanted.has(key)) capture(key)
  }

  function beginInner(): void {
    if (!isInnerValue) {
      inKey = 'inner'
      innerKey = ''
    } else if (wanted.has(`${key}.${innerKey}`)) capture(`${key}.${innerKey}`)
  }

  function capture(name: string): void {
    capturing = true
    isLost = false
    passed = ''
    sink.begin(name)
  }

  function openBracket(): void {
    depth++
    isInnerValue = false
  }

  function closeBracket(): void {
    depth--
    if (depth < 0) position = 'over'
    else if (depth === 0) position = 'after'
  }

  /** Outside strings. */
  function structure(char: string): void {
    if (position === 'before') position = 'after'
    else if (char === '"') beginString()
    else if ('{['.includes(char)) openBracket()
    else if ('}]'.includes(char)) closeBracket()
    else between(char)
  }

  function between(char: string): void {
    if (char !== ':' && char !== ',') return
    if (depth === IN_LIST) isInnerValue = char === ':'
    else if (depth === 0) position = char === ':' ? 'value' : 'after'
  }

  return (piece) => {
    for (const char of piece) {
      if (position === 'over') break
      if (inString) stringChar(char)
      else structure(char)
    }
    pass()
  }
}

const DRIVE = /(?:^|[^a-z\d])[a-z]:$/i

/** The depth of the fields of an object in a list. */
const IN_LIST = 2

/** What JSON reads as a line break or tab with letters after it, and a model that writes formulas means as a command. */
const COMMAND =
  /^(?:n(?:abla|eq?|i|u|eg|ot(?:in)?|ewline|leq|geq|less|mid|exists|cong|sim)|t(?:imes|heta|ext\w*|frac|anh?|o|op|au|ag|ilde|riangle\w*|herefore)|r[a-z]+)$/

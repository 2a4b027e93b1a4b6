/**
 * Command templates: `{{name}}` becomes the input, quoted as one word of the shell. Where quoting would not work (within
 * quotes, after a backslash, in a comment, …), a placeholder is refused when the file is read, so that no value is ever code.
 */

import type { DecodingBudget } from '../../protocol/decoding-budget.ts'

export interface Placeholder {
  readonly name: string
  readonly index: number
  readonly length: number
  /** Why an input can't be put here. */
  readonly problem?: string
}

export type InputValue = string | number | boolean | readonly (string | number)[]

const PLACEHOLDER = /\{\{\s*([A-Za-z_][A-Za-z0-9_-]*)\s*\}\}/y

// biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's
const IN_BRACES = 'within or after ${…}'

/** An input that is not given becomes nothing; a list becomes one word for each item. `budget` is that of the command. */
export function fillTemplate(
  template: string,
  inputs: Readonly<Record<string, InputValue | undefined>>,
  budget: DecodingBudget,
): string {
  budget.take(template.length)
  const words = new Map<string, string>()
  let filled = ''
  let from = 0
  for (const { name, index, length } of placeholdersOf(template)) {
    const word = words.get(name) ?? wordsOf(inputs[name])
    words.set(name, word)
    budget.take(word.length)
    filled += template.slice(from, index) + word
    from = index + length
  }
  return filled + template.slice(from)
}

function wordsOf(value: InputValue | undefined): string {
  if (value === undefined) return ''
  const given = [value].flat().map(String)
  return given.map(quoteWord).join(' ')
}

/** One word of the shell, whatever it contains. */
function quoteWord(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}

/** In order. Reads the shell's syntax strictly: after anything it can't follow, placeholders are refused. */
export function placeholdersOf(template: string): Placeholder[] {
  const found: Placeholder[] = []
  /** Open quotes and parentheses, outermost first. */
  const open: ('"' | '(')[] = []
  /** Why all placeholders from here on are refused. */
  let lost = alwaysLost(template)
  const inQuotes = () => open.at(-1) === '"'

  /** The reading functions return how many characters they have read at `at`; 0 if they do not apply there. */
  function placeholder(at: number): number {
    const place = placeholderAt(template, at)
    if (place === null) return 0
    const problem = lost || (inQuotes() && 'within quotes') || (template[at - 1] === '$' && 'after $')
    found.push(problem ? { ...place, problem } : place)
    return place.length
  }

  function literal(at: number): number {
    if (inQuotes()) return 0
    const isComment = template[at] === '#' && (at === 0 || /[\s;&|()]/.test(template[at - 1] as string))
    if (isComment) return refuseWithin(at, lengthOf(/[^\n]*/y, at), 'in a comment')
    return refuseWithin(at, lengthOf(/'[^']*'/y, at), 'within quotes')
  }

  function backticks(at: number): number {
    const length = lengthOf(/`(?:\\[\s\S]|[^`\\])*`/y, at)
    return refuseWithin(at, length, 'within backticks (write $(…) instead)')
  }

  function backslash(at: number): number {
    if (template[at] !== '\\') return 0
    const place = placeholderAt(template, at + 1)
    if (place !== null) found.push({ ...place, problem: 'after a backslash' })
    return 1 + (place?.length ?? 1)
  }

  function braces(at: number): number {
    if (!template.startsWith('${', at) || placeholderAt(template, at + 1) !== null) return 0
    const length = lengthOf(/\$\{[^{}'"`\\$]*\}/y, at)
    if (length === 0) lost ||= IN_BRACES
    return length || 2
  }

  function arithmetic(at: number): number {
    if (!template.startsWith('$((', at) && (inQuotes() || !template.startsWith('((', at))) return 0
    const length = lengthOf(/\$?\(\([^(){}'"`\\]*\)\)/y, at)
    if (length === 0) lost ||= 'within or after ((…))'
    return length || 2
  }

  function character(at: number): number {
    const char = template[at] as string
    if (template.startsWith('$(', at)) {
      open.push('(')
      return 2
    }
    if (char === '`') lost ||= 'after a ` that is not closed'
    if (char !== '"') unquoted(char, at)
    else if (inQuotes()) open.pop()
    else open.push('"')
    return 1
  }

  function unquoted(char: string, at: number): void {
    if (inQuotes()) return
    if (template.startsWith("$'", at)) lost ||= "after $'…'"
    if (template.startsWith('<<', at)) lost ||= 'after << (write the text to a file, or use printf)'
    if (char === "'") lost ||= "after a ' that is not closed"
    if (char === '(') open.push('(')
    if (char === ')' && open.at(-1) === '(') open.pop()
  }

  function refuseWithin(from: number, length: number, problem: string): number {
    for (let at = from; at < from + length; at++) {
      const place = placeholderAt(template, at)
      if (place !== null) found.push({ ...place, problem })
    }
    return length
  }

  function lengthOf(pattern: RegExp, at: number): number {
    pattern.lastIndex = at
    return pattern.exec(template)?.[0].length ?? 0
  }

  const readers = [placeholder, literal, backticks, backslash, braces, arithmetic, character]
  for (let at = 0; at < template.length; ) at += readers.reduce((length, read) => length || read(at), 0)
  return found
}

function alwaysLost(template: string): string {
  const begins = template.search(/\bcase\b/)
  if (begins !== -1 && /\besac\b/.test(template.slice(begins))) return 'beside case … esac'
  return /\beval\b/.test(template) ? 'beside eval' : ''
}

function placeholderAt(template: string, at: number): Placeholder | null {
  PLACEHOLDER.lastIndex = at
  const match = PLACEHOLDER.exec(template)
  return match === null ? null : { name: match[1] as string, index: at, length: match[0].length }
}

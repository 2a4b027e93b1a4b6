/**
 * Command templates: `{{name}}` becomes the input, quoted as one word of the shell. Where quoting would not hold (within
 * quotes, after a backslash, in a comment, …) a place is refused when the file is read, so that no value is ever code.
 */

export interface Place {
  readonly name: string
  readonly index: number
  readonly length: number
  /** Why an input can't stand here. */
  readonly problem?: string
}

export type InputValue = string | number | boolean | readonly (string | number)[]

const PLACE = /\{\{\s*([A-Za-z_][A-Za-z0-9_-]*)\s*\}\}/y

// biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's
const IN_BRACES = 'within or after ${…}'

/** An input that is not given leaves nothing in its place; a list becomes one word for each entry. */
export function fillTemplate(
  template: string,
  inputs: Readonly<Record<string, InputValue | undefined>>,
): string {
  let filled = ''
  let from = 0
  for (const { name, index, length } of placesOf(template)) {
    const value = inputs[name]
    filled += template.slice(from, index)
    if (value !== undefined)
      filled += [value]
        .flat()
        .map((one) => quoteWord(String(one)))
        .join(' ')
    from = index + length
  }
  return filled + template.slice(from)
}

/** One word of the shell, whatever is in it. */
function quoteWord(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}

/** In their order. The reading of the shell's syntax is strict: what it can't follow makes the places after it refused. */
export function placesOf(template: string): Place[] {
  const places: Place[] = []
  // What is open, outermost first: " is a double quote, ( a parenthesis.
  const open: ('"' | '(')[] = []
  let lost = /\bcase\b[\s\S]*\besac\b/.test(template)
    ? 'beside case … esac'
    : /\beval\b/.test(template)
      ? 'beside eval'
      : ''
  let at = 0
  while (at < template.length) {
    const inQuotes = open.at(-1) === '"'
    const rest = template.slice(at)
    const place = placeAt(template, at)
    if (place !== null) {
      const before = template[at - 1] ?? ''
      const why = lost || (inQuotes ? 'within quotes' : before === '$' ? 'after $' : '')
      places.push(why === '' ? place : { ...place, problem: why })
      at += place.length
      continue
    }
    const literal = inQuotes ? null : isComment(template, at) ? /^[^\n]*/.exec(rest) : /^'[^']*'/.exec(rest)
    if (literal !== null) {
      const text = literal[0]
      places.push(
        ...within(template, at, text.length, text.startsWith('#') ? 'in a comment' : 'within quotes'),
      )
      at += text.length
      continue
    }
    const char = template[at] as string
    const backticks = /^`(?:\\[\s\S]|[^`\\])*`/.exec(rest)
    if (backticks !== null) {
      places.push(...within(template, at, backticks[0].length, 'within backticks (write $(…) instead)'))
      at += backticks[0].length
    } else if (char === '\\') {
      places.push(...within(template, at + 1, placeAt(template, at + 1)?.length ?? 0, 'after a backslash'))
      at += 1 + Math.max(1, placeAt(template, at + 1)?.length ?? 0)
    } else if (rest.startsWith('${') && placeAt(template, at + 1) === null) {
      const simple = /^\$\{[^{}'"`\\$]*\}/.exec(rest)
      if (simple === null) lost ||= IN_BRACES
      at += simple?.[0].length ?? 2
    } else if (rest.startsWith('$((') || (!inQuotes && rest.startsWith('(('))) {
      const simple = /^\$?\(\([^(){}'"`\\]*\)\)/.exec(rest)
      if (simple === null) lost ||= 'within or after ((…))'
      at += simple?.[0].length ?? 2
    } else if (rest.startsWith('$(')) {
      open.push('(')
      at += 2
    } else {
      if (!inQuotes && rest.startsWith("$'")) lost ||= "after $'…'"
      if (!inQuotes && rest.startsWith('<<')) lost ||= 'after << (write the text to a file, or use printf)'
      if (char === '`' || (char === "'" && !inQuotes)) lost ||= `after a ${char} that is not closed`
      if (char === '"') toggle(open)
      else if (!inQuotes && char === '(') open.push('(')
      else if (!inQuotes && char === ')' && open.at(-1) === '(') open.pop()
      at += 1
    }
  }
  return places
}

function isComment(template: string, at: number): boolean {
  return template[at] === '#' && (at === 0 || /[\s;&|()]/.test(template[at - 1] as string))
}

function toggle(open: ('"' | '(')[]): void {
  if (open.at(-1) === '"') open.pop()
  else open.push('"')
}

function within(template: string, from: number, length: number, problem: string): Place[] {
  const found: Place[] = []
  for (let at = from; at < from + length; at++) {
    const place = placeAt(template, at)
    if (place !== null) found.push({ ...place, problem })
  }
  return found
}

function placeAt(template: string, at: number): Place | null {
  PLACE.lastIndex = at
  const match = PLACE.exec(template)
  return match === null ? null : { name: match[1] as string, index: at, length: match[0].length }
}

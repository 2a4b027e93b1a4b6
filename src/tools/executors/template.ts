/**
 * Command templates: `{{name}}` becomes the input, quoted as one word of the shell. Where quoting would not work (within
 * quotes, after a backslash, in a comment, …), a placeholder is refused when the file is read, so that no value is ever code.
 */

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

/** An input that is not given becomes nothing; a list becomes one word for each item. */
export function fillTemplate(
  template: string,
  inputs: Readonly<Record<string, InputValue | undefined>>,
): string {
  let filled = ''
  let from = 0
  for (const { name, index, length } of placeholdersOf(template)) {
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

/** One word of the shell, whatever it contains. */
function quoteWord(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}

/** In order. Reads the shell's syntax strictly: after anything it can't follow, placeholders are refused. */
export function placeholdersOf(template: string): Placeholder[] {
  return new TemplateReader(template).read()
}

/** Each reading method returns how many characters it has read at `at`; 0 if it does not apply there. */
class TemplateReader {
  private readonly template: string
  private readonly found: Placeholder[] = []
  /** Open quotes and parentheses, outermost first. */
  private readonly open: ('"' | '(')[] = []
  /** Why all placeholders from here on are refused. */
  private lost = ''

  constructor(template: string) {
    this.template = template
    if (/\bcase\b[\s\S]*\besac\b/.test(template)) this.lost = 'beside case … esac'
    else if (/\beval\b/.test(template)) this.lost = 'beside eval'
  }

  read(): Placeholder[] {
    for (let at = 0; at < this.template.length; ) {
      at +=
        this.placeholder(at) ||
        this.literal(at) ||
        this.backticks(at) ||
        this.backslash(at) ||
        this.braces(at) ||
        this.arithmetic(at) ||
        this.character(at)
    }
    return this.found
  }

  private get inQuotes(): boolean {
    return this.open.at(-1) === '"'
  }

  private placeholder(at: number): number {
    const place = placeholderAt(this.template, at)
    if (place === null) return 0
    const problem =
      this.lost || (this.inQuotes && 'within quotes') || (this.template[at - 1] === '$' && 'after $')
    this.found.push(problem ? { ...place, problem } : place)
    return place.length
  }

  private literal(at: number): number {
    if (this.inQuotes) return 0
    if (this.isComment(at)) return this.refuseWithin(at, this.match(/[^\n]*/y, at), 'in a comment')
    return this.refuseWithin(at, this.match(/'[^']*'/y, at), 'within quotes')
  }

  private backticks(at: number): number {
    const length = this.match(/`(?:\\[\s\S]|[^`\\])*`/y, at)
    return this.refuseWithin(at, length, 'within backticks (write $(…) instead)')
  }

  private backslash(at: number): number {
    if (this.template[at] !== '\\') return 0
    const place = placeholderAt(this.template, at + 1)
    if (place !== null) this.found.push({ ...place, problem: 'after a backslash' })
    return 1 + (place?.length ?? 1)
  }

  private braces(at: number): number {
    if (!this.template.startsWith('${', at) || placeholderAt(this.template, at + 1) !== null) return 0
    const length = this.match(/\$\{[^{}'"`\\$]*\}/y, at)
    if (length === 0) this.lost ||= IN_BRACES
    return length || 2
  }

  private arithmetic(at: number): number {
    const begins =
      this.template.startsWith('$((', at) || (!this.inQuotes && this.template.startsWith('((', at))
    if (!begins) return 0
    const length = this.match(/\$?\(\([^(){}'"`\\]*\)\)/y, at)
    if (length === 0) this.lost ||= 'within or after ((…))'
    return length || 2
  }

  private character(at: number): number {
    const char = this.template[at] as string
    if (this.template.startsWith('$(', at)) {
      this.open.push('(')
      return 2
    }
    if (char === '`') this.lost ||= 'after a ` that is not closed'
    if (char === '"') this.toggleQuotes()
    else if (!this.inQuotes) this.unquoted(char, at)
    return 1
  }

  private unquoted(char: string, at: number): void {
    if (this.template.startsWith("$'", at)) this.lost ||= "after $'…'"
    if (this.template.startsWith('<<', at)) this.lost ||= 'after << (write the text to a file, or use printf)'
    if (char === "'") this.lost ||= "after a ' that is not closed"
    if (char === '(') this.open.push('(')
    if (char === ')' && this.open.at(-1) === '(') this.open.pop()
  }

  private toggleQuotes(): void {
    if (this.inQuotes) this.open.pop()
    else this.open.push('"')
  }

  private isComment(at: number): boolean {
    return this.template[at] === '#' && (at === 0 || /[\s;&|()]/.test(this.template[at - 1] as string))
  }

  private refuseWithin(from: number, length: number, problem: string): number {
    for (let at = from; at < from + length; at++) {
      const place = placeholderAt(this.template, at)
      if (place !== null) this.found.push({ ...place, problem })
    }
    return length
  }

  private match(pattern: RegExp, at: number): number {
    pattern.lastIndex = at
    return pattern.exec(this.template)?.[0].length ?? 0
  }
}

function placeholderAt(template: string, at: number): Placeholder | null {
  PLACEHOLDER.lastIndex = at
  const match = PLACEHOLDER.exec(template)
  return match === null ? null : { name: match[1] as string, index: at, length: match[0].length }
}

/**
 * What models get wrong most in YAML, mended by name: tabs that indent, a full-width colon after a key, and texts with a colon,
 * quotes or a backslash in them that should have been quoted.
 */
export type YamlRepair = 'tabs' | 'colons' | 'quotes'

export interface YamlWay {
  readonly source: string
  readonly repairs: readonly YamlRepair[]
}

/** As it is, and then mended more and more. `isText` says which values are texts, so that quotes do no harm. */
export function yamlWays(source: string, isText: (key: string, value: string) => boolean): YamlWay[] {
  const ways: YamlWay[] = [{ source, repairs: [] }]
  const mend = (repair: YamlRepair, how: (source: string) => string) => {
    const { source: before, repairs } = ways.at(-1) as YamlWay
    const mended = how(before)
    if (mended !== before) ways.push({ source: mended, repairs: [...repairs, repair] })
  }
  mend('tabs', withoutTabs)
  mend('colons', (text) => text.replace(WIDE_COLON, '$1: '))
  mend('quotes', (text) => withQuotes(text, isText))
  return ways
}

const WIDE_COLON = /^(\s*(?:- +)*[\p{L}_][\p{L}\p{N}_-]*)：[ \t]*/gmu

/** Two blanks for each tab that indents. */
function withoutTabs(text: string): string {
  return text.replace(/^[ \t-]*\t[ \t-]*/gm, (indent) => indent.replaceAll('\t', '  '))
}

const TEXT_LINE = /^(\s*(?:- +)*)([\p{L}_][\p{L}\p{N}_-]*): +(\S.*)$/u
const LIST_LINE = /^\s*(?:[-*•] |\d+[.)] |#)/
const BLOCK = /^[|>][-+\d]*\s*(?:#.*)?$/

/** Texts get quotes, on one line; the lines of blocks stay as they are. */
function withQuotes(text: string, isText: (key: string, value: string) => boolean): string {
  const lines = text.split('\n')
  const mended: string[] = []
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string
    const [, before = '', key = '', value = ''] = TEXT_LINE.exec(line) ?? []
    const isBlock = BLOCK.test(value)
    if (!isBlock && !isText(key, value)) {
      mended.push(line)
      continue
    }
    const more: string[] = []
    while (isBelow(lines[i + 1], before.length)) more.push(lines[++i] as string)
    // Lists are not joined into one line.
    if (isBlock || more.some((part) => LIST_LINE.test(part))) mended.push(line, ...more)
    else
      mended.push(`${before}${key}: ${quoted([value, ...more.map((part) => part.trim())].join(' ').trim())}`)
  }
  return mended.join('\n')
}

function isBelow(line: string | undefined, column: number): boolean {
  return line !== undefined && (line.trim() === '' || line.search(/\S/) > column)
}

function quoted(value: string): string {
  if (/^"(?:[^"\\]|\\.)*"$/.test(value)) return value.replace(ESCAPE, literal)
  return /^'(?:[^']|'')*'$/.test(value) ? value : JSON.stringify(value)
}

const ESCAPE = /\\(u[\da-f]{4}|.)/gi

/** The backslashes of LaTeX between double quotes: only the commonest escapes are meant as such. */
function literal(pair: string, escaped: string): string {
  return escaped.length > 1 || '"\\/n'.includes(escaped) ? pair : `\\${pair}`
}

/**
 * What models get wrong most in YAML, mended by name: texts with signs in them that YAML has a use for and that should have been
 * quoted (#1, !word, *word*, [draft], a colon, quotes, a backslash), tabs that indent, a full-width colon after a key.
 */
import { parseJson } from '../protocol/index.ts'
import { withBackslashes } from './swallowed-escapes.ts'

export type YamlRepair = 'tabs' | 'colons' | 'quotes'

export interface YamlWay {
  readonly source: string
  readonly repairs: readonly YamlRepair[]
  /** Whether one of those texts ends with what may be a comment. */
  readonly isUnclear: boolean
}

/** As it is meant, and then mended more and more. `isText` says which values are texts, so that quotes do no harm. */
export function yamlWays(source: string, isText: (key: string, value: string) => boolean): YamlWay[] {
  const signs = withSignsQuoted(source)
  const quoted: readonly YamlRepair[] = signs.source === source ? [] : ['quotes']
  const ways: YamlWay[] = [{ ...signs, repairs: quoted }]
  const mend = (repair: YamlRepair, how: (source: string) => string) => {
    const from = ways.at(-1) as YamlWay
    const mended = how(from.source)
    if (mended !== from.source)
      ways.push({ ...from, source: mended, repairs: [...new Set([...from.repairs, repair])] })
  }
  mend('tabs', withoutTabs)
  mend('colons', (text) => text.replace(WIDE_COLON, '$1: '))
  mend('quotes', (text) => withQuotes(text, isText))
  // `- Note: \`x\`` is one text: the signs in it get no quotes of their own.
  const tidy = withoutTabs(source).replace(WIDE_COLON, '$1: ')
  const items = withQuotes(tidy, isText, ITEM_LINE)
  if (items !== tidy) ways.push({ ...withSignsQuoted(items), repairs: ['quotes'] })
  return ways
}

const WIDE_COLON = /^([ \t]*(?:- +)*[\p{L}_][\p{L}\p{N}_-]*)：[ \t]*/gmu

/** Two blanks for each tab that indents. */
function withoutTabs(text: string): string {
  return text.replace(/^[ \t-]*\t[ \t-]*/gm, (indent) => indent.replaceAll('\t', '  '))
}

const TEXT_LINE = /^(\s*(?:- +)*)([\p{L}_][\p{L}\p{N}_-]*): +(\S.*)$/u
const ITEM_LINE = /^(\s*(?:- +)+)()(\S.*)$/u
const BLOCK = /^[|>][-+\d]*\s*(?:#.*)?$/
const LIST_LINE = /^\s*(?:[-*•] |\d+[.)] |#)/

interface Entry {
  /** What stands before the value. */
  readonly before: string
  readonly key: string
  readonly value: string
  /** The lines below it that are indented more. */
  readonly more: readonly string[]
}

/** The text with the values that stand in one line changed, with the lines below them; the lines of blocks stay as they are. */
function mapEntries(text: string, pattern: RegExp, change: (entry: Entry) => string | null): string {
  const lines = text.split('\n')
  const mended: string[] = []
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string
    const [, indent = '', key = '', value = ''] = pattern.exec(line) ?? TEXT_LINE.exec(line) ?? []
    let next = i + 1
    while (value !== '' && isBelow(lines[next], indent.length)) next++
    const more = lines.slice(i + 1, next)
    const isBlock = BLOCK.test(value)
    const before = line.slice(0, line.length - value.length)
    const changed = value === '' || isBlock ? null : change({ before, key, value, more })
    mended.push(changed ?? line)
    if (isBlock) mended.push(...more)
    if (isBlock || changed !== null) i = next - 1
  }
  return mended.join('\n')
}

const SIGN = /^(?:[!&*@`%](?!!)|#\S|[|>]\s+\S)|\s#\S|^(?:\[[^[\]]*\]|\{[^{}]*\})\s*[^\s,#\]}]/
const COMMENT = /(?<!\s)\s+#(?:\s.*)?$/

/** Quotes around texts whose signs are part of them: to a person, none of these is YAML. */
function withSignsQuoted(source: string): { source: string; isUnclear: boolean } {
  let isUnclear = false
  // With an anchor and its alias, all of it is meant.
  const hasAlias = [...source.matchAll(/[\s:-]&(\w+)/g)].some(([, name]) => source.includes(`*${name}`))
  if (hasAlias) return { source, isUnclear }
  const quotedSource = mapEntries(source, PLAIN_ITEM, ({ before, value, more }) => {
    const text = value.replace(COMMENT, '')
    if (/^["']/.test(value) || !SIGN.test(text)) return null
    const blank = more.filter((line) => line.trim() === '')
    const isBroken = blank.length > 0 || more.some((line) => LIST_LINE.test(line))
    if (isBroken && blank.length < more.length) return null
    isUnclear ||= text !== value
    const whole = [text, ...more.map((line) => line.trim())].join(' ').trim()
    return [before + JSON.stringify(whole), ...blank].join('\n')
  })
  return { source: quotedSource, isUnclear }
}

/** `- text`, where the item is no field. */
const PLAIN_ITEM = /^(\s*(?:- +)+)()(?![\p{L}_][\p{L}\p{N}_-]*:(?:\s|$))(\S.*)$/u

/** Texts get quotes, on one line. */
function withQuotes(
  text: string,
  isText: (key: string, value: string) => boolean,
  pattern = TEXT_LINE,
): string {
  return mapEntries(text, pattern, ({ before, key, value, more }) => {
    // Lists are not joined into one line.
    if (!isText(key, value) || more.some((part) => LIST_LINE.test(part))) return null
    return before + quoted([value, ...more.map((part) => part.trim())].join(' ').trim())
  })
}

function isBelow(line: string | undefined, column: number): boolean {
  return line !== undefined && (line.trim() === '' || line.search(/\S/) > column)
}

function quoted(value: string): string {
  if (/^"(?:[^"\\]|\\.)*"$/.test(value)) return withKnownEscapes(value)
  return /^'(?:[^']|'')*'$/.test(value) ? value : JSON.stringify(value)
}

const ESCAPE = /\\(?:(["\\/bfnrt]|u[\da-f]{4})|([a-z]+|.))/gi

/** The backslashes of LaTeX between double quotes are kept; a text that can be read two ways stays as it is. */
function withKnownEscapes(value: string): string {
  const stray: string[] = []
  const json = value.replace(ESCAPE, (all, _, word: string | undefined) => {
    if (word === undefined) return all
    stray.push(word)
    return `\\${all}`
  })
  const text = parseJson(json)
  const meant = typeof text === 'string' ? withBackslashes(text, stray) : null
  return meant === null ? value : JSON.stringify(meant)
}

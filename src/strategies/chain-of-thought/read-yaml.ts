/**
 * A reply as data. It is YAML, which JSON is too: in a fence or not, with text around it or not. Proper YAML is read as it is;
 * what models get wrong most is mended, by name, and so are texts with #1 or LaTeX in them that YAML reads as something else.
 */
import * as yaml from 'yaml'
import { isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml'
import { isObject, parseJson } from '../../protocol/index.ts'
import { isCorrection } from '../../reply/corrections.ts'
import { duplicateKeys } from '../../reply/duplicate-keys.ts'
import { type YamlWay, yamlWays } from '../../reply/mend-yaml.ts'
import { UNCLEAR_BACKSLASHES, withBackslashes } from '../../reply/swallowed-escapes.ts'
import { withoutThinking } from '../../reply/thinking.ts'
import { commentsIn, lossIn } from '../../reply/yaml-losses.ts'

export type YamlReading =
  | { readonly value: Readonly<Record<string, unknown>>; readonly repairs: readonly string[] }
  | {
      readonly error: string
      /** It is YAML, and has another reading: mending it further would only choose one. */
      readonly isUnclear?: boolean
    }

/** Far more than a thought has; a parser may take long over junk. */
const MAX_LENGTH = 64 * 1024
/** Errors show their line up to here: it takes long where a long line has many. */
const MAX_PRETTY = 16 * 1024
const KEYS = ['evaluation', 'current_thinking', 'planning', 'next_thought_needed']
const TEXTS = new Set([
  'evaluation',
  'current_thinking',
  'description',
  'status',
  'result',
  'mark',
  'strategy',
])
/** What a thought may have; a line with another name may be the rest of a text. */
const KNOWN = new Set([...KEYS, ...TEXTS, 'sub_steps', 'thought_number'])
/** Of texts that are one of a few words, a comment is no part. */
const WORDS = new Set(['status', 'strategy'])

/** The last mapping that is meant as a thought: a model may show a draft before it. */
export function readYaml(reply: string): YamlReading {
  if (reply.length > MAX_LENGTH)
    return { error: `it is longer than ${MAX_LENGTH} characters: say it shorter` }
  const text = withoutThinking(reply.replaceAll('\r\n', '\n'))
  const errors: string[] = []
  for (const candidate of candidatesIn(text)) {
    const reading = readMended(candidate.text)
    if ('error' in reading) errors.push(reading.error)
    else if (KEYS.some((key) => key in reading.value))
      return isTakenBack(candidate) ? { error: 'after the YAML, the reply says something else' } : reading
  }
  return { error: errors[0] ?? `no YAML with the keys ${KEYS.slice(1).join(', ')} is in it` }
}

interface Candidate {
  readonly text: string
  /** What the reply says after it. */
  readonly after: string
}

function candidatesIn(text: string): Candidate[] {
  const fenced = [...text.matchAll(FENCE)].map(({ 0: all, 1: indent = '', 2: body = '', index }) => ({
    text: undented(body, indent),
    after: text.slice(index + all.length),
  }))
  return [...fenced.reverse(), ...bareIn(text)]
}

/** Corrected in words, or continued on a line that is not indented, which YAML would leave out. */
function isTakenBack({ text, after }: Candidate): boolean {
  if (isCorrection(after)) return true
  const isDirect = !text.endsWith('\n\n') && /^\S/.test(after)
  return isDirect && !COMPLETE.test(text)
}

const COMPLETE = /(?:[:-] *(?:true|false)|["'\]}]|\.\.\.|^---) *\n?$/

/** Closed by a fence that is indented like it: one within a block text is indented more. Without an end it goes to the end. */
const FENCE = /^([ \t]*)```[ \t]*(?:\w+[ \t]*)?\n([\s\S]*?)(?:^\1```[ \t]*$|$(?![\s\S]))/gm

function undented(text: string, indent: string): string {
  if (indent === '') return text
  const lines = text.split('\n').map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
  return lines.join('\n')
}

/** Outside of fences: JSON from its first brace to its last; YAML from its first key to where lines are no YAML any more. */
function bareIn(text: string): Candidate[] {
  const brace = /^[ \t]*\{/m.exec(text)
  const close = text.lastIndexOf('}') + 1
  const json = brace === null ? [] : [{ text: text.slice(brace.index, close), after: text.slice(close) }]
  const first = new RegExp(`^([ \\t]*)(?:${KEYS.join('|')}):`, 'm').exec(text)
  if (first === null) return json
  const indent = first[1] ?? ''
  const lines = undented(text.slice(first.index), indent).split('\n')
  const end = lines.findIndex((line) => !BELONGS.test(line))
  const [block, rest] = end < 0 ? [lines, []] : [lines.slice(0, end), lines.slice(end)]
  return [...json, { text: `${block.join('\n')}\n`, after: rest.join('\n') }]
}

const BELONGS = new RegExp(`^(?:\\s|$|- |#|(?:${KEYS.join('|')}):)`)

function readMended(text: string): YamlReading {
  let first: YamlReading | undefined
  for (const way of yamlWays(text, (key) => TEXTS.has(key))) {
    const reading = readOne(way)
    if (!('error' in reading))
      return { ...reading, repairs: [...new Set([...way.repairs, ...reading.repairs])] }
    if (reading.isUnclear) return reading
    first ??= reading
  }
  return first as YamlReading
}

function readOne(way: YamlWay): YamlReading {
  const { source } = way
  try {
    const json = readJson(source)
    if (json !== null) return json
    const document = parseDocument(source, { uniqueKeys: false, prettyErrors: source.length <= MAX_PRETTY })
    const [error] = document.errors
    if (error !== undefined) return { error: `the YAML can't be read: ${error.message}` }
    const [twice] = duplicateKeys(yaml, document)
    if (twice !== undefined)
      return {
        error: `the YAML can't be read: Map keys must be unique, and ${JSON.stringify(twice.value)} comes twice`,
      }
    if (!isMap(document.contents))
      return { error: `it must be one mapping with the keys ${KEYS.slice(1).join(', ')}` }
    const loss = lossIn([document], way, KNOWN, yaml, 'any numbers')
    if (loss !== null) return { error: loss, isUnclear: true }
    if (commentsIn(document, source, yaml).some(({ key }) => !WORDS.has(key)))
      return { error: 'it is not clear whether # begins a comment; quote the text', isUnclear: true }
    const repairs = new Set<string>()
    return { value: plain(document.contents, repairs) as Record<string, unknown>, repairs: [...repairs] }
  } catch (thrown) {
    if (thrown instanceof UnclearText) return { error: thrown.message, isUnclear: true }
    return { error: `the YAML can't be read: ${thrown instanceof Error ? thrown.message : String(thrown)}` }
  }
}

class UnclearText extends Error {}

/** Numbers as they are written: all that a thought holds besides its boolean is text. */
function plain(node: unknown, repairs: Set<string>): unknown {
  if (isMap(node))
    return Object.fromEntries(
      node.items.map(({ key, value }) => [String(plain(key, repairs)), plain(value, repairs)]),
    )
  if (isSeq(node)) return node.items.map((item) => plain(item, repairs))
  if (isAlias(node)) throw new Error(`*${node.source} is no text: quote it`)
  if (!isScalar(node)) return null
  if (typeof node.value === 'string') return unswallowed(node.value, repairs)
  return typeof node.value === 'number' ? (node.source ?? String(node.value)) : node.value
}

/** Proper JSON, which is read a hundred times as fast; null for what YAML sees differently: numbers, and keys that come twice. */
function readJson(text: string): YamlReading | null {
  const value = text.startsWith('{') ? parseJson(text) : null
  if (!isObject(value)) return null
  let keys = 0
  let isPlain = true
  const repairs = new Set<string>()
  const walk = (part: unknown): unknown => {
    if (typeof part === 'string') return unswallowed(part, repairs)
    if (typeof part === 'number') isPlain = false
    if (Array.isArray(part)) return part.map(walk)
    if (!isObject(part)) return part
    const entries = Object.entries(part)
    keys += entries.length
    return Object.fromEntries(entries.map(([key, item]) => [unswallowed(key, repairs), walk(item)]))
  }
  const read = walk(value) as Record<string, unknown>
  const written = [...text.matchAll(JSON_STRING)].filter(([, colon]) => colon !== undefined).length
  return isPlain && keys === written ? { value: read, repairs: [...repairs] } : null
}

const JSON_STRING = /"(?:[^"\\]|\\.)*"(\s*:)?/g

/** The text with the backslashes of \frac and \times, where they begin with an escape. Throws where they can be read two ways. */
function unswallowed(text: string, repairs: Set<string>): string {
  const meant = withBackslashes(text)
  if (meant === null) throw new UnclearText(UNCLEAR_BACKSLASHES)
  if (meant !== text) repairs.add('quotes')
  return meant
}

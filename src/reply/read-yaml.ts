/**
 * Values that a reply gives in YAML: in a fence, or as lines that begin with a field that was asked for. YAML leaves out much that a
 * writer of plain text means as text (# and what follows it, !words, &words), and it ends where a line is not indented. What could
 * have been meant as text is never left out: such a reply is refused.
 */
import type { Document, Scalar } from 'yaml'
import { duplicateKeys } from './duplicate-keys.ts'
import type { Fence, Findings } from './find-values.ts'
import { type YamlWay, yamlWays } from './mend-yaml.ts'
import type { Read, Repair } from './repair.ts'
import { type Span, spokenBetween, withoutSpans } from './thinking.ts'
import { commentsIn, lossIn, type PlainText, tailIn, wordsIn } from './yaml-losses.ts'

/** YAML is for short replies; longer ones are not worth the time that a parser may take over junk. */
const MAX_LENGTH = 64 * 1024

export interface YamlRead extends Read {
  /** The same value with one text as what else it may be: longer by a comment or by what follows the YAML, or no text at all. */
  readonly others: readonly unknown[]
  readonly before: string
  readonly after: string
}

/** Why what was written can't be taken. */
export interface YamlLoss {
  readonly why: string
}

export async function readYaml(
  text: string,
  findings: Findings,
  known: ReadonlySet<string>,
  fits: (value: unknown) => boolean,
): Promise<(YamlRead | YamlLoss)[]> {
  const { isMap, isScalar, parseAllDocuments, visit } = await import('yaml')
  const tools = { isMap, isScalar, visit }
  return sources(text, findings, known).flatMap((source) =>
    source.text.length > MAX_LENGTH ? [] : valuesOf(source),
  )

  /** Of the ways to read it, the first that fits, or the first. */
  function valuesOf(source: Source): (YamlRead | YamlLoss)[] {
    const ways = yamlWays(source.text, (_, value) => COLON_INSIDE.test(value)).map((way) =>
      inWay(way, source),
    )
    const fitting = ways.find((read) => read.some((one) => 'why' in one || fits(one.value)))
    return fitting ?? ways.find((read) => read.length > 0) ?? []
  }

  function inWay(way: YamlWay, source: Source): (YamlRead | YamlLoss)[] {
    const parsed = documents(way.source)
    if (parsed === null) return []
    const loss = lossIn(parsed, way, known, tools)
    if (loss !== null) return [{ why: loss }]
    const extra: Repair[] = way.repairs.length > 0 ? ['yaml-read', 'yaml-repaired'] : ['yaml-read']
    const { before, after, repairs } = source
    return parsed.map((document) => ({
      value: plain(document.toJS({ maxAliasCount: 0 })),
      others: unclearTexts(document, way.source, source).map((one) => keeping(document, one)),
      before,
      after,
      repairs: [...repairs, ...extra],
    }))
  }

  function unclearTexts(document: Document.Parsed, yaml: string, { after, fenced }: Source): PlainText[] {
    const tail = fenced ? null : tailIn(document, yaml, after, tools)
    const known = [...commentsIn(document, yaml, tools), ...wordsIn(document, tools)]
    return tail === null ? known : [...known, tail]
  }

  /** Null when any of it is not proper YAML, or holds nothing but words. */
  function documents(source: string): Document.Parsed[] | null {
    const options = { logLevel: 'silent', prettyErrors: false, uniqueKeys: false } as const
    try {
      const parsed = parseAllDocuments(source, options)
      if (!Array.isArray(parsed) || parsed.some(({ errors }) => errors.length > 0)) return null
      if (parsed.some((document) => duplicateKeys(tools, document).length > 0)) return null
      const values = parsed.map((document): unknown => document.toJS({ maxAliasCount: 0 }))
      return values.some((value) => typeof value === 'object' && value !== null) ? parsed : null
    } catch {
      return null
    }
  }
}

/** The value with another text in one place. */
function keeping(document: Document.Parsed, { scalar, other }: PlainText): unknown {
  const { value } = scalar
  const changed: Scalar = scalar
  changed.value = other
  const kept = plain(document.toJS({ maxAliasCount: 0 }))
  changed.value = value
  return kept
}

/** A text without quotes that YAML takes for a mapping. */
const COLON_INSIDE = /^(?!.*\s#)[^\s"'|>[{&*!].*: /

/** As it will be read from the journal; what JSON can't hold becomes null. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? 'null')
}

interface Source {
  readonly text: string
  readonly repairs: readonly Repair[]
  /** What the reply says around it. */
  readonly before: string
  readonly after: string
  readonly fenced: boolean
}

function sources(text: string, { fences, thinking }: Findings, known: ReadonlySet<string>): Source[] {
  const removed: Repair[] = thinking.length > 0 ? ['thinking-removed'] : []
  const fenced = fences.filter(({ language }) => /^(?:ya?ml|json|)$/.test(language))
  if (fenced.length > 0) return fenced.map((fence) => inFence(text, fence, thinking, removed))
  const spoken = withoutSpans(text, thinking)
  const { before, block, after } = yamlLines(spoken, known)
  if (block === '') return []
  const prose: Repair[] = block.trim() === spoken.trim() ? [] : ['prose-removed']
  return [{ text: block, before, after, repairs: [...removed, ...prose], fenced: false }]
}

function inFence(text: string, { start, end }: Fence, thinking: readonly Span[], removed: Repair[]): Source {
  return {
    text: text.slice(start, end),
    before: spokenBetween(text, 0, start, thinking),
    after: spokenBetween(text, end, text.length, thinking).replace(/^(?:```|~~~)/, ''),
    repairs: [...removed, 'fence-removed'],
    fenced: true,
  }
}

const FIELD = /^(\s*)(?:- +)?["']?([\p{L}_][\p{L}\p{N}_-]*)["']?\s*[:：](?:\s|$|(?<=：))/u

/** The lines from the first that begins with a known field (or a dash) to the last that belongs to them. */
function yamlLines(
  text: string,
  known: ReadonlySet<string>,
): { before: string; block: string; after: string } {
  const lines = text.split('\n')
  const begins = (line: string) =>
    known.has(FIELD.exec(line)?.[2] ?? '') || (known.size === 0 && /^- /.test(line))
  const first = lines.findIndex(begins)
  if (first < 0) return { before: text, block: '', after: '' }
  const indent = /^\s*/.exec(lines[first] as string)?.[0].length ?? 0
  let last = first
  for (let i = first + 1; i < lines.length; i++) {
    const line = lines[i] as string
    const belongs =
      line.trim() === '' ||
      line.search(/\S/) > indent ||
      FIELD.test(line) ||
      /^\s*(?:- |-$|#|---\s*$)/.test(line)
    if (!belongs) break
    if (line.trim() !== '') last = i
  }
  return {
    before: lines.slice(0, first).join('\n'),
    block: lines.slice(first, last + 1).join('\n'),
    after: lines
      .slice(last + 1)
      .join('\n')
      .replace(/^(?:```|~~~)/, ''),
  }
}

/** Values that a reply gives in YAML: in a fence, or as lines that begin with a field that was asked for. */
import type { Findings } from './find-values.ts'
import type { Repair } from './repair.ts'

export interface YamlValue {
  readonly value: unknown
  readonly repairs: readonly Repair[]
}

/** YAML is for short replies; longer ones are not worth the time that a parser may take over junk. */
const MAX_LENGTH = 64 * 1024

export async function readYaml(
  text: string,
  { fences, thinking }: Findings,
  known: ReadonlySet<string>,
): Promise<YamlValue[]> {
  const { parseAllDocuments } = await import('yaml')
  const found: YamlValue[] = []
  for (const { source, repairs } of sources(text, fences, thinking, known)) {
    if (source.length > MAX_LENGTH) continue
    const asItIs = documents(source)
    const some = asItIs?.some(({ value }) => typeof value === 'object' && value !== null)
    const read = some ? asItIs : documents(mended(source), 'yaml-repaired')
    for (const { value, extra } of read ?? [])
      found.push({ value, repairs: [...repairs, 'yaml-read', ...extra] })
  }
  return found

  /** Null when any of it is not proper YAML. */
  function documents(source: string, repair?: Repair): { value: unknown; extra: Repair[] }[] | null {
    const parsed = parseAllDocuments(source, { logLevel: 'silent', prettyErrors: false })
    if (!Array.isArray(parsed) || parsed.some(({ errors }) => errors.length > 0)) return null
    try {
      return parsed.map((document) => ({
        value: plain(document.toJS({ maxAliasCount: 0 })),
        extra: repair === undefined ? [] : [repair],
      }))
    } catch {
      return null
    }
  }
}

/** As it will be read from the journal; what JSON can't hold becomes null. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? 'null')
}

interface Source {
  readonly source: string
  readonly repairs: readonly Repair[]
}

function sources(
  text: string,
  fences: Findings['fences'],
  thinking: Findings['thinking'],
  known: ReadonlySet<string>,
): Source[] {
  const removed: Repair[] = thinking.length > 0 ? ['thinking-removed'] : []
  const fenced = fences.filter(({ language }) => /^(?:ya?ml|json|)$/.test(language))
  if (fenced.length > 0) {
    return fenced.map(({ start, end }) => ({
      source: text.slice(start, end),
      repairs: [...removed, 'fence-removed'],
    }))
  }
  const spoken = withoutSpans(text, thinking)
  const block = yamlLines(spoken, known)
  if (block === '') return []
  const prose: Repair[] = block.trim() === spoken.trim() ? [] : ['prose-removed']
  return [{ source: block, repairs: [...removed, ...prose] }]
}

export function withoutSpans(text: string, spans: Findings['thinking']): string {
  let from = 0
  const kept: string[] = []
  for (const { start, end } of spans) {
    kept.push(text.slice(from, start))
    from = end
  }
  return [...kept, text.slice(from)].join('')
}

const FIELD = /^(\s*)(?:- +)?["']?([\p{L}_][\p{L}\p{N}_-]*)["']?\s*[:：](?:\s|$|(?<=：))/u

/** The lines from the first that begins with a known field (or a dash) to the last that belongs to them. */
function yamlLines(text: string, known: ReadonlySet<string>): string {
  const lines = text.split('\n')
  const begins = (line: string) =>
    known.has(FIELD.exec(line)?.[2] ?? '') || (known.size === 0 && /^- /.test(line))
  const first = lines.findIndex(begins)
  if (first < 0) return ''
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
  return lines.slice(first, last + 1).join('\n')
}

/** Tabs as indentation, a full-width colon after a field, a text with a colon or a hash in it that has no quotes. */
function mended(source: string): string {
  return source
    .split('\n')
    .map((line) => line.replace(/^\t+/, (tabs) => '  '.repeat(tabs.length)))
    .map((line) => line.replace(/^(\s*(?:- +)?[\p{L}_][\p{L}\p{N}_-]*)：\s*/u, '$1: '))
    .map((line) =>
      line.replace(
        /^(\s*(?:- +)?[\p{L}_][\p{L}\p{N}_-]*: +)([^\s"'|>[{&*!].*: .*)$/u,
        (_, field: string, value: string) => `${field}${JSON.stringify(value.trimEnd())}`,
      ),
    )
    .join('\n')
}

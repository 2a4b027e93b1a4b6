/** Values that a reply gives in YAML: in a fence, or as lines that begin with a field that was asked for. */
import type { Findings } from './find-values.ts'
import { yamlWays } from './mend-yaml.ts'
import type { Read, Repair } from './repair.ts'
import { withoutSpans } from './thinking.ts'

/** YAML is for short replies; longer ones are not worth the time that a parser may take over junk. */
const MAX_LENGTH = 64 * 1024

export async function readYaml(
  text: string,
  findings: Findings,
  known: ReadonlySet<string>,
): Promise<Read[]> {
  const { parseAllDocuments } = await import('yaml')
  const found: Read[] = []
  for (const { source, repairs } of sources(text, findings, known)) {
    if (source.length > MAX_LENGTH) continue
    for (const way of yamlWays(source, (_, value) => COLON_INSIDE.test(value))) {
      const values = documents(way.source)
      if (!values?.some((value) => typeof value === 'object' && value !== null)) continue
      const extra: Repair[] = way.repairs.length > 0 ? ['yaml-read', 'yaml-repaired'] : ['yaml-read']
      found.push(...values.map((value) => ({ value, repairs: [...repairs, ...extra] })))
      break
    }
  }
  return found

  /** Null when any of it is not proper YAML. */
  function documents(source: string): unknown[] | null {
    const parsed = parseAllDocuments(source, { logLevel: 'silent', prettyErrors: false })
    if (!Array.isArray(parsed) || parsed.some(({ errors }) => errors.length > 0)) return null
    try {
      return parsed.map((document) => plain(document.toJS({ maxAliasCount: 0 })))
    } catch {
      return null
    }
  }
}

/** A text without quotes that YAML takes for a mapping. */
const COLON_INSIDE = /^[^\s"'|>[{&*!].*: /

/** As it will be read from the journal; what JSON can't hold becomes null. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? 'null')
}

function sources(
  text: string,
  { fences, thinking }: Findings,
  known: ReadonlySet<string>,
): { source: string; repairs: Repair[] }[] {
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

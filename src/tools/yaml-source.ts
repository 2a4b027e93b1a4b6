/** A YAML file written by people, as data, with the position of everything in it for error messages. */
import type { Document, LineCounter } from 'yaml'
import type { DecodingBudget } from '../protocol/decoding-budget.ts'
import { MAX_DEPTH, ThinkonError, tooDeep } from '../protocol/index.ts'
import { duplicateKeys } from '../reply/duplicate-keys.ts'
import { NoYamlData, yamlData } from '../reply/yaml-data.ts'
import { checkSchema, type JsonSchema } from '../schema/check-schema.ts'

const MAX_CHARS = 1024 * 1024
const MAX_PROBLEMS = 20
const TWICE = 'duplicate name: Map keys must be unique; keep one'

export interface FileProblem {
  readonly line: number
  readonly column: number
  readonly message: string
}

export type YamlPath = readonly (string | number)[]

/** The beginning of a problem's message, such as `command: `; with `atKey`, the message contains the path's last name. */
export type NameOf = (path: YamlPath, atKey: boolean) => string

/** Throws BAD_INPUT if it is not YAML, or not plain data. `budget`: for the data; aliases count as copies. */
export async function readYaml(
  text: string,
  file: string,
  nameOf: NameOf,
  budget: DecodingBudget,
): Promise<{ source: YamlSource; value: unknown }> {
  if (text.length > MAX_CHARS)
    throw new ThinkonError('BAD_INPUT', `${file} is too long: a YAML file may have ${MAX_CHARS} characters`)
  const yaml = await import('yaml')
  const lines = new yaml.LineCounter()
  const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false }
  const document = parsed(() => yaml.parseDocument(text, options), file)
  const source = yamlSource(text, file, nameOf, document, lines)
  for (const { message, pos } of [...document.errors, ...document.warnings])
    source.at(pos[0], yamlWords(message))
  source.throwIfAny()
  for (const { range } of duplicateKeys(yaml, document)) source.at(range?.[0] ?? 0, TWICE)
  source.throwIfAny()
  try {
    return { source, value: yamlData(yaml, document, budget) }
  } catch (thrown) {
    if (!(thrown instanceof NoYamlData)) throw thrown
    source.at(thrown.offset, `this is not plain data: ${thrown.message}`)
    source.throwIfAny()
    throw thrown
  }
}

/** The parser calls itself for what is nested, and has no limit of its own. */
function parsed<T>(parse: () => T, file: string): T {
  const { stackTraceLimit } = Error
  // It makes an error for each mistake in a file, and traces cost most of the time.
  Error.stackTraceLimit = 0
  try {
    return parse()
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep(file)
    throw error
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

export type YamlSource = ReturnType<typeof yamlSource>

/** Collects problems, each with its line and column. */
function yamlSource(text: string, file: string, nameOf: NameOf, document: Document, lines: LineCounter) {
  const problems: FileProblem[] = []

  function at(offset: number, message: string): void {
    const { line, col } = lines.linePos(Math.min(offset, text.length))
    problems.push({ line: Math.max(1, line), column: Math.max(1, col), message })
  }

  function problem(path: YamlPath, message: string, atKey = false): void {
    at(offsetOf(document, path, atKey), `${nameOf(path, atKey)}${message}`)
  }

  return {
    at,
    problem,
    /** Everything that is wrong by a schema. */
    check(value: unknown, schema: JsonSchema): void {
      for (const { path, message, atKey } of checkSchema(value, schema))
        problem(path, atKey ? `"${path.at(-1)}" ${message}` : message, atKey)
    },
    /** `pieces` are texts within a scalar, in order: the first ones with a problem are reported at their own occurrences. */
    problemsWithin(
      path: YamlPath,
      pieces: readonly { written: string; problem?: string | undefined }[],
    ): void {
      const from = offsetOf(document, path, false)
      const first = pieces
        .flatMap(({ problem }, i) => (problem === undefined ? [] : [i]))
        .slice(0, MAX_PROBLEMS)
      let next = from
      for (const { written, problem } of pieces.slice(0, 1 + (first.at(-1) ?? -1))) {
        // An escape within a piece hides it: the next ones are still found.
        const found = text.indexOf(written, next)
        if (found !== -1) next = found + 1
        if (problem !== undefined)
          at(found === -1 ? from : found, `${nameOf(path, false)}${written} ${problem}`)
      }
    },
    /** Throws BAD_INPUT with all problems, if there are any. */
    throwIfAny(): void {
      if (problems.length === 0) return
      const sorted = problems.sort((a, b) => a.line - b.line || a.column - b.column)
      const first = sorted.slice(0, MAX_PROBLEMS)
      const shown = first.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`)
      if (sorted.length > first.length) shown.push(`and ${sorted.length - first.length} more`)
      throw new ThinkonError('BAD_INPUT', shown.join('\n'), { data: { file, problems: first } })
    },
  }
}

/** The offset of the value or of its name; of the closest parent if it is not there. */
function offsetOf(document: Document, path: YamlPath, atKey: boolean): number {
  for (let length = path.length; length > 0; length--) {
    const at = path.slice(0, length)
    const node = document.getIn(at, true) as { range?: [number, number, number] } | undefined
    const isKey = (atKey && length === path.length) || node?.range === undefined
    const offset = isKey ? keyOffset(document, at) : node.range?.[0]
    if (offset !== undefined) return offset
  }
  return document.contents?.range?.[0] ?? 0
}

function keyOffset(document: Document, path: YamlPath): number | undefined {
  const parent = (path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)) as {
    items?: { key?: { value?: unknown; range?: [number, number, number] } }[]
  } | null
  const pair = parent?.items?.find((item) => String(item.key?.value) === String(path.at(-1)))
  return pair?.key?.range?.[0]
}

function yamlWords(message: string): string {
  if (/tab/i.test(message)) return `${message}; indent with spaces`
  if (/stack/i.test(message)) return `it is nested deeper than ${MAX_DEPTH} levels`
  return `this is not YAML: ${message}`
}

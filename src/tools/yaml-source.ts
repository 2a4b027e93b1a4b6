/** A YAML file written by people, as data, with the position of everything in it for error messages. */
import type { Document, LineCounter } from 'yaml'
import { ThinkonError } from '../protocol/index.ts'
import { checkSchema, type JsonSchema } from '../schema/check-schema.ts'

export interface FileProblem {
  readonly line: number
  readonly column: number
  readonly message: string
}

export type YamlPath = readonly (string | number)[]

/** The beginning of a problem's message, such as `command: `; with `atKey`, the message contains the path's last name. */
export type NameOf = (path: YamlPath, atKey: boolean) => string

/** Throws BAD_INPUT if it is not YAML, or not plain data. */
export async function readYaml(
  text: string,
  file: string,
  nameOf: NameOf,
): Promise<{ source: YamlSource; value: unknown }> {
  const { LineCounter, parseDocument } = await import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true })
  const source = new YamlSource({ text, file, nameOf, document, lines })
  for (const { message, pos } of [...document.errors, ...document.warnings])
    source.at(pos[0], yamlWords(message))
  source.throwIfAny()
  const value = toData(document, source)
  source.throwIfAny()
  return { source, value }
}

/** Collects problems, each with its line and column. */
export class YamlSource {
  private readonly problems: FileProblem[] = []
  private readonly text: string
  private readonly file: string
  private readonly nameOf: NameOf
  private readonly document: Document
  private readonly lines: LineCounter

  constructor(given: { text: string; file: string; nameOf: NameOf; document: Document; lines: LineCounter }) {
    this.text = given.text
    this.file = given.file
    this.nameOf = given.nameOf
    this.document = given.document
    this.lines = given.lines
  }

  at(offset: number, message: string): void {
    const { line, col } = this.lines.linePos(Math.min(offset, this.text.length))
    this.problems.push({ line: Math.max(1, line), column: Math.max(1, col), message })
  }

  atText(text: string, message: string): void {
    this.at(Math.max(0, this.text.indexOf(text)), message)
  }

  /** Everything that is wrong by a schema. */
  check(value: unknown, schema: JsonSchema): void {
    for (const { path, message, atKey } of checkSchema(value, schema))
      this.problem(path, atKey ? `"${path.at(-1)}" ${message}` : message, atKey)
  }

  problem(path: YamlPath, message: string, atKey = false): void {
    this.at(this.offsetOf(path, atKey), `${this.nameOf(path, atKey)}${message}`)
  }

  /** At the nth occurrence of a text within a scalar. */
  problemAtText(path: YamlPath, text: string, nth: number, message: string): void {
    const from = this.offsetOf(path, false)
    let found = from - 1
    for (let i = 0; i <= nth && found !== -2; i++) {
      const next = this.text.indexOf(text, found + 1)
      found = next === -1 ? -2 : next
    }
    this.at(found < 0 ? from : found, `${this.nameOf(path, false)}${message}`)
  }

  /** Throws BAD_INPUT with all problems, if there are any. */
  throwIfAny(): void {
    if (this.problems.length === 0) return
    const { file } = this
    const sorted = this.problems.sort((a, b) => a.line - b.line || a.column - b.column)
    const shown = sorted.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`)
    throw new ThinkonError('BAD_INPUT', shown.join('\n'), { data: { file, problems: sorted } })
  }

  /** The offset of the value or of its name; of the closest parent if it is not there. */
  private offsetOf(path: YamlPath, atKey: boolean): number {
    for (let length = path.length; length > 0; length--) {
      const at = path.slice(0, length)
      const node = this.document.getIn(at, true) as { range?: [number, number, number] } | undefined
      const key = keyOffset(this.document, at)
      if ((atKey && length === path.length) || node?.range === undefined) {
        if (key !== undefined) return key
      } else return node.range[0]
    }
    return this.document.contents?.range?.[0] ?? 0
  }
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
  if (/unique/i.test(message)) return `duplicate name: ${message}; keep one`
  return `this is not YAML: ${message}`
}

function toData(document: Document, source: YamlSource): unknown {
  try {
    return JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: 100 }) ?? null))
  } catch (error) {
    const { message } = error as Error
    const alias = /alias .*: (\S+)$/.exec(message)?.[1]
    source.atText(alias === undefined ? '' : `*${alias}`, `this is not plain data: ${message}`)
    return null
  }
}

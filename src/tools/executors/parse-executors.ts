/** executors.yaml as data: every problem in it is told at once, each with its line, its column and what to do. */
import type { Document, LineCounter } from 'yaml'
import { ThinkonError } from '../../protocol/index.ts'
import { checkJson, type JsonSchema, unknownName } from './check-json.ts'
import {
  accessOf,
  DEFAULT_OUTPUT_BYTES,
  DEFAULT_TIMEOUT_MS,
  type Executor,
  type InputsSchema,
  SHELL,
} from './executor.ts'
import { EXECUTOR_LIST, EXECUTORS_FILE } from './executors-schema.ts'
import { placesOf } from './template.ts'

export interface FileProblem {
  readonly line: number
  readonly column: number
  readonly message: string
}

type Path = readonly (string | number)[]

/** An entry as it is written. */
interface Entry {
  id: string
  description?: string
  command?: string
  inputs?: Record<string, unknown>
  guarantees?: string | string[]
  limits?: string | string[] | { output?: number | string; paths?: string[]; notes?: string | string[] }
  side_effects?: string | string[]
  timeout?: number | string
  cwd?: string
  env?: string[]
  idempotent?: boolean
  sandbox?: boolean
}

/** In the order of the file; the generic shell comes last, unless the file says `shell: false`. Throws BAD_INPUT. */
export async function parseExecutors(text: string, file = 'executors.yaml'): Promise<Executor[]> {
  const { LineCounter, parseDocument } = await import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true })
  const source = new Source(text, document, lines)
  for (const { message, pos } of [...document.errors, ...document.warnings])
    source.at(pos[0], yamlWords(message))
  source.throwIfAny(file)

  const value = toData(document, source)
  source.throwIfAny(file)
  const bare = Array.isArray(value)
  const schema = bare ? EXECUTOR_LIST : EXECUTORS_FILE
  if (value === null || value === undefined)
    source.at(0, 'there is nothing in this file: write "executors:" and a list, or delete the file')
  else for (const { path, message, atKey } of checkJson(schema, value)) source.problem(path, message, atKey)
  source.throwIfAny(file)

  const given = (bare ? value : (value as { executors: Entry[] }).executors) as Entry[]
  const base: Path = bare ? [] : ['executors']
  const executors = given.map((entry, at) => readEntry(entry, [...base, at], source))
  refuseDoubles(given, base, source)
  source.throwIfAny(file)
  const generic = !bare && (value as { shell?: boolean }).shell === false
  if (generic || executors.some(({ id }) => id === SHELL.id)) return executors
  return [...executors, SHELL]
}

class Source {
  private readonly problems: FileProblem[] = []
  private readonly text: string
  private readonly document: Document
  private readonly lines: LineCounter

  constructor(text: string, document: Document, lines: LineCounter) {
    this.text = text
    this.document = document
    this.lines = lines
  }

  at(offset: number, message: string): void {
    const { line, col } = this.lines.linePos(Math.min(offset, this.text.length))
    this.problems.push({ line: Math.max(1, line), column: Math.max(1, col), message })
  }

  atText(text: string, message: string): void {
    this.at(Math.max(0, this.text.indexOf(text)), message)
  }

  problem(path: Path, message: string, atKey = false): void {
    this.at(this.offsetOf(path, atKey), `${nameOf(path, atKey)}${message}`)
  }

  /** At a text within a scalar, the nth of its kind. */
  problemAtText(path: Path, text: string, nth: number, message: string): void {
    const from = this.offsetOf(path, false)
    let found = from - 1
    for (let i = 0; i <= nth && found !== -2; i++) {
      const next = this.text.indexOf(text, found + 1)
      found = next === -1 ? -2 : next
    }
    this.at(found < 0 ? from : found, `${nameOf(path, false)}${message}`)
  }

  throwIfAny(file: string): void {
    if (this.problems.length === 0) return
    const sorted = this.problems.sort((a, b) => a.line - b.line || a.column - b.column)
    const shown = sorted.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`)
    throw new ThinkonError('BAD_INPUT', shown.join('\n'), { data: { file, problems: sorted } })
  }

  /** Of the value, or of its name; of what is nearest around it when it is not there. */
  private offsetOf(path: Path, atKey: boolean): number {
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

function keyOffset(document: Document, path: Path): number | undefined {
  const parent = (path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)) as {
    items?: { key?: { value?: unknown; range?: [number, number, number] } }[]
  } | null
  const pair = parent?.items?.find((item) => String(item.key?.value) === String(path.at(-1)))
  return pair?.key?.range?.[0]
}

/** `command: ` before what is wrong with it. */
function nameOf(path: Path, atKey: boolean): string {
  const names = (atKey ? path.slice(0, -1) : path).filter((part, at) => !(at === 0 && part === 'executors'))
  const shown = names.map((part, at) =>
    typeof part === 'number' ? `${at === 0 ? 'executor' : 'entry'} ${part + 1}` : part,
  )
  return shown.length === 0 ? '' : `${shown.join(', ')}: `
}

function yamlWords(message: string): string {
  if (/tab/i.test(message)) return `${message}; indent with spaces`
  if (/unique/i.test(message)) return `the same name twice: ${message}; keep one`
  return `this is not YAML: ${message}`
}

function toData(document: Document, source: Source): unknown {
  try {
    return JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: 100 }) ?? null))
  } catch (error) {
    const { message } = error as Error
    const alias = /alias .*: (\S+)$/.exec(message)?.[1]
    source.atText(alias === undefined ? '' : `*${alias}`, `this is not plain data: ${message}`)
    return null
  }
}

function readEntry(entry: Entry, path: Path, source: Source): Executor {
  const isShell = entry.id === SHELL.id
  const properties = inputsOf(entry, path, source)
  if (isShell && entry.command === undefined) {
    if (entry.inputs !== undefined)
      source.problem([...path, 'inputs'], 'the generic shell has one input, "command"; take this out')
  } else {
    if (entry.command === undefined) source.problem(path, '"command" is missing')
    if (entry.description === undefined)
      source.problem(path, '"description" is missing: the Planner needs it')
    checkCommand(entry, Object.keys(properties.properties), path, source)
  }
  const limits = limitsOf(entry, path, source)
  const sideEffects = list(entry.side_effects)
  if (sideEffects.length > 1 && sideEffects.includes('none'))
    source.problem([...path, 'side_effects'], '"none" can’t stand beside others')
  if (entry.cwd !== undefined) checkInside(entry.cwd, [...path, 'cwd'], source)
  const generic = isShell && entry.command === undefined
  return {
    id: entry.id,
    description: entry.description ?? SHELL.description,
    command: entry.command ?? null,
    inputs: generic ? SHELL.inputs : properties,
    guarantees: entry.guarantees === undefined && generic ? SHELL.guarantees : list(entry.guarantees),
    limits: generic ? [...SHELL.limits, ...limits.notes] : limits.notes,
    sideEffects: sideEffects.length === 0 ? SHELL.sideEffects : sideEffects,
    access: accessOf(sideEffects),
    idempotent: entry.idempotent ?? false,
    timeoutMs: timeoutOf(entry, path, source),
    maxOutputBytes: limits.output,
    paths: limits.paths,
    cwd: entry.cwd ?? '.',
    env: entry.env ?? [],
    sandbox: entry.sandbox ?? true,
  }
}

function inputsOf(entry: Entry, path: Path, source: Source): InputsSchema {
  const given = entry.inputs ?? {}
  const inFull = given.type === 'object'
  const at: Path = inFull ? [...path, 'inputs', 'properties'] : [...path, 'inputs']
  const entries = Object.entries((inFull ? (given.properties ?? {}) : given) as Record<string, unknown>)
  const properties: Record<string, JsonSchema> = {}
  const required: string[] = []
  for (const [name, value] of entries) {
    const { optional = false, ...schema } = (
      typeof value === 'string' ? { type: value } : value
    ) as JsonSchema
    checkInput(schema, [...at, name], source)
    properties[name] = schema
    if (!inFull && !optional && schema.default === undefined) required.push(name)
  }
  if (inFull) {
    for (const [i, name] of ((given.required ?? []) as string[]).entries()) {
      if (properties[name] === undefined)
        source.problem([...path, 'inputs', 'required', i], unknownName(name, Object.keys(properties)))
      else if (properties[name].default === undefined) required.push(name)
    }
  }
  return { type: 'object', properties, required, additionalProperties: false }
}

function checkInput(schema: JsonSchema, path: Path, source: Source): void {
  for (const [at, pattern] of [
    [[...path, 'pattern'], schema.pattern],
    [[...path, 'items', 'pattern'], (schema.items as JsonSchema | undefined)?.pattern],
  ] as const) {
    if (typeof pattern !== 'string') continue
    try {
      new RegExp(pattern, 'u')
    } catch (error) {
      source.problem(at, `is no regular expression: ${(error as Error).message}`)
      return
    }
  }
  if (schema.format === 'path' && schema.type !== 'string' && schema.type !== 'array')
    source.problem([...path, 'format'], 'only a string or a list of strings can be a path')
  if (schema.default === undefined) return
  for (const { message } of checkJson(schema, schema.default)) source.problem([...path, 'default'], message)
}

function checkCommand(entry: Entry, inputs: readonly string[], path: Path, source: Source): void {
  if (entry.command === undefined) return
  const at = [...path, 'command']
  const seen = new Map<string, number>()
  const used = new Set<string>()
  for (const { name, index, length, problem } of placesOf(entry.command)) {
    const written = entry.command.slice(index, index + length)
    const nth = seen.get(written) ?? 0
    seen.set(written, nth + 1)
    used.add(name)
    if (!inputs.includes(name))
      source.problemAtText(at, written, nth, `${written} is no input: ${unknownName(name, inputs)}`)
    else if (problem !== undefined) {
      const hint = problem === 'within quotes' ? ': take the quotes away, it is quoted by itself' : ''
      source.problemAtText(at, written, nth, `${written} can’t stand ${problem}${hint}`)
    }
  }
  if (entry.command.includes('\0')) source.problem(at, 'must not contain a NUL character')
  for (const name of inputs) {
    if (used.has(name)) continue
    const where = entry.inputs?.type === 'object' ? ['inputs', 'properties', name] : ['inputs', name]
    source.problem(
      [...path, ...where],
      `is never used: write {{${name}}} into the command, or take it out`,
      true,
    )
  }
}

function limitsOf(entry: Entry, path: Path, source: Source) {
  const { limits = {} } = entry
  if (typeof limits === 'string' || Array.isArray(limits))
    return { notes: list(limits), output: DEFAULT_OUTPUT_BYTES, paths: null }
  for (const [at, one] of (limits.paths ?? []).entries())
    checkInside(one, [...path, 'limits', 'paths', at], source)
  const output = bytesOf(limits.output ?? DEFAULT_OUTPUT_BYTES)
  if (output < 1000 || output > 16_000_000)
    source.problem([...path, 'limits', 'output'], 'must be from 1000 bytes to 16 MB')
  return { notes: list(limits.notes), output, paths: limits.paths ?? null }
}

function checkInside(given: string, path: Path, source: Source): void {
  if (
    given.startsWith('/') ||
    given.startsWith('~') ||
    /^[A-Za-z]:/.test(given) ||
    given.split(/[\\/]/).includes('..')
  )
    source.problem(path, `${JSON.stringify(given)} must be a path within the workspace, without ".."`)
}

function timeoutOf(entry: Entry, path: Path, source: Source): number {
  const { timeout } = entry
  if (timeout === undefined) return DEFAULT_TIMEOUT_MS
  const [, count, unit] =
    /^([\d.]+) ?(ms|s|m|h)$/.exec(typeof timeout === 'number' ? `${timeout}s` : timeout) ?? []
  const ms = Math.ceil(Number(count) * (UNIT_MS[unit ?? ''] ?? Number.NaN))
  if (!(ms >= 1 && ms <= 86_400_000)) {
    source.problem([...path, 'timeout'], 'must be from 1 ms to 24 hours')
    return DEFAULT_TIMEOUT_MS
  }
  return ms
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
const UNIT_BYTES: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1000,
  KiB: 1024,
  MB: 1_000_000,
  MiB: 1_048_576,
}

function bytesOf(given: number | string): number {
  const [, count, unit] = /^(\d+) ?(\w+)$/.exec(typeof given === 'number' ? `${given}B` : given) ?? []
  return Number(count) * (UNIT_BYTES[unit ?? ''] ?? Number.NaN)
}

function refuseDoubles(given: readonly Entry[], base: Path, source: Source): void {
  const first = new Map<string, number>()
  for (const [at, { id }] of given.entries()) {
    const before = first.get(id)
    if (before === undefined) first.set(id, at)
    else
      source.problem([...base, at, 'id'], `"${id}" is taken by executor ${before + 1}: give it another name`)
  }
}

const list = (given: string | readonly string[] | undefined): string[] =>
  given === undefined ? [] : typeof given === 'string' ? [given] : [...given]

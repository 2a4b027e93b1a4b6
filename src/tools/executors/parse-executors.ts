/** executors.yaml as data. Reports all problems at once, each with its line, its column and what to do. */

import { DecodingBudget } from '../../protocol/decoding-budget.ts'
import { patternProblem } from '../../protocol/patterns/linear-pattern.ts'
import { checkSchema, type JsonSchema } from '../../schema/check-schema.ts'
import { type YamlPath as Path, readYaml, type YamlSource as Source } from '../yaml-source.ts'
import {
  accessOf,
  DEFAULT_OUTPUT_BYTES,
  DEFAULT_TIMEOUT_MS,
  type Executor,
  type InputsSchema,
  SHELL,
  unknownName,
} from './executor.ts'
import { EXECUTOR_LIST, EXECUTORS_FILE } from './executors-schema.ts'
import { type Placeholder, placeholdersOf } from './template.ts'

/** An entry as written in the file. */
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

/** In file order; the generic shell comes last, unless the file says `shell: false`. Throws BAD_INPUT. */
export async function parseExecutors(
  text: string,
  file = 'executors.yaml',
  budget = new DecodingBudget(file),
): Promise<Executor[]> {
  const { source, value } = await readYaml(text, file, pathPrefix, budget)
  const bare = Array.isArray(value)
  const schema = bare ? EXECUTOR_LIST : EXECUTORS_FILE
  if (value === null || value === undefined)
    source.at(0, 'this file is empty: write "executors:" and a list, or delete the file')
  else source.check(value, schema)
  source.throwIfAny()

  const given = (bare ? value : (value as { executors: Entry[] }).executors) as Entry[]
  const base: Path = bare ? [] : ['executors']
  const executors = given.map((entry, at) => readEntry(entry, [...base, at], source))
  refuseDuplicates(given, base, source)
  source.throwIfAny()
  const hasNoShell = !bare && (value as { shell?: boolean }).shell === false
  if (hasNoShell || executors.some(({ id }) => id === SHELL.id)) return executors
  return [...executors, SHELL]
}

/** The beginning of a problem's message: `command: `. */
function pathPrefix(path: Path, atKey: boolean): string {
  const names = (atKey ? path.slice(0, -1) : path).filter((part, at) => !(at === 0 && part === 'executors'))
  const shown = names.map((part, at) =>
    typeof part === 'number' ? `${at === 0 ? 'executor' : 'entry'} ${part + 1}` : part,
  )
  return shown.length === 0 ? '' : `${shown.join(', ')}: `
}

function readEntry(entry: Entry, path: Path, source: Source): Executor {
  const { idempotent = false, cwd = '.', env = [], sandbox = true } = entry
  const inputs = readInputs(entry.inputs ?? {}, [...path, 'inputs'], source)
  const limits = limitsOf(entry, path, source)
  const sideEffects = list(entry.side_effects)
  if (sideEffects.length > 1 && sideEffects.includes('none'))
    source.problem([...path, 'side_effects'], '"none" can’t be combined with others')
  const isGeneric = entry.id === SHELL.id && entry.command === undefined
  if (!isGeneric) checkOwn(entry, Object.keys(inputs.properties), path, source)
  else if (entry.inputs !== undefined)
    source.problem([...path, 'inputs'], 'the generic shell has one input, "command"; remove this')
  if (limits.paths !== null && !Object.values(inputs.properties).some(({ format }) => format === 'path'))
    source.problem(
      [...path, 'limits', 'paths'],
      'applies to inputs of format "path", and there is none: mark one, or say it in "notes"',
    )
  checkInside(cwd, [...path, 'cwd'], source)
  return {
    id: entry.id,
    description: entry.description ?? SHELL.description,
    command: entry.command ?? null,
    inputs: isGeneric ? SHELL.inputs : inputs,
    guarantees: entry.guarantees === undefined && isGeneric ? SHELL.guarantees : list(entry.guarantees),
    limits: isGeneric ? [...SHELL.limits, ...limits.notes] : limits.notes,
    sideEffects: sideEffects.length === 0 ? SHELL.sideEffects : sideEffects,
    access: accessOf(sideEffects),
    timeoutMs: timeoutOf(entry, path, source),
    maxOutputBytes: limits.output,
    paths: limits.paths,
    ...{ idempotent, cwd, env, sandbox },
  }
}

function checkOwn(entry: Entry, inputs: readonly string[], path: Path, source: Source): void {
  if (entry.command === undefined) source.problem(path, '"command" is missing')
  if (entry.description === undefined) source.problem(path, '"description" is missing: the Planner needs it')
  if (entry.command === undefined) return
  checkCommand(entry.command, inputs, [...path, 'command'], source)
  const used = placeholdersOf(entry.command).map(({ name }) => name)
  const at = entry.inputs?.type === 'object' ? ['inputs', 'properties'] : ['inputs']
  for (const name of inputs.filter((input) => !used.includes(input))) {
    const message = `is never used: write {{${name}}} into the command, or remove it`
    source.problem([...path, ...at, name], message, true)
  }
}

/** The inputs, written in short or in full, as a JSON Schema of an object. */
export function readInputs(
  given: Readonly<Record<string, unknown>>,
  path: Path,
  source: Source,
): InputsSchema {
  const inFull = given.type === 'object'
  const at: Path = inFull ? [...path, 'properties'] : path
  const entries = Object.entries((inFull ? (given.properties ?? {}) : given) as Record<string, unknown>)
  const properties: Record<string, JsonSchema> = {}
  const needed: string[] = []
  for (const [name, value] of entries) {
    const written = typeof value === 'string' ? { type: value } : value
    const { optional = false, ...schema } = written as JsonSchema
    checkInput(schema, [...at, name], source)
    properties[name] = schema
    if (!optional) needed.push(name)
  }
  const listed = (given.required ?? []) as string[]
  const known = Object.keys(properties)
  for (const [i, name] of inFull ? listed.entries() : [])
    if (!known.includes(name)) source.problem([...path, 'required', i], unknownName(name, known))
  const required = (inFull ? listed : needed).filter((name) => properties[name]?.default === undefined)
  return { type: 'object', properties, required, additionalProperties: false }
}

function checkInput(schema: JsonSchema, path: Path, source: Source): void {
  for (const [at, pattern] of [
    [[...path, 'pattern'], schema.pattern],
    [[...path, 'items', 'pattern'], (schema.items as JsonSchema | undefined)?.pattern],
  ] as const) {
    if (typeof pattern !== 'string') continue
    const problem = patternProblem(pattern)
    if (problem === undefined) continue
    source.problem(at, `can't be used: ${problem}`)
    return
  }
  if (schema.format === 'path' && schema.type !== 'string' && schema.type !== 'array')
    source.problem([...path, 'format'], 'only a string or a list of strings can be a path')
  if (schema.default === undefined) return
  for (const { message } of checkSchema(schema.default, schema)) source.problem([...path, 'default'], message)
}

function checkCommand(command: string, inputs: readonly string[], at: Path, source: Source): void {
  const problemOf = ({ name, problem }: Placeholder) => {
    if (!inputs.includes(name)) return `is not an input: ${unknownName(name, inputs)}`
    const hint = problem === 'within quotes' ? ': remove the quotes, it is quoted automatically' : ''
    return problem && `can’t be used ${problem}${hint}`
  }
  const places = placeholdersOf(command)
  const written = ({ index, length }: Placeholder) => command.slice(index, index + length)
  source.problemsWithin(
    at,
    places.map((place) => ({ written: written(place), problem: problemOf(place) })),
  )
  if (command.includes('\0')) source.problem(at, 'must not contain a NUL character')
}

function limitsOf(entry: Entry, path: Path, source: Source) {
  const { limits = {} } = entry
  if (typeof limits === 'string' || Array.isArray(limits))
    return { notes: list(limits), output: DEFAULT_OUTPUT_BYTES, paths: null }
  for (const [at, one] of (limits.paths ?? []).entries())
    checkInside(one, [...path, 'limits', 'paths', at], source)
  const output = amountOf(limits.output ?? DEFAULT_OUTPUT_BYTES, 'B', BYTES)
  if (output < 1000 || output > 16_000_000)
    source.problem([...path, 'limits', 'output'], 'must be from 1000 bytes to 16 MB')
  return { notes: list(limits.notes), output, paths: limits.paths ?? null }
}

function checkInside(given: string, path: Path, source: Source): void {
  if (/^(?:[/~]|[A-Za-z]:)/.test(given) || given.split(/[\\/]/).includes('..'))
    source.problem(path, `${JSON.stringify(given)} must be a path within the workspace, without ".."`)
}

function timeoutOf({ timeout = DEFAULT_TIMEOUT_MS / 1000 }: Entry, path: Path, source: Source): number {
  const ms = Math.ceil(amountOf(timeout, 's', { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }))
  if (ms >= 1 && ms <= 86_400_000) return ms
  source.problem([...path, 'timeout'], 'must be from 1 ms to 24 hours')
  return DEFAULT_TIMEOUT_MS
}

const BYTES = { B: 1, KB: 1000, KiB: 1024, MB: 1_000_000, MiB: 1_048_576 }

/** A number, which has the unit `bare`, or a text like `1.5 h`; NaN if it is neither. */
function amountOf(given: number | string, bare: string, units: Readonly<Record<string, number>>): number {
  const [, count, unit = ''] =
    /^([\d.]+) ?([A-Za-z]+)$/.exec(typeof given === 'number' ? `${given}${bare}` : given) ?? []
  return Number(count) * (units[unit] ?? Number.NaN)
}

function refuseDuplicates(given: readonly Entry[], base: Path, source: Source): void {
  const known = new Map<string, number>()
  for (const [at, { id }] of given.entries()) {
    const first = known.get(id)
    if (first === undefined) known.set(id, at)
    else
      source.problem([...base, at, 'id'], `"${id}" is taken by executor ${first + 1}: give it another name`)
  }
}

const list = (given: string | readonly string[] = []): string[] => [given].flat()

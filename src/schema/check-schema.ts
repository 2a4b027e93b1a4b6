/**
 * The one check of a value against a JSON Schema (2020-12, and what older drafts and OpenAPI write), for replies, tools, files
 * and messages alike. `@cfworker/json-schema` decides; the words are ours.
 *
 * 1. What is checked is the value as JSON: a field that is undefined is not there, NaN is null.
 * 2. It never throws, whatever value and schema are. A keyword that makes no sense checks nothing (usable-schema.ts).
 * 3. It ends: patterns and comparisons have a time limit, and a value that can't be checked in time does not fit.
 */
import { createContext, Script } from 'node:vm'
import { type OutputUnit, validate } from '@cfworker/json-schema'
import { keyText, shorten } from '../protocol/index.ts'
import { type Violation, violationsIn } from './read-errors.ts'
import { type JsonSchema, usableSchema } from './usable-schema.ts'

export type { JsonSchema, Violation }

const MAX_MS = 500
/** Of a schema that took too long before: a model is asked again and again for a value that can't be checked, and everybody waits. */
const AGAIN_MS = 50
const slow = new WeakSet<JsonSchema>()

/** Nothing for a value that fits; the first twenty things that are wrong for one that does not. */
export function checkSchema(value: unknown, schema: JsonSchema): Violation[] {
  if (value === undefined) return [{ path: [], message: 'is missing' }]
  try {
    const usable = usableSchema(schema)
    const data: unknown = JSON.parse(JSON.stringify(value) ?? 'null')
    const run = (): OutputUnit[] => validate(data, usable.schema, '2020-12', usable.lookup, false).errors
    const errors = usable.mayTakeLong ? withinTime(run, slow.has(schema) ? AGAIN_MS : MAX_MS) : run()
    return errors.length === 0 ? [] : violationsIn(errors, { value: data, ...usable })
  } catch (error) {
    if (isTimeout(error)) slow.add(schema)
    return [{ path: [], message: whyNot(error) }]
  }
}

/** `plan[0].name must be a string, not 3`; `whole` is what the value itself is called. */
export function violationText({ path, message }: Violation, whole: string): string {
  return `${keyText(path) || whole} ${message}`
}

/** The first thing that is wrong, in such words; undefined when the value fits. */
export function schemaProblem(value: unknown, schema: JsonSchema, whole = 'it'): string | undefined {
  const [first] = checkSchema(value, schema)
  return first && violationText(first, whole)
}

/** Why a schema checks less than it says: a reference that leads out of it, or nowhere. Undefined if there is none. */
export function strayReference(schema: JsonSchema): string | undefined {
  try {
    const [first] = usableSchema(schema).astray
    if (first === undefined) return undefined
    const where = first.startsWith('#') ? 'leads nowhere' : 'leads out of the schema, and nothing is fetched'
    return `$ref "${shorten(first, 200)}" ${where}: put what it means below $defs, and refer to it as "#/$defs/…"`
  } catch (error) {
    return whyNot(error)
  }
}

/** V8 stops even a regular expression when a script's time is up. It costs a thread: only what may take long is run this way. */
function withinTime<T>(run: () => T, ms: number): T {
  guard ??= { script: new Script('run()'), context: createContext({ run: null }) }
  guard.context.run = run
  return guard.script.runInContext(guard.context, { timeout: ms })
}

let guard: { script: Script; context: ReturnType<typeof createContext> } | undefined

function whyNot(error: unknown): string {
  // Neither this error nor one of a stack that overflows is an Error of this realm for certain.
  const { name, message } = error as Error
  if (isTimeout(error)) return 'takes too long to check'
  return name === 'RangeError' ? 'is nested too deeply' : `can't be checked: ${message}`
}

function isTimeout(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}

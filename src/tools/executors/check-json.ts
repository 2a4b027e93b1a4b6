/** A small check of JSON data against JSON Schema: the words that executors' files and inputs use. */
import { nearest } from '../../protocol/index.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

export interface JsonProblem {
  /** Where, from the value that was checked. */
  readonly path: readonly (string | number)[]
  readonly message: string
  /** It is about the last name of the path itself, not about what stands there. */
  readonly atKey?: true
}

type Path = readonly (string | number)[]

export function checkJson(schema: JsonSchema, value: unknown, path: Path = []): JsonProblem[] {
  const fail = (message: string): JsonProblem[] => [{ path, message: said(schema) ?? message }]
  if (schema.anyOf !== undefined) {
    const tried = (schema.anyOf as JsonSchema[]).map((one) => checkJson(one, value, path))
    if (tried.some((problems) => problems.length === 0)) return []
    // The alternative that is of the right kind knows best what is wrong inside.
    const inside = tried.find((problems) => problems.every((one) => one.path.length > path.length))
    return inside ?? fail('is of none of the allowed forms')
  }
  if (schema.if !== undefined) {
    const holds = checkJson(schema.if as JsonSchema, value).length === 0
    return checkJson((holds ? schema.then : schema.else) as JsonSchema, value, path)
  }
  const types = schema.type === undefined ? [] : [schema.type].flat()
  if (types.length > 0 && !types.some((type) => isType(value, type as string)))
    return fail(
      `must be ${types.map((type) => TYPE_WORDS[type as string]).join(' or ')}, not ${shown(value)}`,
    )
  if (schema.const !== undefined && value !== schema.const) return fail(`must be ${shown(schema.const)}`)
  if (Array.isArray(schema.enum) && !schema.enum.includes(value))
    return fail(`must be one of ${schema.enum.map(shown).join(', ')}, not ${shown(value)}`)
  if (typeof value === 'string') return checkText(schema, value).flatMap(fail)
  if (typeof value === 'number') return checkNumber(schema, value).flatMap(fail)
  if (Array.isArray(value)) return checkList(schema, value, path, fail)
  if (typeof value === 'object' && value !== null) return checkObject(schema, value, path)
  return []
}

function checkText(schema: JsonSchema, value: string): string[] {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern } = schema
  if (value.length < (minLength as number))
    return [value === '' ? 'must not be empty' : `must have at least ${minLength} characters`]
  if (value.length > (maxLength as number)) return [`must have at most ${maxLength} characters`]
  if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(value)) return [`must match ${pattern}`]
  return []
}

function checkNumber(schema: JsonSchema, value: number): string[] {
  const { minimum, maximum, exclusiveMinimum } = schema
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum)
    return [`must be above ${exclusiveMinimum}`]
  if (typeof minimum === 'number' && value < minimum) return [`must be at least ${minimum}`]
  if (typeof maximum === 'number' && value > maximum) return [`must be at most ${maximum}`]
  return []
}

function checkList(
  schema: JsonSchema,
  value: readonly unknown[],
  path: Path,
  fail: (message: string) => JsonProblem[],
): JsonProblem[] {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items } = schema
  if (value.length < (minItems as number)) return fail(`must have at least ${minItems} entries`)
  if (value.length > (maxItems as number)) return fail(`must have at most ${maxItems} entries`)
  if (items === undefined) return []
  return value.flatMap((item, at) => checkJson(items as JsonSchema, item, [...path, at]))
}

function checkObject(schema: JsonSchema, value: object, path: Path): JsonProblem[] {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>
  const { required = [], additionalProperties = true, propertyNames } = schema
  const problems: JsonProblem[] = []
  for (const name of required as string[])
    if (!Object.hasOwn(value, name))
      problems.push({ path: [...path, name], message: `"${name}" is missing`, atKey: true })
  for (const [name, item] of Object.entries(value)) {
    const at = [...path, name]
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (propertyNames !== undefined)
      for (const { message } of checkJson(propertyNames as JsonSchema, name))
        problems.push({ path: at, message: `"${name}" ${message}`, atKey: true })
    if (known !== undefined) problems.push(...checkJson(known, item, at))
    else if (additionalProperties === false) {
      const names = Object.keys(properties)
      problems.push({ path: at, message: unknownName(name, names), atKey: true })
    } else if (typeof additionalProperties === 'object')
      problems.push(...checkJson(additionalProperties as JsonSchema, item, at))
  }
  return problems
}

export function unknownName(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  if (near !== undefined) return `unknown "${name}": did you mean "${near}"?`
  return `unknown "${name}"; there ${known.length === 0 ? 'is none' : `are: ${known.join(', ')}`}`
}

const said = (schema: JsonSchema) =>
  typeof schema.errorMessage === 'string' ? schema.errorMessage : undefined

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  null: 'empty',
}

function isType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value)
  return typeof value === type
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  const json = JSON.stringify(value)
  return json.length > 60 ? `${json.slice(0, 60)}…` : json
}

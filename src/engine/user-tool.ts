/**
 * Users' tools: their input may be described by one of our schemas, a JSON Schema or any Standard Schema (zod and others). In
 * any case the model gets a JSON Schema, and wrong arguments fail the call with data that says what is wrong with each field:
 * they never end the run.
 */
import type { Schema } from '../kernel/schema.ts'
import type { Tool, ToolIo } from '../kernel/tool.ts'
import { ThinkonError } from '../protocol/index.ts'
import { checkSchema, type JsonSchema, violationText } from '../schema/check-schema.ts'

/** The part of https://standardschema.dev that is used here. */
export interface StandardSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    validate(value: unknown): StandardResult | Promise<StandardResult>
    /** The extension that gives the schema as JSON Schema. */
    readonly jsonSchema?: { input(options: JsonSchemaOptions): JsonSchema }
  }
}

interface JsonSchemaOptions {
  readonly target: string
  readonly libraryOptions?: Record<string, unknown> | undefined
}

interface StandardResult {
  readonly value?: unknown
  readonly issues?: readonly { message: string; path?: readonly unknown[] | undefined }[] | undefined
}

export interface UserTool extends Omit<Tool, 'input' | 'run'> {
  readonly input?: Schema | StandardSchema | JsonSchema
  /** Gets the input as its schema returns it. Must respect `io.signal`. The value must be JSON. */
  run(input: unknown, io: ToolIo): unknown
}

export async function userTool(given: UserTool): Promise<Tool> {
  const { input } = given
  const tool = copyOf(given)
  if (input === undefined) return tool
  if (isStandard(input)) return withStandard(tool, given, input)
  if (isOurs(input)) return Object.assign(tool, { input: checked(input.json, (value) => input.check(value)) })
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new ThinkonError(
      'BAD_INPUT',
      `the input of the tool ${given.name} must be a JSON Schema, a Standard Schema or { json, check }`,
    )
  }
  const json = input as JsonSchema
  return Object.assign(tool, { input: checked(json, (value) => fitting(value, json)) })
}

/** A tool may be a class instance with private fields: its methods stay bound to the original. */
function copyOf(given: UserTool): Tool {
  const { asks, deeds } = given
  return Object.assign(Object.create(Object.getPrototypeOf(given)), given, {
    run: async (input: unknown, io: ToolIo) => given.run(input, io),
    ...(asks !== undefined && { asks: asks.bind(given) }),
    ...(deeds !== undefined && { deeds: deeds.bind(given) }),
  })
}

/** Checked when the tool runs, because such a schema may be asynchronous. */
async function withStandard(tool: Tool, given: UserTool, schema: StandardSchema): Promise<Tool> {
  const json = await jsonOf(schema)
  return Object.assign(tool, {
    input: { json, check: (value: unknown) => value },
    run: async (input: unknown, io: ToolIo) => given.run(await validated(schema, input), io),
  })
}

async function validated(schema: StandardSchema, value: unknown): Promise<unknown> {
  const { issues, value: made } = await schema['~standard'].validate(value)
  if (issues === undefined) return made
  throw wrongInput(issues.map(({ message, path = [] }) => `${fieldText(path)}: ${message}`))
}

/** A step of the path is a key, or an object with one. */
function fieldText(path: readonly unknown[]): string {
  const keys = path.map((step) => String((step as { key?: unknown } | null)?.key ?? step))
  return keys.join('.') || 'the input'
}

/** Empty if the schema can't be expressed as JSON Schema: then only its check says what is wrong. */
async function jsonOf(schema: StandardSchema): Promise<JsonSchema> {
  const { vendor, jsonSchema } = schema['~standard']
  try {
    if (jsonSchema !== undefined) {
      // zod fails on what JSON Schema can't express, unless told not to; other vendors don't know the option.
      const options = vendor === 'zod' ? { libraryOptions: LENIENT } : {}
      return plain(jsonSchema.input({ target: 'draft-2020-12', ...options }))
    }
    if (vendor === 'zod' && '_zod' in schema) {
      const { toJSONSchema } = await import('zod')
      return plain(toJSONSchema(schema as never, { io: 'input', ...LENIENT }))
    }
  } catch {}
  return {}
}

const LENIENT = { unrepresentable: 'any' as const }

function plain(json: unknown): JsonSchema {
  const { $schema: _, '~standard': __, ...rest } = json as Record<string, unknown>
  return JSON.parse(JSON.stringify(rest))
}

function checked(json: JsonSchema, check: (value: unknown) => unknown): Schema {
  return {
    json,
    check(value) {
      try {
        return check(value)
      } catch (thrown) {
        throw asToolError(thrown)
      }
    },
  }
}

function fitting(value: unknown, json: JsonSchema): unknown {
  const violations = checkSchema(value, json)
  if (violations.length > 0) throw wrongInput(violations.map((one) => violationText(one, 'the input')))
  return value
}

function wrongInput(problems: readonly string[]): ThinkonError {
  return new ThinkonError('TOOL_ERROR', `wrong input: ${problems.join('; ')}`, { data: { problems } })
}

/** What a check threw, ours or the user's, as the failure of the call. */
function asToolError(thrown: unknown): ThinkonError {
  if (ThinkonError.isInstance(thrown)) {
    const { code, message, data } = thrown
    return code === 'BAD_INPUT' ? new ThinkonError('TOOL_ERROR', `wrong input: ${message}`, { data }) : thrown
  }
  const { issues, message } = (thrown ?? {}) as { issues?: StandardResult['issues']; message?: string }
  if (Array.isArray(issues)) {
    return wrongInput(issues.map((issue) => `${fieldText(issue.path ?? [])}: ${issue.message}`))
  }
  return wrongInput([message ?? String(thrown)])
}

/** Some Standard Schemas are functions. */
function isStandard(input: object): input is StandardSchema {
  return typeof (input as Partial<StandardSchema>)?.['~standard']?.validate === 'function'
}

function isOurs(input: object): input is Schema {
  const schema = input as Partial<Schema> | null
  return typeof schema?.check === 'function' && typeof schema.json === 'object'
}

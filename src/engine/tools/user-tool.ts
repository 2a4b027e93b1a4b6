/**
 * Users' tools, as the kernel takes them. Models get the input's schema as JSON Schema; wrong arguments fail the call with data that
 * says what is wrong with each field: they never end the run.
 */
import type { Checked } from '../../kernel/ask-until-valid.ts'
import type { Tool, ToolIo } from '../../kernel/tool.ts'
import { errorText, ThinkonError } from '../../protocol/index.ts'
import { mended } from '../../reply/fit-value.ts'
import type { JsonSchema } from '../../schema/check-schema.ts'
import type { GivenSchema } from '../schemas/given-schema.ts'
import { checkOf, type ReadSchema, schemaOf } from '../schemas/read-schema.ts'

/** A tool as `tool()` makes it; also a plain object or an instance of a class with these members. */
export interface UserTool<Input = unknown, Result = unknown> extends Omit<Tool, 'input' | 'run'> {
  /** Left out: any input, unchecked. */
  readonly input?: GivenSchema | undefined
  readonly output?: GivenSchema | undefined
  /** Gets the input as its schema returns it. Must respect `io.signal`. The value must be JSON. */
  run(input: Input, io: ToolIo): Result | PromiseLike<Result>
}

export async function userTool(given: UserTool): Promise<Tool> {
  const place = (field: string) => `the ${field} of the tool ${given.name}`
  const output = given.output === undefined ? null : checkOf(given.output, place('output'), 'it')
  const input = given.input === undefined ? null : await schemaOf(given.input, place('input'), 'the input')
  if (input !== null) requireObject(input.json, place('input'))
  // Checked when the tool runs, because the check of a schema may be asynchronous.
  const run = async (value: unknown, io: ToolIo): Promise<unknown> => {
    const taken = input === null ? value : fitting(await checkedInput(input, value), 'wrong input')
    const result = await given.run(taken, io)
    if (output === null) return result
    const checked = await output(result).catch(broken)
    return fitting(checked, `"${given.name}" was run, but its result does not fit its schema`)
  }
  return Object.assign(copyOf(given), { run }, input && { input: { json: input.json, check: unchanged } })
}

/** Some models send null for what they leave out, or JSON as a text: what is wrong only in that is put right. */
async function checkedInput({ json, check }: ReadSchema<unknown>, given: unknown): Promise<Checked<unknown>> {
  const checked = await check(given)
  const again = checked.ok ? null : mended(given, json)
  if (again === null) return checked
  const second = await check(again.value)
  return second.ok ? second : checked
}

const unchanged = (value: unknown): unknown => value

/** Models give arguments by name: no provider takes another schema for a tool. */
export function requireObject({ type }: JsonSchema, place: string): void {
  if (type === undefined || [type].flat().includes('object')) return
  const message = `${place} must be an object, such as z.object({ … }): models give arguments by name`
  throw new ThinkonError('BAD_INPUT', message)
}

/** A tool may be a class instance with private fields: its methods stay bound to the original. */
function copyOf(given: UserTool): Tool {
  const { asks, deeds } = given
  return Object.assign(Object.create(Object.getPrototypeOf(given)), given, {
    ...(asks !== undefined && { asks: asks.bind(given) }),
    ...(deeds !== undefined && { deeds: deeds.bind(given) }),
  })
}

/** What a check of a result throws must not hide that the tool was run. */
function broken(thrown: unknown): Checked<never> {
  return { ok: false, problems: [errorText(thrown)] }
}

function fitting<T>(checked: Checked<T>, otherwise: string): T {
  if (checked.ok) return checked.value
  const { problems } = checked
  throw new ThinkonError('TOOL_ERROR', `${otherwise}: ${problems.join('; ')}`, { data: { problems } })
}

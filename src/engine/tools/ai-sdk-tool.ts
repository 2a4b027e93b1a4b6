/**
 * Tools of the AI SDK, as they are: what its `tool()` and `dynamicTool()` return, by its shape, so that the types need no package.
 * Where a result is streamed, the last value counts; `toModelOutput` says what the model sees. There are no messages of a
 * conversation to give it: that list is empty. As in the AI SDK, `outputSchema` describes a result and checks none.
 */
import type { ToolAccess, ToolIo } from '../../kernel/tool.ts'
import { ThinkonError } from '../../protocol/index.ts'
import type { GivenSchema } from '../schemas/given-schema.ts'
import { checkOf } from '../schemas/read-schema.ts'
import { modelOutput } from './ai-sdk-output.ts'
import { NO_INPUT } from './no-input.ts'
import type { UserTool } from './user-tool.ts'

export interface AiSdkTool {
  readonly inputSchema: object
  readonly contextSchema?: object | undefined
  readonly description?: string | ((options: never) => string) | undefined
  readonly title?: string | undefined
  readonly type?: string | undefined
  readonly execute?: ((input: never, options: never) => unknown) | undefined
  readonly toModelOutput?: ((options: never) => unknown) | undefined
  readonly needsApproval?: boolean | ((input: never, options: never) => unknown) | undefined
}

/** By the name that models call them by. */
export type AiSdkTools = Readonly<Record<string, AiSdkTool>>

/** What Thinkon wants to know about them. */
export interface AiSdkOptions<Name extends string> {
  /** What they do to the world: of all of them, or by name. `execute` where nothing is said. */
  access?: ToolAccess | { readonly [name in Name]?: ToolAccess }
  /** Those that may be run again after a crash. */
  idempotent?: readonly Name[]
  /** For tools with a `contextSchema`, by name. It is not recorded. */
  context?: { readonly [name in Name]?: unknown }
}

export interface AiSdkToolSettings {
  readonly access: ToolAccess
  readonly idempotent: boolean
  readonly context: unknown
}

export async function aiSdkTool(
  name: string,
  tool: AiSdkTool,
  { access, idempotent, context: given }: AiSdkToolSettings,
): Promise<UserTool> {
  // A tool may be an instance of a class: its functions are called as its methods.
  const its = tool as unknown as CallableTool
  if (typeof its.execute !== 'function') throw notExecuted(name, tool)
  const context = await contextOf(name, tool, given)
  const { description = tool.title ?? name } = its
  return {
    name,
    description: typeof description === 'function' ? description({ context }) : description,
    access,
    idempotent,
    // A function could answer differently when the run is resumed: it counts as yes.
    ...(tool.needsApproval && { needsApproval: true }),
    input: (tool.inputSchema as GivenSchema | undefined) ?? NO_INPUT,
    async run(input, io) {
      const toolCallId = `${io.run}/${io.path}/${io.n}`
      const options = { toolCallId, messages: [], abortSignal: io.signal, context }
      const result = await lastOf(its.execute?.(input, options), io)
      return its.toModelOutput
        ? modelOutput(await its.toModelOutput({ toolCallId, input, output: result }))
        : result
    },
  }
}

interface CallableTool {
  readonly description?: string | ((options: object) => string)
  execute?(input: unknown, options: object): unknown
  toModelOutput?(options: object): unknown
}

/** Of a tool that streams, what it says last. */
async function lastOf(result: unknown, { signal }: ToolIo): Promise<unknown> {
  if (!isAsyncIterable(result)) return result
  let last: unknown
  for await (const value of result) {
    signal.throwIfAborted()
    last = value
  }
  return last
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof Object(value)[Symbol.asyncIterator] === 'function'
}

async function contextOf(name: string, { contextSchema }: AiSdkTool, given: unknown): Promise<unknown> {
  if (contextSchema === undefined) return given ?? {}
  const place = `the context of the tool ${name}`
  const checked = await checkOf(contextSchema as GivenSchema, place, 'it')(given ?? {})
  if (checked.ok) return checked.value
  const advice = `give it: fromAiSdk(tools, { context: { ${JSON.stringify(name)}: { … } } })`
  throw new ThinkonError(
    'BAD_INPUT',
    `${place} is not what it needs (${checked.problems.join('; ')}): ${advice}`,
  )
}

function notExecuted(name: string, { type }: AiSdkTool): ThinkonError {
  const why =
    type === 'provider'
      ? 'is executed by its provider: Thinkon calls tools itself'
      : 'has no execute function: Thinkon calls tools itself, and asks people by ask_user'
  return new ThinkonError('BAD_INPUT', `the AI SDK tool ${name} ${why}; leave it out, or give it one`)
}

/** A tool whose function is typed by its schemas. Part of what `import 'thinkon'` loads: the engine reads the schemas. */
import type { ToolInfo, ToolIo } from '../../kernel/tool.ts'
import { checkArguments } from '../../protocol/check-arguments.ts'
import type { GivenSchema, InferInput, InferOutput } from '../schemas/given-schema.ts'
import { NO_INPUT, type NoInput } from './no-input.ts'
import { TOOL } from './tool-entrances.ts'
import type { UserTool } from './user-tool.ts'

export interface ToolDefinition<Input extends GivenSchema | undefined, Output extends GivenSchema | undefined>
  extends Omit<ToolInfo, 'input' | 'executor' | 'isFree' | 'needsApproval'> {
  /** What models are told and arguments are checked by. Left out: it takes none, and `run` gets `{}`. */
  readonly input?: Input
  /** What the result is checked by; a result that does not fit fails the call. Left out: any JSON. */
  readonly output?: Output
  /**
   * Gets the input as its schema returns it. Must heed `io.signal`. The result must be JSON; what it throws fails the call, not the
   * run, and is told to the model.
   */
  readonly run: (input: ToolInput<Input>, io: ToolIo) => ToolResult<Output> | PromiseLike<ToolResult<Output>>
}

type ToolInput<S> = S extends GivenSchema ? InferOutput<S> : NoInput
type ToolResult<S> = S extends GivenSchema ? InferInput<S> : unknown

/** Fits into `tools` of an engine. Its schemas may be of zod, Valibot, ArkType or any other Standard Schema, or JSON Schemas. */
export function tool<
  const Input extends GivenSchema | undefined = undefined,
  const Output extends GivenSchema | undefined = undefined,
>(definition: ToolDefinition<Input, Output>): UserTool<ToolInput<Input>, ToolResult<Output>> {
  checkArguments('tool', TOOL, [definition])
  const { input = NO_INPUT } = definition
  return { ...definition, input }
}

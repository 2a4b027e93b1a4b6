/** What the tools must be that a caller gives, and where they come from. */
import {
  anyText,
  anything,
  type Check,
  either,
  type Fields,
  fields,
  flag,
  func,
  isFunction,
  isList,
  listOfNamed,
  must,
  oneOf,
  record,
  whole,
} from '../../protocol/check-arguments.ts'
import { isObject } from '../../protocol/json.ts'
import { keyText } from '../../protocol/key-text.ts'
import { problemAt } from '../../protocol/problem.ts'
import { TOOL_ACCESS } from '../../protocol/tool-access.ts'
import { givenSchema } from '../schemas/given-schema.ts'
import type { CallerTool } from './caller-tools.ts'
import type { UserTool } from './user-tool.ts'

const toolName = must(
  'a name of letters, digits, _ and -, at most 64',
  (value) => typeof value === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(value),
)

const toolFields: Fields<UserTool> = {
  name: toolName,
  description: anyText,
  access: oneOf(TOOL_ACCESS),
  input: givenSchema,
  output: givenSchema,
  run: func(),
  idempotent: flag,
  hidden: flag,
  isFree: func(),
  deeds: func(),
  asks: func(),
  needsApproval: flag,
  needsPolicy: flag,
  executor: record(anything, 'what a planner judges by'),
}
const toolNeeds = {
  name: 'the name that models call it by',
  description: 'what it does and when to use it, for models',
  access: `what it does to the world: ${TOOL_ACCESS.join(', ')}`,
  run: 'the function that does the work',
}

/** An instance of a class has fields of its own. */
export const givenTool: Check = fields(toolFields, { needs: toolNeeds, open: true })

/** As `tool()` takes it. */
export const toolDefinition: Check = fields(toolFields, { needs: toolNeeds })

export function isTool(source: unknown): source is UserTool {
  const { run, name } = Object(source) as Partial<UserTool>
  return typeof run === 'function' || typeof name === 'string'
}

const SOURCES = 'a tool, a record of AI SDK tools, or what builtinTools() or mcpTools() returns'

const isAiSdkTool = (value: unknown) => isObject(value) && ('inputSchema' in value || 'execute' in value)
const isSo =
  (what: string): Check =>
  (_, path) => [problemAt(path, `${keyText(path)} is ${what}`)]

const aiSdkTool = either(
  'an AI SDK tool',
  [isFunction, isSo('a function: make a tool of it, tool({ name, description, access, run })')],
  [isTool, isSo('a tool: give tools in a list')],
  [isAiSdkTool, anything],
)

export const aiSdkTools: Check = record(aiSdkTool, 'AI SDK tools by name')

const source = either(
  SOURCES,
  [isFunction, anything],
  [isTool, givenTool],
  [isAiSdkTool, isSo('an AI SDK tool, which has no name: give { name: it }')],
  [isObject, aiSdkTools],
)

/** One source of tools, or a list of them. */
export const toolSources: Check = either(
  `${SOURCES}, or a list of these`,
  [isList, listOfNamed(source, 'tools')],
  [() => true, source],
)

/** Tools that the run's caller executes. */
export const callerTools: Check = listOfNamed(
  fields(
    {
      name: toolName,
      description: anyText,
      input: givenSchema,
      access: oneOf(TOOL_ACCESS),
      timeoutMs: whole(1),
    } satisfies Fields<CallerTool>,
    { needs: { name: toolNeeds.name, description: toolNeeds.description } },
  ),
  'tools that the caller executes',
)

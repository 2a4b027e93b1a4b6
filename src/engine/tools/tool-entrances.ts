/** What the functions that make tools may be given, as tables. Part of what `import 'thinkon'` loads. */
import {
  type Arguments,
  anything,
  type Check,
  either,
  type Fields,
  fields,
  flag,
  func,
  isList,
  isText,
  list,
  must,
  oneOf,
  record,
  text,
  whole,
} from '../../protocol/check-arguments.ts'
import { isObject } from '../../protocol/json.ts'
import { TOOL_ACCESS } from '../../protocol/tool-access.ts'
import type { CommandLimits } from '../../tools/command-limits.ts'
import type { McpOptions } from '../../tools/mcp/api.ts'
import type { AiSdkOptions } from './ai-sdk-tool.ts'
import { aiSdkTools, toolDefinition } from './given-tools.ts'
import type { BuiltinToolsOptions } from './tool-source.ts'

const names = list(text, 'names of tools')
const isOff = (value: unknown) => value === false

export const TOOL: Arguments = {
  checks: { options: toolDefinition },
  needs: { options: 'name, description, access, run, and input where it takes any' },
}

const command = must(
  'a command or an address (servers with settings are given in an object, by name)',
  (value) => typeof value === 'string' && value !== '',
)

/** What a server must be is said when it is opened. */
const servers: Check = either(
  'MCP servers by name, or a list of commands and addresses',
  [isList, list(command, 'commands and addresses')],
  [isObject, anything],
)

const http = fields(
  { allow: list(text, 'hosts'), timeoutMs: whole(1), maxBytes: whole(1) } satisfies Fields<
    NonNullable<BuiltinToolsOptions['http']>
  >,
  { needs: { allow: 'the hosts that may be reached' } },
)

const shell = fields({
  sandbox: oneOf(['auto', 'require', 'off']),
  network: flag,
  env: list(text, 'names of variables'),
  timeoutMs: whole(1),
  limits: fields({
    processes: whole(1),
    memoryMb: whole(1),
    tmpMb: whole(1),
    fileMb: whole(1),
  } satisfies Fields<CommandLimits>),
} satisfies Fields<NonNullable<BuiltinToolsOptions['shell']>>)

export const BUILTIN_TOOLS: Arguments = {
  checks: {
    options: fields({
      workspace: text,
      only: names,
      mcp: servers,
      http,
      shell,
      executors: text,
      checkFile: func(),
      embedding: anything,
      memory: either('an object, or false for no memory', [isOff, anything], [isObject, anything]),
      idempotent: names,
    } satisfies Fields<BuiltinToolsOptions>),
  },
}

const mcpOptions = fields({
  startTimeoutMs: whole(1),
  timeoutMs: whole(1),
  maxRestarts: whole(0),
  restartDelayMs: whole(0),
  maxResultChars: whole(1),
  environment: must('an object of texts', isObject),
  saveBlob: func(),
  onProblem: func(),
  onListChanged: func(),
} satisfies Fields<McpOptions>)

export const MCP: Arguments = {
  checks: { servers, options: mcpOptions },
  needs: { servers: 'MCP servers by name, such as { files: { command: "npx", args: […] } }' },
}

const access = oneOf(TOOL_ACCESS)

export const FROM_AI_SDK: Arguments = {
  checks: {
    tools: aiSdkTools,
    options: fields({
      access: either(
        `one of ${TOOL_ACCESS.join(', ')}, or an object with one for each tool`,
        [isText, access],
        [isObject, record(access, 'the class of each tool')],
      ),
      idempotent: names,
      context: record(anything, 'what each tool gets'),
    } satisfies Fields<AiSdkOptions<string>>),
  },
  needs: { tools: 'AI SDK tools by name' },
}

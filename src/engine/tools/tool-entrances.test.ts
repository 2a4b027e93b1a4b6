import { describe, expect, it } from 'vitest'
import { builtinTools, fromAiSdk, ThinkonError, tool } from '../../index.ts'
import { mcpClient, mcpTools } from '../../mcp.ts'

const good = { name: 'stock', description: 'counts', access: 'read', run: () => 1 }

/** Each as a caller in JavaScript makes it: the types say the same before. */
const WRONG: [call: (...given: never[]) => unknown, given: unknown[], message: string][] = [
  [tool, [], 'tool: the options are missing: name, description, access, run, and input where it takes any'],
  [tool, ['stock'], 'tool: the options must be an object, not "stock"'],
  [tool, [{ ...good, imput: {} }], 'tool: unknown option "imput": did you mean "input"?'],
  [tool, [{ ...good, parameters: {} }], 'tool: unknown option "parameters"'],
  [tool, [{ ...good, run: undefined }], 'tool: run is missing: the function that does the work'],
  [tool, [{ ...good, access: 'reed' }], 'did you mean "read"?'],
  [
    tool,
    [{ ...good, name: 'my stock' }],
    'tool: name must be a name of letters, digits, _ and -, at most 64',
  ],
  [tool, [{ ...good, output: 7 }], 'tool: output must be a schema'],
  [builtinTools, [{ olny: [] }], 'builtinTools: unknown option "olny": did you mean "only"?'],
  [builtinTools, [{ only: 'calculate' }], 'builtinTools: only must be a list of names of tools'],
  [builtinTools, [{ workspace: 7 }], 'builtinTools: workspace must be'],
  [builtinTools, [{ http: {} }], 'builtinTools: http.allow is missing: the hosts that may be reached'],
  [builtinTools, [{ mcp: 'npx server' }], 'builtinTools: mcp must be MCP servers by name'],
  [builtinTools, [{ memory: true }], 'builtinTools: memory must be an object, or false'],
  [builtinTools, ['.'], 'builtinTools: the options must be an object'],
  [fromAiSdk, [], 'fromAiSdk: tools is missing: AI SDK tools by name'],
  [fromAiSdk, [[{ inputSchema: {} }]], 'fromAiSdk: tools must be an object'],
  [fromAiSdk, [{ stock: good }], 'fromAiSdk: tools.stock is a tool'],
  [fromAiSdk, [{ stock: () => 3 }], 'fromAiSdk: tools.stock is a function: make a tool of it'],
  [fromAiSdk, [{}, { access: 'reed' }], 'fromAiSdk: access must be'],
  [fromAiSdk, [{}, { acess: 'read' }], 'fromAiSdk: unknown option "acess": did you mean "access"?'],
  [mcpTools, [], 'mcpTools: servers is missing: MCP servers by name'],
  [
    mcpTools,
    ['npx server'],
    'mcpTools: servers must be MCP servers by name, or a list of commands and addresses',
  ],
  [mcpTools, [{}, { timeout: 5 }], 'mcpTools: unknown option "timeout": did you mean "timeoutMs"?'],
  [mcpClient, [null], 'mcpClient: servers must be'],
]

describe('what makes tools', () => {
  it.each(WRONG)('refuses what it can not use: %o %j', async (call, given, message) => {
    const thrown = await (async () => call(...(given as never[])))().catch((error: unknown) => error)
    expect(ThinkonError.isInstance(thrown), String(thrown)).toBe(true)
    expect(thrown).toMatchObject({ code: 'BAD_INPUT', message: expect.stringContaining(message) })
  })
})

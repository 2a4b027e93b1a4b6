import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { builtinTools, createEngine, type ToolSources, tool } from './index.ts'
import { type McpServers, mcpClient, mcpTools } from './mcp.ts'
import { ScriptedModel } from './testing/index.ts'

let workspace = ''
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'thinkon-mcp-'))
})
afterEach(() => rmSync(workspace, { recursive: true, force: true }))

const server = join(import.meta.dirname, 'tools/mcp/fixtures/odd-server.js')
const odd: McpServers = { odd: { command: process.execPath, args: [server], only: ['echo', 'pid'] } }

/** What is offered to models, and what comes of a call. */
async function offered(tools: ToolSources, call = 'calculate'): Promise<{ names: string; value: unknown }> {
  const model = new ScriptedModel([
    { do: 'tool', calls: [{ name: call, input: { expression: '1 + 1' } }] },
    { do: 'return', result: 'done' },
  ])
  const engine = createEngine({ model, tools })
  try {
    const run = await engine.start('a goal', { strategy: 'minimal', approval: 'allow-all' })
    await run.outcome
    const events = [...(await engine.events(run.id))]
    const start = events.find((event) => event.type === 'run-start')
    const result = events.find((event) => event.type === 'tool-end')?.result
    const names = start?.config.tools?.filter(({ hidden }) => hidden !== true).map(({ name }) => name) ?? []
    return { names: names.join(), value: result?.ok ? result.value : result?.error }
  } finally {
    await engine.close()
  }
}

describe('the tools of MCP servers', () => {
  it('are a source like any other; the servers end with the engine', async () => {
    const own = tool({ name: 'own', description: 'own', access: 'read', run: () => 1 })
    const { names, value } = await offered([mcpTools(odd), own], 'odd__pid')
    expect(names).toBe('odd__echo,odd__pid,own,read_result')
    const pid = Number((value as { text: string }).text)
    expect(pid).toBeGreaterThan(1)
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  it('stay where `only` chooses among the built-in ones', async () => {
    const { names, value } = await offered(builtinTools({ workspace, mcp: odd, only: ['calculate'] }))
    expect(names).toBe('calculate,odd__echo,odd__pid,read_result')
    expect(value).toMatchObject({ exact: '2' })
  })

  it.each<[string, string]>([
    ['calculat', 'only: no tool "calculat": did you mean "calculate"?'],
    ['everything', 'only: no tool "everything"; there are: read_file, '],
    [
      'odd__echo',
      `only: "odd__echo" is a tool of an MCP server: these are chosen by "only" in the server's configuration`,
    ],
    ['http_fetch', 'only: http_fetch needs hosts'],
  ])('and others are not chosen by a name that is none of theirs: %s', async (name, message) => {
    const mcp = name === 'odd__echo' ? odd : {}
    await expect(offered(builtinTools({ workspace, mcp, only: ['read_file', name] }))).rejects.toThrow(
      message,
    )
  })

  it('that can not be had close what was opened beside them', async () => {
    let closed = 0
    const beside = () => ({ tools: [], close: () => void closed++ })
    const dead = mcpTools({ dead: { command: process.execPath, args: [server, 'dead'] } }, { maxRestarts: 0 })
    await expect(offered([dead, beside])).rejects.toMatchObject({ code: 'TOOL_ERROR' })
    await expect(offered([mcpTools({ bad: { url: 'ftp://x' } }), beside])).rejects.toMatchObject({
      code: 'BAD_INPUT',
    })
    expect(closed).toBe(2)
  })

  it('and their resources can be had without an engine', async () => {
    const client = await mcpClient(odd)
    expect(await client.resources()).toEqual([])
    await client.close()
  })
})

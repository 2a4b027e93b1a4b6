/** Tools, the approval policy, the sandbox, MCP servers and executors. */
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { BUILTIN_TOOLS, isBuiltinOn, type ThinkonConfig } from '../../config/index.ts'
import { readSmallFile } from '../../files/read-small-file.ts'
import type { Verdict } from '../../kernel/deed.ts'
import { redactError } from '../../models/secrets.ts'
import { errorData } from '../../protocol/index.ts'
import { idleRules, parsePolicy } from '../../tools/approval/policy.ts'
import { EXECUTORS_PATH, executorTools, loadExecutors } from '../../tools/executors/executor-tools.ts'
import { parseExecutors } from '../../tools/executors/parse-executors.ts'
import { readServers } from '../../tools/mcp/server-config.ts'
import { STRATEGY_TOOLS } from '../../tools/open-tools.ts'
import { sandboxStatus } from '../../tools/sandbox.ts'
import { type Finding, finding } from './finding.ts'
import { installedVersion } from './installed-version.ts'
import type { DoctorWords } from './words.ts'

const DEEP_TIMEOUT_MS = 20_000

export async function checkTools(
  config: ThinkonConfig,
  workspace: string,
  words: DoctorWords,
): Promise<Finding[]> {
  const on = BUILTIN_TOOLS.filter((name) => isBuiltinOn(config, name))
  const off = BUILTIN_TOOLS.filter((name) => !isBuiltinOn(config, name))
  const noHosts = (config.tools?.http?.allow.length ?? 0) === 0
  const offText = off.map((name) => (name === 'http_fetch' && noHosts ? words.noHosts : name)).join(', ')
  const text = [on.join(', ') || words.none, ...(offText === '' ? [] : [words.off(offText)])].join(' · ')
  const rows = [finding('tools', 'good', text, { data: { on, off } })]
  // The tools of MCP servers are known only while they run.
  if (Object.keys(config.mcp ?? {}).length > 0) return rows
  const names = [...on, ...STRATEGY_TOOLS, ...(await executorNames(config, workspace))]
  const unknown = (config.tools?.idempotent ?? []).filter((name) => !names.includes(name))
  if (unknown.length === 0) return rows
  return [
    ...rows,
    finding('tools', 'bad', words.unknownTools(unknown.join(', ')), { todo: words.checkNames }),
  ]
}

export async function checkApproval(
  config: ThinkonConfig,
  workspace: string,
  words: DoctorWords,
): Promise<Finding[]> {
  try {
    const policy = parsePolicy(config.approval ?? {}, workspace)
    const of = (verdict: Verdict) =>
      policy.rules.filter((rule) => rule.verdict === verdict).map((rule) => rule.text)
    const verdicts = (['allow', 'ask', 'deny'] as const).map((verdict) => ({ verdict, rules: of(verdict) }))
    const text = verdicts
      .filter(({ rules }) => rules.length > 0)
      .map(({ verdict, rules }) => `${words[verdict]} ${rules.join(', ')}`)
      .join(' · ')
    const data = Object.fromEntries(verdicts.map(({ verdict, rules }) => [verdict, rules]))
    const rows = [finding('approval', 'note', text, { data })]
    if (Object.keys(config.mcp ?? {}).length > 0) return rows
    const names = [...BUILTIN_TOOLS, ...STRATEGY_TOOLS, ...(await executorNames(config, workspace))]
    const idle = idleRules(
      policy,
      names.map((name) => ({ name, description: '', access: 'read' })),
    )
    if (idle.length === 0) return rows
    return [
      ...rows,
      finding('approval', 'warn', words.idleRules(idle.join(', ')), { todo: words.checkNames }),
    ]
  } catch (thrown) {
    return [finding('approval', 'bad', errorData(thrown, 'BAD_INPUT').message)]
  }
}

export async function checkSandbox({ tools }: ThinkonConfig, words: DoctorWords): Promise<Finding[]> {
  const { sandbox = 'auto', network = false } = tools?.shell ?? {}
  if (sandbox === 'off') return [finding('sandbox', 'warn', words.sandboxOff, { data: { kind: 'off' } })]
  const { kind, text } = await sandboxStatus()
  if (kind === 'bubblewrap')
    return [finding('sandbox', 'good', network ? words.sandboxedNet : words.sandboxed, { data: { kind } })]
  const todo = sandbox === 'require' ? { todo: words.sandboxRequired } : {}
  return [finding('sandbox', 'warn', text, { ...todo, data: { kind, reason: text } })]
}

const MCP_CLIENT = '@modelcontextprotocol/client'

export async function checkMcp(
  { mcp = {} }: ThinkonConfig,
  deep: boolean,
  words: DoctorWords,
): Promise<Finding[]> {
  const names = Object.keys(mcp)
  if (names.length === 0) return [finding('mcp', 'note', words.none, { data: { servers: [] } })]
  const missing = installedVersion(MCP_CLIENT) === null
  const rows = names.map(async (name) => {
    const about = { name, data: { server: name } }
    const server = { [name]: mcp[name] as never }
    try {
      readServers(server)
    } catch (thrown) {
      return finding('mcp', 'bad', redactError(errorData(thrown, 'BAD_INPUT').message), about)
    }
    if (missing) return finding('mcp', 'bad', words.missing, { ...about, todo: `npm install ${MCP_CLIENT}` })
    if (!deep) return finding('mcp', 'note', words.commandLine, about)
    try {
      const tools = await toolNamesOf(server)
      return finding('mcp', 'good', `${words.serverTools(tools.length)}: ${tools.join(', ')}`, {
        name,
        data: { server: name, tools },
      })
    } catch (thrown) {
      return finding('mcp', 'warn', redactError(errorData(thrown, 'TOOL_ERROR').message), about)
    }
  })
  return Promise.all(rows)
}

/** Starts the server, within a time limit, and stops it. */
async function toolNamesOf(server: Record<string, never>): Promise<string[]> {
  const { mcpClient } = await import('../../tools/mcp/mcp-client.ts')
  const opened = mcpClient(server, { startTimeoutMs: DEEP_TIMEOUT_MS, maxRestarts: 0 })
  try {
    const tools = await opened.tools(AbortSignal.timeout(DEEP_TIMEOUT_MS))
    return tools.filter(({ hidden }) => !hidden).map(({ name }) => name)
  } finally {
    await opened.close()
  }
}

export async function checkExecutors(
  config: ThinkonConfig,
  workspace: string,
  words: DoctorWords,
): Promise<Finding[]> {
  const path = config.executors ?? join(workspace, EXECUTORS_PATH)
  const shown = relative(workspace, path) || path
  try {
    const executors = await executorsOf(config, workspace)
    const ids = executors.map(({ id }) => id)
    const data = { path, ids }
    if (!existsSync(path)) return [finding('executors', 'note', words.noExecutors(shown), { data })]
    return [finding('executors', 'good', `${shown} · ${ids.join(', ')}`, { data })]
  } catch (thrown) {
    const { message } = errorData(thrown, 'BAD_INPUT')
    return message.split('\n').map((line) => finding('executors', 'bad', line, { data: { path } }))
  }
}

async function executorsOf({ executors }: ThinkonConfig, workspace: string) {
  if (executors === undefined) return loadExecutors(workspace)
  return parseExecutors(await readSmallFile(executors), relative(workspace, executors))
}

async function executorNames(config: ThinkonConfig, workspace: string): Promise<string[]> {
  try {
    const tools = executorTools(await executorsOf(config, workspace))
    return tools.map(({ name }) => name)
  } catch {
    return []
  }
}

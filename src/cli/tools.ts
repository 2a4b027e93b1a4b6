/** The tools of a run on the command line, and what they may do without asking. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type BuiltinTool, configuredEmbedding, isBuiltinOn, type ThinkonConfig } from '../config/index.ts'
import type { EmbeddingChoice } from '../kernel/model-choice.ts'
import type { ApprovalConfig, McpServerConfig } from '../protocol/index.ts'
import { parseServerText } from '../tools/mcp/server-config.ts'
import type { OpenTools } from '../tools/open-tools.ts'
import type { Lang } from '../views/words.ts'
import type { Values } from './command.ts'
import type { Setting } from './setting.ts'

export function toolsOf(
  values: Values,
  { workspace, checkFile, confirm, loaded: { config } }: Setting,
): () => Promise<OpenTools> {
  const { tools, executors } = config
  const mcp = serversOf(values, config)
  const embedding = configuredEmbedding(config)
  return async () => {
    await confirm()
    const { openTools } = await import('../tools/open-tools.ts')
    return openTools({
      workspace,
      builtin: (name) => isBuiltinOn(config, name as BuiltinTool),
      mcp,
      checkFile,
      ...(tools?.shell && { shell: tools.shell }),
      ...(tools?.http && { http: tools.http }),
      ...(tools?.idempotent && { idempotent: tools.idempotent }),
      ...(executors !== undefined && { executors }),
      ...(embedding !== undefined && { memory: await memoryWith(embedding) }),
    })
  }
}

/** The MCP servers of the configuration and of `--mcp`, by name. */
export function serversOf(
  values: Values,
  config: ThinkonConfig,
): Readonly<Record<string, string | McpServerConfig>> {
  const mcp: Record<string, string | McpServerConfig> = { ...config.mcp }
  for (const text of (values.mcp ?? []) as readonly string[]) {
    const { name, config: server } = parseServerText(text)
    mcp[name in mcp ? `${name}-${Object.keys(mcp).length + 1}` : name] = server
  }
  return mcp
}

async function memoryWith(embedding: EmbeddingChoice) {
  const { embeddingOf } = await import('../models/open-embedding.ts')
  return embeddingOf(embedding)
}

/** If nobody can be asked, what needs permission is denied, unless --yes is given. */
export function approvalOf(values: Values, { workspace, loaded: { config } }: Setting): ApprovalConfig {
  const attached = process.stdin.isTTY === true && process.stdout.isTTY === true
  const asks = values.yes === true ? 'yes' : attached || values.ask === true ? 'person' : 'nobody'
  return { ...config.approval, workspace, asks }
}

/** Warns that commands run with all rights of the user; null if they don't, or if there are no commands. */
export async function sandboxWarning(
  { workspace, loaded: { config } }: Setting,
  lang: Lang,
): Promise<string | null> {
  const { EXECUTORS_PATH } = await import('../tools/executors/executor-tools.ts')
  const executors = config.executors ?? join(workspace, EXECUTORS_PATH)
  if (!isBuiltinOn(config, 'shell') && !existsSync(executors)) return null
  const { sandbox = 'auto' } = config.tools?.shell ?? {}
  if (sandbox === 'off') return SANDBOX[lang].off
  // Without a sandbox, nothing runs at all.
  if (sandbox === 'require') return null
  const { sandboxStatus } = await import('../tools/sandbox.ts')
  const { kind, text } = await sandboxStatus()
  if (kind !== 'none') return null
  const why = text.replace(/^commands run without a sandbox: /, '').replace(/ \(.*\)$/, '')
  return SANDBOX[lang].none(why)
}

/** `why`: what the system said is left as it is. */
const SANDBOX: Readonly<Record<Lang, { off: string; none(why: string): string }>> = {
  en: {
    off: 'shell: no sandbox (switched off in the configuration)',
    none: (why) => `shell: no sandbox (${why}; see thinkon doctor)`,
  },
  zh: {
    off: 'shell：没有沙箱（配置中已关闭）',
    none: (why) => `shell：没有沙箱（${whyZh(why)}；见 thinkon doctor）`,
  },
}

function whyZh(why: string): string {
  return why
    .replace(/^bubblewrap exists for Linux only$/, 'bubblewrap 只用于 Linux')
    .replace(/^bubblewrap is not installed$/, '没有安装 bubblewrap')
    .replace(/^bubblewrap can't be used here: /, 'bubblewrap 在这里无法使用：')
    .replace(/it ended with (?=\d+$)/, '退出码 ')
}

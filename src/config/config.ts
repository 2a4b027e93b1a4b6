/** What a configuration may contain. Everything is optional; docs/configuration.md lists every key with its default. */
import type { EmbeddingChoice, ModelChoices, RoleSettings } from '../kernel/model-choice.ts'
import type { OnOutage } from '../kernel/services.ts'
import type {
  ApprovalRules,
  Fallbacks,
  Limits,
  McpServerConfig,
  ModelPrice,
  ResilienceSettings,
  Role,
  Route,
  StrategyOptions,
} from '../protocol/index.ts'

export interface ThinkonConfig {
  /** For editors. */
  $schema?: string
  /** The model for every role without one of its own; of several, the next answers while the first is out. */
  model?: ModelChoices
  models?: Partial<Record<Role, RoleModel>>
  /** Searches the memory by meaning; without it, by words alone. */
  embedding?: EmbeddingChoice
  strategy?: string
  /** Strategies of your own: modules, or files whose default export is one, relative to the configuration's folder. */
  strategies?: readonly (string | StrategyObject)[]
  /** Options by strategy name, used wherever that strategy runs. */
  options?: StrategyOptions
  /** Which strategy solves a block whose caller leaves that open; the first matching route wins. */
  routes?: readonly Route[]
  /** Which strategy gets one more try at a block that ended partial. */
  fallbacks?: Fallbacks
  budget?: Partial<Limits>
  /** How many tokens a request may carry; by default half of the model's window, at most 48,000. */
  promptTokens?: number
  /** A file, relative to the configuration's folder, or ':memory:'. */
  store?: string
  /** Where the work happens, relative to the configuration's folder. */
  workspace?: string
  /** US dollars per million tokens, by model spec: overrides the table that ships. */
  prices?: Readonly<Record<string, ModelPrice>>
  /** If no model can be reached: `wait` (the default) leaves the run waiting, to be resumed; `fail` fails the step. */
  onOutage?: OnOutage
  resilience?: ResilienceConfig
  /** @deprecated The old name of `resilience`. */
  trouble?: ResilienceConfig
  /** What may be done without asking. */
  approval?: ApprovalRules
  tools?: ToolsConfig
  /** MCP servers by name: a command line, a URL, or one of these with settings. */
  mcp?: Readonly<Record<string, string | McpServerConfig>>
  /** The executors' file, relative to the configuration's folder. */
  executors?: string
  lang?: 'en' | 'zh'
}

/** A strategy by what the configuration checks of it; `StrategyModule` and `Strategy` are the whole of it. */
export interface StrategyObject {
  readonly name: string
  readonly version: number
}

/** Settings without a `model` apply to the default model in this role. */
export type RoleModel = ModelChoices | (RoleSettings & { model?: never })

export interface ResilienceConfig extends ResilienceSettings {
  /** By provider: `openai`, `ollama`, or the host of an address. Overrides what is set for all. */
  providers?: Readonly<Record<string, ResilienceSettings>>
}

export interface ToolsConfig {
  /** Which built-in tools are available: all (true), none (false), or all but those set to false. */
  builtin?: boolean | Readonly<Partial<Record<BuiltinTool, boolean>>>
  shell?: {
    readonly sandbox?: 'auto' | 'require' | 'off'
    readonly network?: boolean
    readonly env?: readonly string[]
    readonly timeoutMs?: number
  }
  /** Without it, http_fetch is not available. */
  http?: { readonly allow: readonly string[]; readonly timeoutMs?: number; readonly maxBytes?: number }
  /** Names of tools, built-in or not, that may be run again after a crash. */
  idempotent?: readonly string[]
}

/** Where a configuration can be: in one of these, or under "thinkon" in package.json. */
export const CONFIG_FILES: readonly string[] = ['ts', 'mts', 'js', 'mjs', 'json'].map(
  (ending) => `thinkon.config.${ending}`,
)
export const PACKAGE = 'package.json'

export const BUILTIN_TOOLS = [
  'read_file',
  'list_files',
  'search_files',
  'write_file',
  'edit_file',
  'apply_patch',
  'shell',
  'http_fetch',
  'calculate',
  'ask_user',
  'read_result',
] as const
export type BuiltinTool = (typeof BUILTIN_TOOLS)[number]

/** Gives a configuration in TypeScript its types; does nothing else. */
export function defineConfig(config: ThinkonConfig): ThinkonConfig {
  return config
}

/** http_fetch is available only if a host is allowed. */
export function isBuiltinOn({ tools }: ThinkonConfig, name: BuiltinTool): boolean {
  const { builtin = true, http } = tools ?? {}
  if (name === 'http_fetch' && (http?.allow.length ?? 0) === 0) return false
  return typeof builtin === 'boolean' ? builtin : builtin[name] !== false
}

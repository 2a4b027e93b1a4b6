/** What a configuration may contain. Everything is optional; docs/configuration.md lists every key with its default. */
import type { EmbeddingChoice, ModelChoices, RoleSettings } from '../kernel/model-choice.ts'
import type { OnOutage } from '../kernel/services.ts'
import type {
  ApprovalRules,
  Limits,
  McpServerConfig,
  ModelPrice,
  ResilienceSettings,
  Role,
} from '../protocol/index.ts'
import type {
  AnyOwn,
  NoStrategy,
  OptionsByName,
  OwnOptions,
  StrategyFallbacks,
  StrategyName,
  StrategyRoute,
} from '../protocol/strategy-registry.ts'

/** `Own` are the options, by name, of `strategies`. */
export interface ThinkonConfig<Own = AnyOwn> {
  /** For editors. */
  $schema?: string
  /** The model for every role without one of its own; of several, the next answers while the first is out. */
  model?: ModelChoices
  /** Other models for some roles, or the same with other settings. */
  models?: Partial<Record<Role, RoleModel>>
  /** Searches the memory by meaning; without it, by words alone. */
  embedding?: EmbeddingChoice
  /** The way of reasoning; `auto`, unless given. */
  strategy?: StrategyName<Own>
  /** Strategies of your own: modules, or files whose default export is one, relative to the configuration's folder. */
  strategies?: readonly (string | StrategyObject)[]
  /** Options by strategy name, used wherever that strategy runs. */
  options?: OptionsByName<Own>
  /** Which strategy solves a block whose caller leaves that open; the first matching route wins. */
  routes?: readonly StrategyRoute<Own>[]
  /** Which strategy gets one more try at a block that ended partial. */
  fallbacks?: StrategyFallbacks<Own>
  /** For a whole run. Default: depth 8, 2,000,000 tokens, 1,000 calls, an hour of active time, 10 US dollars. */
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
  /** How all models deal with a provider that is overloaded, slow or unreachable. */
  resilience?: ResilienceConfig
  /** @deprecated The old name of `resilience`. */
  trouble?: ResilienceConfig
  /** What may be done without asking. */
  approval?: ApprovalRules
  /** Which built-in tools there are, and how they work. */
  tools?: ToolsConfig
  /** MCP servers by name: a command line, a URL, or one of these with settings. */
  mcp?: Readonly<Record<string, string | McpServerConfig>>
  /** The executors' file, relative to the configuration's folder. */
  executors?: string
  /** What executes runs: this process (`local`, the default), or the workers of a cluster (`cluster`). */
  host?: 'local' | 'cluster'
  /** Where the database of the cluster is, and how workers work. */
  cluster?: ClusterConfig
  /** Where traces and metrics are sent; false: nowhere, whatever the environment says. */
  telemetry?: boolean | TelemetryConfig
  /** Whom `thinkon serve` tells of runs that have ended or wait. */
  webhooks?: readonly WebhookConfig[]
  /** How `thinkon serve` serves runs to other programs. */
  serve?: ServeConfig
  /** The language of the views; the goal's, unless given. */
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
    /** Of a command and all that it starts: docs/limits.md. */
    readonly limits?: {
      readonly processes?: number
      readonly memoryMb?: number
      readonly tmpMb?: number
      readonly fileMb?: number
    }
  }
  /** Without it, http_fetch is not available. */
  http?: { readonly allow: readonly string[]; readonly timeoutMs?: number; readonly maxBytes?: number }
  /** Names of tools, built-in or not, that may be run again after a crash. */
  idempotent?: readonly string[]
}

/** Each can also be given by an environment variable; docs/configuration.md has their names. */
export interface ClusterConfig {
  /** A connection string; `${NAME}` in it is replaced from the environment. */
  readonly postgres?: string
  /** Changes whenever runs that are under way could not go on with the configuration's code as it is now. */
  readonly version?: string
  /** How long a worker that ends waits for calls under way. Default: 60,000. */
  readonly drainMs?: number
  /** Runs that a worker executes at once. Default: 200. */
  readonly runs?: number
}

/** What is left out is as the `OTEL_*` variables say. docs/telemetry.md. */
export interface TelemetryConfig {
  /** The address of an OpenTelemetry receiver (OTLP over HTTP), without `/v1/traces`. */
  readonly endpoint?: string
  /** `${NAME}` in them is replaced from the environment. */
  readonly headers?: Readonly<Record<string, string>>
  /** What this program is called there. */
  readonly serviceName?: string
  /** Also send what was said: prompts, replies, goals, input and results of tools. */
  readonly content?: boolean
  readonly traces?: boolean
  readonly metrics?: boolean
  /** The share of runs whose traces are sent, from 0 to 1. */
  readonly sample?: number
}

/** docs/webhooks.md. */
export interface WebhookConfig {
  /** `${NAME}` in it is replaced from the environment. */
  readonly url: string
  /** What signs them: `whsec_` and 24 to 64 bytes in base64, as `${NAME}`. Of several, each signs. */
  readonly secret: string | readonly string[]
  /** What is told. Everything, unless given. */
  readonly events?: readonly WebhookEvent[]
  /** Also tell what was said: goal, result, question. */
  readonly content?: boolean
}

export const WEBHOOK_EVENTS = ['run.ended', 'run.waiting'] as const
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]
export interface ServeConfig {
  /** The address to listen on: `127.0.0.1`. Any other than one of this machine's own needs `tokens`. */
  readonly listen?: string
  readonly port?: number
  /** Specs of models that requests may name, besides `model`. */
  readonly models?: readonly string[]
  /** Who may: a token, or one with what it is good for. `${NAME}` in it is replaced from the environment. */
  readonly tokens?: readonly (string | ServeToken)[]
  /** Names by which the service is reached, besides those of its address. */
  readonly hosts?: readonly string[]
  /** Origins of web pages elsewhere that may send requests with a token. */
  readonly origins?: readonly string[]
  /** Runs that are worked on at once. */
  readonly maxRuns?: number
  /** Streams of events that are open at once. */
  readonly maxStreams?: number
  /** Runs that are started in a minute. */
  readonly startsPerMinute?: number
  /** Bytes of a request's body, and of a run that is imported. */
  readonly maxBodyBytes?: number
  readonly maxImportBytes?: number
}

export interface ServeToken {
  readonly token: string
  /** `read` looks, `steer` steers runs that are there, `start` starts and deletes them. */
  readonly scopes: readonly ServeScope[]
}

export const SERVE_SCOPES = ['read', 'steer', 'start'] as const
export type ServeScope = (typeof SERVE_SCOPES)[number]

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

/** Gives a configuration in TypeScript its types; does nothing else. It is checked when it is read, with the place of what is wrong. */
export function defineConfig<const Strategies extends ConfigStrategies>(
  config: ThinkonConfig<OwnOf<Strategies>> & { readonly strategies?: Strategies },
): ThinkonConfig {
  return config as ThinkonConfig
}

type ConfigStrategies = readonly (string | StrategyObject | NoStrategy)[]

/** What is in files is out of sight: any name may be one of theirs. */
type OwnOf<Strategies extends ConfigStrategies> = NoStrategy extends Strategies[number]
  ? OwnOptions<readonly NoStrategy[]>
  : [Extract<Strategies[number], string>] extends [never]
    ? OwnOptions<readonly Exclude<Strategies[number], string>[]>
    : AnyOwn

/** http_fetch is available only if a host is allowed. */
export function isBuiltinOn({ tools }: ThinkonConfig, name: BuiltinTool): boolean {
  const { builtin = true, http } = tools ?? {}
  if (name === 'http_fetch' && (http?.allow.length ?? 0) === 0) return false
  return typeof builtin === 'boolean' ? builtin : builtin[name] !== false
}

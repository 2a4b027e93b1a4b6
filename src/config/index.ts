/** The configuration and the choice of the model. */
export {
  type ChosenModel,
  chooseModel,
  EMBEDDED_DEFAULT,
  embeddedNote,
  KEY_MODELS,
  type ModelSources,
} from './choose-model.ts'
export {
  type ClusterSettings,
  chooseHost,
  clusterSettings,
  devClusterFile,
  devClusterFolder,
  HOSTS,
  type HostName,
} from './cluster-settings.ts'
export {
  BUILTIN_TOOLS,
  type BuiltinTool,
  CONFIG_FILES,
  defineConfig,
  isBuiltinOn,
  type ThinkonConfig,
  WEBHOOK_EVENTS,
  type WebhookConfig,
  type WebhookEvent,
} from './config.ts'
export { type ConfiguredModels, configuredEmbedding, configuredModels } from './configured-models.ts'
export { COMPUTED, literalConfig } from './literal-config.ts'
export {
  type FoundConfig,
  findConfig,
  type LoadedConfig,
  type LoadOptions,
  loadConfig,
  NO_CONFIG,
  openConfig,
} from './load-config.ts'
export { type LocalServer, type ProbedServers, probeServers } from './local-servers.ts'
export type { ConfigProblem } from './problems.ts'
export { type ServeSettings, serveSettings } from './serve-settings.ts'
export { type OtlpTarget, type TelemetrySettings, telemetrySettings } from './telemetry-settings.ts'
export { type WebhookSettings, webhookSettings } from './webhook-settings.ts'
export { workPlaces } from './work-places.ts'

/** The configuration and the choice of the model. */
export {
  type ChosenModel,
  chooseModel,
  EMBEDDED_DEFAULT,
  KEY_MODELS,
  type ModelSources,
} from './choose-model.ts'
export {
  BUILTIN_TOOLS,
  type BuiltinTool,
  CONFIG_FILES,
  defineConfig,
  isBuiltinOn,
  type ThinkonConfig,
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
export { workPlaces } from './work-places.ts'

/** The models of an engine and its embedding, each with the settings, price and resilience that the configuration gives it. */
import {
  type EmbeddingChoice,
  isEmbeddingObject,
  isModelObject,
  type ModelChoice,
  type ModelConfig,
  modelConfig,
  type ProviderSettings,
  specOf,
} from '../kernel/model-choice.ts'
import { defined, type ResilienceSettings, type Role, ThinkonError } from '../protocol/index.ts'
import type { ChosenModel } from './choose-model.ts'
import type { RoleModel, ThinkonConfig } from './config.ts'

export interface ConfiguredModels {
  model: ModelChoice
  models: Partial<Record<Role, ModelChoice>>
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * A model named for this run (`--model`) is used in every role: of the roles' configuration, only temperature, seed and
 * lengths apply. Throws BAD_INPUT if a `${NAME}` is not in the environment.
 */
export function configuredModels(
  chosen: ChosenModel,
  config: ThinkonConfig,
  env: Environment = process.env,
): ConfiguredModels {
  const isNamed = chosen.from === 'flag' || (chosen.from === 'run' && isOther(chosen, config))
  const models: ConfiguredModels['models'] = {}
  for (const [role, given] of Object.entries(config.models ?? {}) as [Role, RoleModel][]) {
    models[role] = complete(roleModel(given, chosen, isNamed), config, env, `models.${role}`)
  }
  return { model: complete(chosen.model, config, env, 'model'), models }
}

/** The embedding with its `${NAME}`s replaced. Throws BAD_INPUT if one is not in the environment. */
export function configuredEmbedding(
  { embedding }: ThinkonConfig,
  env: Environment = process.env,
): EmbeddingChoice | undefined {
  if (embedding === undefined || typeof embedding === 'string' || isEmbeddingObject(embedding))
    return embedding
  return { ...embedding, ...filled(embedding, env, 'embedding') }
}

function isOther({ spec }: ChosenModel, { model }: ThinkonConfig): boolean {
  return model !== undefined && specOf(model) !== spec
}

function roleModel(given: RoleModel, chosen: ChosenModel, isNamed: boolean): ModelChoice {
  const ownModel = typeof given === 'string' || isModelObject(given) || given.model !== undefined
  if (ownModel && !isNamed) return given as ModelChoice
  if (typeof given === 'string' || isModelObject(given)) return chosen.model
  const { temperature, seed, maxOutputTokens, promptTokens } = given
  return { ...modelConfig(chosen.model), ...defined({ temperature, seed, maxOutputTokens, promptTokens }) }
}

/** A bare spec stays one if there is nothing to add, so that the journal has what a later process can open. */
function complete(model: ModelChoice, config: ThinkonConfig, env: Environment, key: string): ModelChoice {
  const spec = specOf(model)
  const entry = modelConfig(model)
  const resilience = { ...resilienceOf(config, spec), ...entry.resilience }
  const full: ModelConfig = {
    ...defined({ price: config.prices?.[spec] }),
    ...entry,
    ...filled(entry, env, key),
    ...(Object.keys(resilience).length > 0 && { resilience }),
  }
  return Object.keys(full).length === 1 ? full.model : full
}

function resilienceOf({ resilience }: ThinkonConfig, spec: string): ResilienceSettings | undefined {
  if (resilience === undefined) return undefined
  const { providers, ...all } = resilience
  const isAddress = /^https?:/i.test(spec) && URL.canParse(spec)
  const provider = isAddress ? new URL(spec).host : spec.slice(0, spec.indexOf(':'))
  return { ...all, ...providers?.[provider] }
}

/** Keys stay out of files: `${NAME}` is replaced from the environment. */
function filled(
  { apiKey, baseURL, headers }: ProviderSettings,
  env: Environment,
  key: string,
): ProviderSettings {
  const fill = (text: string, field: string) =>
    text.replace(/\$\{([A-Za-z_]\w*)\}/g, (_, name: string) => {
      const value = env[name]
      if (value) return value
      throw new ThinkonError(
        'BAD_INPUT',
        `${key}.${field} needs the environment variable ${name}, which is not set: set it, or take \${${name}} out of the configuration`,
        { data: { key: `${key}.${field}`, variable: name } },
      )
    })
  const filledHeaders = Object.entries(headers ?? {}).map(([name, value]) => [
    name,
    fill(value, `headers.${name}`),
  ])
  return {
    ...(apiKey !== undefined && { apiKey: fill(apiKey, 'apiKey') }),
    ...(baseURL !== undefined && { baseURL: fill(baseURL, 'baseURL') }),
    ...(headers !== undefined && { headers: Object.fromEntries(filledHeaders) }),
  }
}

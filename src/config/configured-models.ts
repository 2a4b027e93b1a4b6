/** The models of an engine and its embedding, each with the settings, price and resilience that the configuration gives it. */
import {
  choicesOf,
  type EmbeddingChoice,
  isEmbeddingObject,
  isModelObject,
  type ModelChoice,
  type ModelChoices,
  type ModelConfig,
  modelConfig,
  type ProviderSettings,
  type RoleSettings,
  specOf,
} from '../kernel/model-choice.ts'
import { defined, type ResilienceSettings, type Role } from '../protocol/index.ts'
import type { ChosenModel } from './choose-model.ts'
import type { RoleModel, ThinkonConfig } from './config.ts'
import { type Environment, fillAll, fillVariables } from './fill-variables.ts'

export interface ConfiguredModels {
  model: ModelChoices
  models: Partial<Record<Role, ModelChoices>>
}

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

function roleModel(given: RoleModel, chosen: ChosenModel, isNamed: boolean): ModelChoices {
  const isEntry = typeof given !== 'string' && !Array.isArray(given) && !isModelObject(given)
  const ownModel = !isEntry || (given as { model?: unknown }).model !== undefined
  if (ownModel && !isNamed) return given as ModelChoices
  if (!isEntry) return chosen.model
  const { temperature, seed, maxOutputTokens, maxReplyBytes, thinkingTokens, promptTokens } =
    given as RoleSettings
  const own = defined({ temperature, seed, maxOutputTokens, maxReplyBytes, thinkingTokens, promptTokens })
  return choicesOf(chosen.model).map((choice) => ({ ...modelConfig(choice), ...own }))
}

function complete(given: ModelChoices, config: ThinkonConfig, env: Environment, key: string): ModelChoices {
  const choices = choicesOf(given)
  const [first, ...others] = choices.map((choice, i) =>
    completeOne(choice, config, env, choices.length === 1 ? key : `${key}[${i}]`),
  )
  return first !== undefined && others.length === 0 ? first : ([first, ...others] as ModelChoice[])
}

/** A bare spec stays one if there is nothing to add, so that the journal has what a later process can open. */
function completeOne(model: ModelChoice, config: ThinkonConfig, env: Environment, key: string): ModelChoice {
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

/** Keys stay out of files. */
function filled(
  { apiKey, baseURL, headers }: ProviderSettings,
  env: Environment,
  key: string,
): ProviderSettings {
  return {
    ...(apiKey !== undefined && { apiKey: fillVariables(apiKey, env, `${key}.apiKey`) }),
    ...(baseURL !== undefined && { baseURL: fillVariables(baseURL, env, `${key}.baseURL`) }),
    ...(headers !== undefined && { headers: fillAll(headers, env, `${key}.headers`) }),
  }
}

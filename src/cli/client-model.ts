/** `mcp:client` among the models of an engine: the model of whoever calls the MCP server. */
import type { EngineOptions } from '../engine.ts'
import { choicesOf, type ModelChoices, modelConfig } from '../kernel/model-choice.ts'
import { CLIENT_MODEL } from '../kernel/model-spec.ts'
import { ThinkonError } from '../protocol/index.ts'
import type { SamplingDesk } from '../server/mcp/sampling-desk.ts'
import type { Setting } from './setting.ts'

/** The options with a model that leaves its requests on the desk, wherever `mcp:client` is named. */
export async function withClientModels(
  options: EngineOptions,
  desk: SamplingDesk,
  { cluster }: Pick<Setting, 'cluster'>,
): Promise<EngineOptions> {
  const { model, models = {} } = options
  if (![model, ...Object.values(models)].some(isNamed)) return options
  if (cluster !== null)
    throw new ThinkonError(
      'BAD_INPUT',
      `${CLIENT_MODEL} is the model of an MCP client, which the workers of a cluster can't ask: name another model`,
    )
  const { samplingModel, withClientModel } = await import('../models/sampling/sampling-model.ts')
  const client = samplingModel(desk)
  const filled = Object.entries(models).map(([role, given]) => [role, withClientModel(given, client)])
  return {
    ...options,
    ...(model !== undefined && { model: withClientModel(model, client) }),
    models: Object.fromEntries(filled),
  }
}

function isNamed(given: ModelChoices | undefined): boolean {
  return given !== undefined && choicesOf(given).some((choice) => modelConfig(choice).model === CLIENT_MODEL)
}

/** The service that commands open for other programs: what a person may do on the command line, as the configuration says. */
import { join } from 'node:path'
import type { ChosenModel } from '../config/index.ts'
import type { EngineOptions } from '../engine.ts'
import { storeState } from '../files/state-folder.ts'
import { createSamplingDesk, type SamplingDesk } from '../server/mcp/sampling-desk.ts'
import { createService, type Service, type ServiceOptions } from '../server/service.ts'
import { withClientModels } from './client-model.ts'
import type { Values } from './command.ts'
import { budgetOptions } from './options.ts'
import { engineOn, workOptions } from './session.ts'
import { MEMORY, prepareStore, type Setting } from './setting.ts'
import { observerFor } from './telemetry.ts'
import { isTrustedProcess } from './trust/load-trusted.ts'
import { webhooksFor } from './webhooks.ts'

export interface OpenedService {
  readonly service: Service
  /** The model of requests that name none. */
  readonly chosen: ChosenModel
  /** Where `mcp:client` leaves its requests. */
  readonly desk: SamplingDesk
}

/** `more` comes before what the configuration says. */
export async function openService(
  values: Values,
  setting: Setting,
  more: Partial<ServiceOptions> = {},
): Promise<OpenedService> {
  const { workspace, strategies, cluster, loaded } = setting
  const { config } = loaded
  const { chosen, options } = await workOptions(values, setting)
  prepareStore(setting)
  const place = await sharedPlace(setting)
  const observed = await observerFor(setting)
  const desk = createSamplingDesk()
  const first = await withClientModels(options, desk, setting)
  const webhooks = await webhooksFor(setting, more.onProblem)
  const strategy = config.strategy ?? (process.env.THINKON_STRATEGY || undefined)
  const service = createService({
    async engineFor(model) {
      if (model === chosen.spec) return observed(engineOn(setting, { ...first, ...place }))
      const other = (await workOptions({ ...values, model }, setting)).options
      return observed(engineOn(setting, { ...(await withClientModels(other, desk, setting)), ...place }))
    },
    models: [...new Set([chosen.spec, ...(config.serve?.models ?? [])])],
    strategies,
    workspace,
    defaults: {
      ...(strategy !== undefined && { strategy }),
      ...(config.options && { strategyOptions: config.options }),
      ...(config.routes && { routes: config.routes }),
      ...(config.fallbacks && { fallbacks: config.fallbacks }),
      budget: { ...config.budget, ...budgetOptions(values) },
      approval: { ...config.approval, workspace, asks: 'person' },
    },
    host: cluster === null ? 'local' : 'cluster',
    ...(isTrustedProcess() && { isOwn: () => true }),
    ...(webhooks !== null && { webhooks }),
    ...(cluster === null &&
      setting.store !== MEMORY && { crashFile: join(storeState(workspace, setting.store), 'crashes.json') }),
    ...more,
  })
  return { service, chosen, desk }
}

/** The engines of all models see the same runs, also in memory. */
async function sharedPlace({ store, cluster }: Setting): Promise<Pick<EngineOptions, 'store'>> {
  if (store !== MEMORY || cluster !== null) return {}
  return { store: (await import('../store/memory.ts')).memoryStore() }
}

/** Telemetry as the configuration and the environment say. Loaded only if there is any. */
import { join } from 'node:path'
import { telemetrySettings } from '../config/index.ts'
import type { Engine } from '../engine.ts'
import { openState, storeState } from '../files/state-folder.ts'
import type { Telemetry } from '../server/telemetry/telemetry.ts'
import { remark } from './output.ts'
import { MEMORY, type Setting } from './setting.ts'

/** What is worked on here is traced, if that is configured. An engine on a cluster is as it was: there the workers trace. */
export async function observed(engine: Engine, setting: Setting): Promise<Engine> {
  return (await observerFor(setting))(engine)
}

/** The same for several engines on one store. */
export async function observerFor(setting: Setting): Promise<(engine: Engine) => Engine> {
  const telemetry = setting.cluster === null ? await telemetryFor(setting) : null
  return telemetry === null ? (engine) => engine : (engine) => telemetry.observe(engine)
}

/** Null if nothing is configured. Engines that it observes send what is left when they are closed. */
export async function telemetryFor(setting: Setting): Promise<Telemetry | null> {
  const settings = telemetrySettings(setting.loaded.config)
  if (settings === null) return null
  // On a cluster a run is sent when it has ended, at once.
  const record = setting.cluster === null ? recordOf(setting, 'telemetry.db') : undefined
  const { openTelemetry } = await import('../server/telemetry/open-telemetry.ts')
  const warn = (message: string) => remark(`thinkon: ${message}`)
  return openTelemetry(settings, { record, warn })
}

/** The path of a record in the state folder, where a repository can't bring it; undefined for runs in memory. */
export function recordOf({ store, workspace }: Setting, name: string): string | undefined {
  return store === MEMORY ? undefined : join(openState(storeState(workspace, store)), name)
}

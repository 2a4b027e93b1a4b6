/** Where the work happens and where runs are stored: as the caller says, or the configuration, or the environment. */
import { join, resolve } from 'node:path'
import type { LoadedConfig } from './load-config.ts'

/** Below the workspace. */
export const DEFAULT_STORE = '.thinkon/runs.db'

interface GivenPlaces {
  /** As given with --workspace and --store. */
  workspace?: string | undefined
  store?: string | undefined
  loaded?: LoadedConfig
  env?: Readonly<Record<string, string | undefined>>
}

/** The store is a file, or ':memory:'. */
export function workPlaces({ workspace, store, loaded, env = process.env }: GivenPlaces) {
  const config = loaded?.config ?? {}
  const folder = resolve(workspace ?? config.workspace ?? '.')
  const chosen = store ?? config.store ?? (env.THINKON_STORE || undefined)
  if (chosen === undefined)
    return { workspace: folder, store: join(folder, DEFAULT_STORE), isDefaultStore: true }
  return { workspace: folder, store: chosen === ':memory:' ? chosen : resolve(chosen), isDefaultStore: false }
}

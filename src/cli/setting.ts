/** Where a command works: the configuration, the workspace and the store. */
import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { chooseHost, clusterSettings, type LoadedConfig, workPlaces } from '../config/index.ts'
import type { EngineOptions } from '../engine.ts'
import { makeFolders, writeFile } from '../files/private-files.ts'
import { postgresPlace } from '../kernel/postgres-place.ts'
import { errorText, ThinkonError } from '../protocol/index.ts'
import { type Strategies, withOwn } from '../strategies/registry.ts'
import type { GivenStrategy } from '../strategies/strategy-module.ts'
import { textOption, type Values } from './command.ts'
import { badInput } from './options.ts'
import { remark } from './output.ts'
import { ownKey } from './own-key.ts'
import { type LoadTrustedOptions, loadTrusted } from './trust/load-trusted.ts'

/** Where things are, according to the command line and the configuration. */
export interface Setting {
  readonly loaded: LoadedConfig
  /** Throws UNTRUSTED if the executors' file or a blueprint is not as it was trusted. */
  checkFile(path: string, text: string): void
  /** Call it before commands of the configuration are started: asks for those whose code can't be checked for changes. */
  confirm(): Promise<void>
  /** The built-in strategies and those of the configuration. */
  readonly strategies: Strategies
  readonly workspace: string
  /** A file, or in words which cluster. */
  readonly store: string
  readonly isDefaultStore: boolean
  /** Where runs are executed and kept; null: by this process, in the store. */
  readonly cluster: ClusterPlace | null
}

export interface ClusterPlace {
  readonly postgres: string
}

export const MEMORY = ':memory:'

export async function readSetting(values: Values): Promise<Setting> {
  const workspaceOption = textOption(values, 'workspace')
  const storeOption = textOption(values, 'store')
  if (storeOption === '') throw badInput('--store is empty: give a file')
  const given = workPlaces({ workspace: workspaceOption })
  if (!isFolder(given.workspace)) throw badInput(`the workspace ${given.workspace} is not a folder`)
  const { loaded, checkFile, confirm } = await loadTrusted(given.workspace, trustOptions(values))
  for (const warning of loaded.warnings ?? []) remark(warning)
  const places = workPlaces({ workspace: workspaceOption, store: storeOption, loaded })
  if (!isFolder(places.workspace)) throw badInput(`the workspace ${places.workspace} is not a folder`)
  const strategies = withOwn(loaded.config.strategies as readonly GivenStrategy[] | undefined)
  const found = { loaded, checkFile, confirm, strategies }
  const host = chooseHost(textOption(values, 'host'), loaded.config)
  if (host === 'cluster') {
    if (storeOption !== undefined)
      throw badInput(
        "--store is a file of this machine; a cluster's runs are in its PostgreSQL: leave it out",
      )
    const { postgres } = clusterSettings({ config: loaded.config, workspace: places.workspace })
    const store = `the cluster at ${postgresPlace(postgres).address}`
    return { ...found, ...places, store, isDefaultStore: false, cluster: { postgres } }
  }
  if (places.store !== MEMORY && isFolder(places.store)) {
    throw badInput(
      `the store ${places.store} is a folder: give a file, such as ${join(places.store, 'runs.db')}`,
    )
  }
  return { ...found, ...places, cluster: null }
}

/** Where an engine finds the runs, and the key that signs them. */
export function placeOfRuns({ store, cluster }: Setting): Pick<EngineOptions, 'store' | 'host' | 'key'> {
  const key = ownKey
  if (cluster === null) return { store, key }
  const { postgres } = cluster
  return { host: async () => (await import('../cluster.ts')).cluster({ postgres, key })() }
}

/** Whether there may be runs: reading makes no store. */
export function hasStore({ store, cluster }: Setting): boolean {
  return cluster !== null || (store !== MEMORY && existsSync(store))
}

/** The same for every command; `untrusted` is set by the command itself, in commands/index.ts. */
export function trustOptions(values: Values): LoadTrustedOptions {
  return {
    untrusted: values.untrusted === 'defaults' ? 'defaults' : 'ask',
    isGiven: values.trust === true,
    json: values.json === true,
    remark,
  }
}

/** Makes the store's folder; the default folder gets a .gitignore. */
export function prepareStore({ store, isDefaultStore, cluster }: Setting): void {
  if (store === MEMORY || cluster !== null) return
  const folder = dirname(store)
  const isNew = !existsSync(folder)
  try {
    makeFolders(folder)
    if (isDefaultStore && isNew) writeFile(join(folder, '.gitignore'), '*\n')
  } catch (cause) {
    throw new ThinkonError('STORE_IO', `the folder of the store can't be created: ${errorText(cause)}`, {
      cause,
    })
  }
}

export function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}

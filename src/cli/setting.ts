/** Where a command works: the configuration, the workspace and the store. */
import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type LoadedConfig, workPlaces } from '../config/index.ts'
import { makeFolders, writeFile } from '../files/private-files.ts'
import { errorText, ThinkonError } from '../protocol/index.ts'
import { type Strategies, withOwn } from '../strategies/registry.ts'
import type { GivenStrategy } from '../strategies/strategy-module.ts'
import { textOption, type Values } from './command.ts'
import { badInput } from './options.ts'
import { remark } from './output.ts'
import { type LoadTrustedOptions, loadTrusted } from './trust/load-trusted.ts'

/** Where things are, according to the command line and the configuration. */
export interface Setting {
  readonly loaded: LoadedConfig
  /** Throws UNTRUSTED if the executors' file or a blueprint is not as it was trusted. */
  checkFile(path: string, text: string): void
  /** The built-in strategies and those of the configuration. */
  readonly strategies: Strategies
  readonly workspace: string
  readonly store: string
  readonly isDefaultStore: boolean
}

export const MEMORY = ':memory:'

export async function readSetting(values: Values): Promise<Setting> {
  const workspaceOption = textOption(values, 'workspace')
  const storeOption = textOption(values, 'store')
  if (storeOption === '') throw badInput('--store is empty: give a file')
  const given = workPlaces({ workspace: workspaceOption })
  if (!isFolder(given.workspace)) throw badInput(`the workspace ${given.workspace} is not a folder`)
  const { loaded, checkFile } = await loadTrusted(given.workspace, trustOptions(values))
  for (const warning of loaded.warnings ?? []) remark(warning)
  const places = workPlaces({ workspace: workspaceOption, store: storeOption, loaded })
  if (!isFolder(places.workspace)) throw badInput(`the workspace ${places.workspace} is not a folder`)
  if (places.store !== MEMORY && isFolder(places.store)) {
    throw badInput(
      `the store ${places.store} is a folder: give a file, such as ${join(places.store, 'runs.db')}`,
    )
  }
  return {
    loaded,
    checkFile,
    strategies: withOwn(loaded.config.strategies as readonly GivenStrategy[] | undefined),
    ...places,
  }
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
export function prepareStore({ store, isDefaultStore }: Setting): void {
  if (store === MEMORY) return
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

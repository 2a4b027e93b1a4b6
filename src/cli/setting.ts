/** Where a command works: the configuration, the workspace and the store. */
import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type LoadedConfig, loadConfig, workPlaces } from '../config/index.ts'
import { makeFolders, writeFile } from '../files/private-files.ts'
import { errorText, ThinkonError } from '../protocol/index.ts'
import { STRATEGIES, type Strategies, withOwn } from '../strategies/registry.ts'
import type { GivenStrategy } from '../strategies/strategy-module.ts'
import { textOption, type Values } from './command.ts'
import { badInput } from './options.ts'
import { remark } from './output.ts'

/** Where things are, according to the command line and the configuration. */
export interface Setting {
  readonly loaded: LoadedConfig
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
  const loaded = await loadConfig(given.workspace, { strategies: [...STRATEGIES.keys()] })
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
    strategies: withOwn(loaded.config.strategies as readonly GivenStrategy[] | undefined),
    ...places,
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

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}

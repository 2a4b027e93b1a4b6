/** Keys that have been renamed. They keep working under their old names, with a warning that has the new one. */
import { isModelObject } from '../kernel/model-choice.ts'
import { keyText } from '../protocol/index.ts'
import type { ThinkonConfig } from './config.ts'
import type { Path } from './positions.ts'
import type { Finding } from './problems.ts'

export const OLD_KEYS: Readonly<Record<string, string>> = { trouble: 'resilience' }

export interface RenamedKeys {
  readonly config: ThinkonConfig
  readonly warnings: readonly Finding[]
  /** Where the old and the new key are both given. */
  readonly problems: readonly Finding[]
}

/** For a configuration that has been checked. */
export function renameOldKeys(config: ThinkonConfig): RenamedKeys {
  const found: { path: Path; isDouble: boolean }[] = []
  function rename<T>(value: T, path: Path): T {
    if (typeof value !== 'object' || value === null || isModelObject(value)) return value
    const entries = Object.entries(value).map(([key, held]) => {
      const name = OLD_KEYS[key]
      if (name === undefined) return [key, held]
      found.push({ path: [...path, key], isDouble: name in value })
      return [name, held]
    })
    return Object.fromEntries(entries)
  }
  const { model, models } = config
  const renamed = {
    ...rename(config, []),
    ...(model && { model: rename(model, ['model']) }),
    ...(models && {
      models: Object.fromEntries(
        Object.entries(models).map(([role, given]) => [role, rename(given, ['models', role])]),
      ),
    }),
  }
  const findings = found.map(({ path, isDouble }) => {
    const name = OLD_KEYS[path.at(-1) as string]
    const message = isDouble
      ? `${keyText(path)} is the old name of "${name}", which is given, too: keep "${name}"`
      : `${keyText(path)} is called "${name}" now: rename the key`
    return { isDouble, finding: { path, atKey: true, message } }
  })
  return {
    config: renamed,
    warnings: findings.filter(({ isDouble }) => !isDouble).map(({ finding }) => finding),
    problems: findings.filter(({ isDouble }) => isDouble).map(({ finding }) => finding),
  }
}

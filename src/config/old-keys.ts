/** Keys that have been renamed. They keep working under their old names, with a warning that has the new one. */
import { isModelObject } from '../kernel/model-choice.ts'
import { defined, isObject, keyText } from '../protocol/index.ts'
import type { ThinkonConfig } from './config.ts'
import type { Path } from './positions.ts'
import type { Finding } from './problems.ts'

export const OLD_KEYS: Readonly<Record<string, string>> = { trouble: 'resilience' }

/** For a configuration that has been checked. Problems: where the old and the new key are both given. */
export function renameOldKeys(config: ThinkonConfig) {
  const warnings: Finding[] = []
  const problems: Finding[] = []
  function rename<T>(value: T, path: Path): T {
    if (!isObject(value) || isModelObject(value)) return value
    const entries = Object.entries(value).map(([key, held]) => {
      const name = OLD_KEYS[key]
      if (name === undefined) return [key, held]
      const old = keyText([...path, key])
      const [list, message] =
        name in value
          ? [problems, `${old} is the old name of "${name}", which is given, too: keep "${name}"`]
          : [warnings, `${old} is called "${name}" now: rename the key`]
      list.push({ path: [...path, key], atKey: true, message })
      return [name, held]
    })
    return Object.fromEntries(entries)
  }
  const whole = rename(config, [])
  const model = config.model && rename(config.model, ['model'])
  const roles = Object.entries(config.models ?? {}).map(([role, given]) => [
    role,
    rename(given, ['models', role]),
  ])
  const models: ThinkonConfig['models'] = config.models && Object.fromEntries(roles)
  const renamed: ThinkonConfig = { ...whole, ...defined({ model, models }) }
  return { config: renamed, warnings, problems }
}

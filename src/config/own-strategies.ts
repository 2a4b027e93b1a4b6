/** The strategies that a configuration names: objects, or files whose default export is one. */
import { resolve } from 'node:path'
import { importFile } from '../files/import-file.ts'
import { errorText, isObject } from '../protocol/index.ts'
import type { StrategyObject } from './config.ts'
import type { Finding } from './problems.ts'
import { isUntrusted } from './read-module.ts'

export async function ownStrategies(given: unknown, folder: string) {
  const strategies: StrategyObject[] = []
  const findings: Finding[] = []
  for (const [i, entry] of Array.isArray(given) ? given.entries() : []) {
    const refuse = (why: string) =>
      findings.push({ path: ['strategies', i], atKey: false, message: `strategies[${i}] ${why}` })
    try {
      const value = typeof entry === 'string' ? await load(resolve(folder, entry)) : entry
      if (isStrategy(value)) strategies.push(value)
      else refuse(NO_STRATEGY)
    } catch (thrown) {
      if (isUntrusted(thrown)) throw thrown
      refuse(`can't be loaded from ${entry}: ${errorText(thrown)}`)
    }
  }
  return { strategies, findings }
}

const NO_STRATEGY =
  'must be a strategy: an object with a name, a version, and load() or solve(); a file exports it as its default'

async function load(path: string): Promise<unknown> {
  return (await importFile(path)).default
}

function isStrategy(value: unknown): value is StrategyObject {
  if (!isObject(value) || typeof value.name !== 'string' || !Number.isInteger(value.version)) return false
  if (!/^[a-z][a-z0-9-]*$/.test(value.name)) return false
  return (
    typeof value.load === 'function' ||
    (typeof value.options === 'function' && typeof value.solve === 'function')
  )
}

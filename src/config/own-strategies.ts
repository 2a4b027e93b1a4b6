/** The strategies that a configuration names: objects, or files whose default export is one. */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { errorText, isObject, ThinkonError } from '../protocol/index.ts'
import type { StrategyObject } from './config.ts'
import type { Finding } from './problems.ts'

export interface OwnStrategies {
  readonly strategies: readonly StrategyObject[]
  readonly findings: readonly Finding[]
}

export async function ownStrategies(given: unknown, folder: string): Promise<OwnStrategies> {
  if (!Array.isArray(given)) return { strategies: [], findings: [] }
  const strategies: StrategyObject[] = []
  const findings: Finding[] = []
  for (const [i, entry] of given.entries()) {
    try {
      strategies.push(asStrategy(typeof entry === 'string' ? await load(entry, folder) : entry))
    } catch (thrown) {
      if (!ThinkonError.isInstance(thrown)) throw thrown
      findings.push({ path: ['strategies', i], atKey: false, message: `strategies[${i}] ${thrown.message}` })
    }
  }
  return { strategies, findings }
}

async function load(file: string, folder: string): Promise<unknown> {
  try {
    const loaded: { default?: unknown } = await import(pathToFileURL(resolve(folder, file)).href)
    return loaded.default
  } catch (cause) {
    throw new ThinkonError('BAD_INPUT', `can't be loaded from ${file}: ${errorText(cause)}`, { cause })
  }
}

function asStrategy(value: unknown): StrategyObject {
  if (isStrategy(value)) return value
  throw new ThinkonError(
    'BAD_INPUT',
    'must be a strategy: an object with a name, a version, and load() or solve(); a file exports it as its default',
  )
}

function isStrategy(value: unknown): value is StrategyObject {
  if (!isObject(value) || typeof value.name !== 'string' || !Number.isInteger(value.version)) return false
  if (!/^[a-z][a-z0-9-]*$/.test(value.name)) return false
  return (
    typeof value.load === 'function' ||
    (typeof value.options === 'function' && typeof value.solve === 'function')
  )
}

/**
 * Checks routes, fallbacks and options of strategies before a run starts: where the problem is, what is allowed, what was probably
 * meant. The messages are the same for a configuration and for a caller's options.
 */
import { isObject } from './json.ts'
import { type KeyPath, keyText } from './key-text.ts'
import { meantOrAll } from './nearest.ts'
import { patternProblem } from './patterns/linear-pattern.ts'
import { type Problem, problemAt, unknownKey, wrongValue } from './problem.ts'
import { BLOCK_KINDS } from './route.ts'

/** Without the names of the strategies, any name is accepted. */
export function routeProblems(key: string, value: unknown, strategies?: readonly string[]): Problem[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) return [wrongValue([key], 'must be a list of routes', value)]
  return value.flatMap((route, i) => {
    const path = [key, i]
    if (!isObject(route)) return [wrongValue(path, 'must be an object with "when" and "use"', route)]
    return [
      ...unknownKeys(path, route, ['when', 'use']),
      ...(route.when === undefined
        ? [missing(path, 'when', 'says which blocks it applies to; {} means all')]
        : whenProblems([...path, 'when'], route.when, strategies)),
      ...(route.use === undefined
        ? [missing(path, 'use', 'names a strategy')]
        : chosenProblems([...path, 'use'], route.use, strategies)),
    ]
  })
}

export function fallbackProblems(key: string, value: unknown, strategies?: readonly string[]): Problem[] {
  return entryProblems(key, value, strategies, (path, use, name) => {
    const same = (isObject(use) ? use.strategy : use) === name
    if (same)
      return [problemAt(path, `${keyText(path)} is "${name}" itself, which has already tried the block`)]
    return chosenProblems(path, use, strategies)
  })
}

export function strategyOptionProblems(
  key: string,
  value: unknown,
  strategies?: readonly string[],
): Problem[] {
  return entryProblems(key, value, strategies, (path, options) =>
    isObject(options) ? [] : [wrongValue(path, 'must be an object with options of the strategy', options)],
  )
}

/** An object whose keys are names of strategies. */
function entryProblems(
  key: string,
  value: unknown,
  strategies: readonly string[] | undefined,
  check: (path: KeyPath, entry: unknown, name: string) => Problem[],
): Problem[] {
  if (value === undefined) return []
  if (!isObject(value)) return [wrongValue([key], 'must be an object keyed by strategy names', value)]
  return Object.entries(value).flatMap(([name, entry]) => {
    const path = [key, name]
    const known = strategies === undefined || strategies.includes(name)
    const unknown = known ? [] : [{ ...unknownStrategy(path, name, strategies), atKey: true }]
    return [...unknown, ...(entry === undefined ? [] : check(path, entry, name))]
  })
}

const WHEN = ['kind', 'depth', 'caller', 'goal']

function whenProblems(path: KeyPath, when: unknown, strategies?: readonly string[]): Problem[] {
  if (!isObject(when)) return [wrongValue(path, `must be an object with any of ${WHEN.join(', ')}`, when)]
  const { kind, depth, caller, goal } = when
  const found = unknownKeys(path, when, WHEN)
  if (kind !== undefined && !(BLOCK_KINDS as readonly unknown[]).includes(kind)) {
    const must = `must be ${BLOCK_KINDS.map((name) => `"${name}"`).join(' or ')}`
    found.push(wrongValue([...path, 'kind'], must, kind, BLOCK_KINDS))
  }
  if (depth !== undefined) found.push(...depthProblems([...path, 'depth'], depth))
  if (caller !== undefined) found.push(...nameProblems([...path, 'caller'], caller, strategies))
  if (goal !== undefined) found.push(...patternProblems([...path, 'goal'], goal))
  return found
}

function depthProblems(path: KeyPath, depth: unknown): Problem[] {
  const must = 'must be a whole number of 0 or more'
  if (!isObject(depth)) return isLevel(depth) ? [] : [wrongValue(path, `${must}, or { from, to }`, depth)]
  const { from, to } = depth
  const found = unknownKeys(path, depth, ['from', 'to'])
  for (const [key, value] of Object.entries({ from, to }))
    if (value !== undefined && !isLevel(value)) found.push(wrongValue([...path, key], must, value))
  if (isLevel(from) && isLevel(to) && from > to)
    found.push(problemAt(path, `${keyText(path)} goes from ${from} to ${to}: no block matches`))
  return found
}

function patternProblems(path: KeyPath, goal: unknown): Problem[] {
  if (typeof goal !== 'string' || goal === '') return [wrongValue(path, 'must be a regular expression', goal)]
  const problem = patternProblem(goal, 'i')
  return problem === undefined
    ? []
    : [problemAt(path, `${keyText(path)} can't be used as a pattern: ${problem}`)]
}

/** A strategy's name, or an object with one and its options. */
function chosenProblems(path: KeyPath, use: unknown, strategies?: readonly string[]): Problem[] {
  if (!isObject(use)) return nameProblems(path, use, strategies)
  const { strategy, options } = use
  const found = unknownKeys(path, use, ['strategy', 'options'])
  if (strategy === undefined) found.push(missing(path, 'strategy', 'names one'))
  else found.push(...nameProblems([...path, 'strategy'], strategy, strategies))
  if (options !== undefined && !isObject(options))
    found.push(wrongValue([...path, 'options'], 'must be an object with options of the strategy', options))
  return found
}

function nameProblems(path: KeyPath, name: unknown, strategies?: readonly string[]): Problem[] {
  if (typeof name !== 'string' || name === '')
    return [wrongValue(path, "must be a strategy's name, or an object with one", name)]
  return strategies === undefined || strategies.includes(name)
    ? []
    : [unknownStrategy(path, name, strategies)]
}

function unknownStrategy(path: KeyPath, name: string, strategies: readonly string[]): Problem {
  return problemAt(path, `${keyText(path)}: strategy "${name}" is unknown${meantOrAll(name, strategies)}`)
}

function unknownKeys(path: KeyPath, value: Record<string, unknown>, known: readonly string[]): Problem[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => unknownKey(path, key, known))
}

function missing(path: KeyPath, key: string, which: string): Problem {
  return problemAt(path, `${keyText(path)} needs "${key}", which ${which}`)
}

function isLevel(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}

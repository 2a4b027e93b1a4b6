/** The goal, the limits and the id of a run. What callers may give is in entrances.ts. */
import { randomUUID } from 'node:crypto'
import {
  core4Problem,
  DEFAULT_LIMITS,
  type Goal,
  goalIntent,
  goalText,
  isObject,
  LIMIT_NAMES,
  type Limits,
  ThinkonError,
} from '../protocol/index.ts'

const MAX_GOAL_BYTES = 256 * 1024

export function checkGoal(goal: Goal): void {
  const problem = goalProblem(goal)
  if (problem !== null) {
    const forms = 'the goal must be a text, or {intent, deliverable, metric, constraint}'
    throw new ThinkonError('BAD_INPUT', problem === '' ? forms : `${forms}: ${problem}`)
  }
  const text = goalText(goal)
  if (goalIntent(goal) === '')
    throw new ThinkonError('BAD_INPUT', 'the goal is empty: say what you want done')
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_GOAL_BYTES) {
    throw new ThinkonError(
      'BAD_INPUT',
      `the goal is ${(bytes / 1024).toFixed(0)} KiB long, at most ${MAX_GOAL_BYTES / 1024} KiB: put the text into a file and name it in the goal`,
      { data: { bytes, max: MAX_GOAL_BYTES } },
    )
  }
}

/** Null for a goal; empty if there is nothing to add. */
function goalProblem(goal: unknown): string | null {
  if (typeof goal === 'string') return null
  return isObject(goal) ? core4Problem(goal) : ''
}

/** Limits that are to be raised, as the caller gave them. */
export function raisableLimits(given: Partial<Limits>): Partial<Limits> | undefined {
  const limits = limitsOf(given)
  const names = (Object.keys(given) as (keyof Limits)[]).filter((name) => given[name] !== undefined)
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, limits[name]]))
}

/** The caller's limits, capped by the strategy's (`own`); defaults fill in the rest. */
export function limitsOf(given: Partial<Limits>, own: Partial<Limits> = {}): Limits {
  const limits = { ...DEFAULT_LIMITS, ...own }
  for (const name of LIMIT_NAMES) {
    // JSON has no infinity: the journal has the largest integer instead.
    const cap = own[name] ?? Number.MAX_SAFE_INTEGER
    const value = given[name]
    if (value !== undefined) limits[name] = Math.min(value, cap)
  }
  return limits
}

const LETTERS = 'abcdefghjkmnpqrstvwxyz0123456789'

/** Sorts by day, is short enough to type, and does not repeat. */
export function newRunId(nowMs: number): string {
  const day = new Date(nowMs).toISOString().slice(2, 10).replaceAll('-', '')
  // The last 48 bits of a UUID are random, and drawn in advance.
  let random = Number.parseInt(randomUUID().slice(-12), 16)
  let tail = ''
  for (let i = 0; i < 7; i++, random = Math.floor(random / 32)) tail += LETTERS[random % 32]
  return `${day}-${tail}`
}

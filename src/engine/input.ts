/** Checks what callers give before anything starts. */
import { randomUUID } from 'node:crypto'
import { LEAST_PROMPT_TOKENS } from '../kernel/brief/prompt-budget.ts'
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

export function checkPromptTokens(given: number | undefined): void {
  if (given === undefined || (Number.isInteger(given) && given >= LEAST_PROMPT_TOKENS)) return
  const message = `promptTokens must be a whole number of ${LEAST_PROMPT_TOKENS} or more, not ${given}`
  throw new ThinkonError('BAD_INPUT', message)
}

/** Limits that are to be raised, as the caller gave them. */
export function raisableLimits(given: Partial<Limits>): Partial<Limits> | undefined {
  const checked = checkLimits(given)
  const names = (Object.keys(given) as (keyof Limits)[]).filter((name) => given[name] !== undefined)
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, checked[name]]))
}

/** The caller's limits, capped by the strategy's (`own`); defaults fill in the rest. */
export function checkLimits(given: Partial<Limits>, own: Partial<Limits> = {}): Limits {
  const limits = { ...DEFAULT_LIMITS, ...own }
  for (const [name, value] of Object.entries(given)) {
    if (!(LIMIT_NAMES as readonly string[]).includes(name)) {
      throw new ThinkonError('BAD_INPUT', `no limit "${name}"; there are: ${LIMIT_NAMES.join(', ')}`)
    }
    if (value === undefined) continue
    const whole = name !== 'costUsd'
    if (
      typeof value !== 'number' ||
      !(value >= 0) ||
      (whole && Number.isFinite(value) && !Number.isInteger(value))
    ) {
      throw new ThinkonError(
        'BAD_INPUT',
        `the limit ${name} must be a ${whole ? 'whole ' : ''}number of 0 or more, not ${value}`,
      )
    }
    // JSON has no infinity: the journal has the largest integer instead.
    const cap = own[name as keyof Limits] ?? Number.MAX_SAFE_INTEGER
    limits[name as keyof Limits] = Math.min(value, cap)
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

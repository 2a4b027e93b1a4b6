/**
 * The loop guard (K5): a repetition is noticed at `maxRepeats`, and refused after that. The order of keys makes no difference.
 *
 * - Actions: the same tool, parameters and result in a row.
 * - Goals: the same sub-goal, normalised, with no new content in its results.
 */
import { stableJson } from '../protocol/index.ts'

export const MAX_REPEATS = 3

export interface Loop {
  kind: 'action' | 'goal'
  what: string
  times: number
}

interface GoalCount {
  times: number
  /** As given: normalised only when the goal comes again, which most never do. */
  first: string
  results: Set<string> | null
}

export class LoopGuard {
  private readonly maxRepeats: number
  /** The first goal and its result, until there is another to compare it with: most blocks of a deep tree have one child. */
  private only: { readonly goal: string; readonly result: string } | null = null
  private goals: Map<string, GoalCount> | null = null
  private lastCall = ''
  private lastAction = ''
  private actionTimes = 0

  constructor(maxRepeats = MAX_REPEATS) {
    this.maxRepeats = maxRepeats
  }

  /** A tool call has ended with a result. */
  actionEnded(name: string, input: unknown, result: unknown): Loop | null {
    const call = callKey(name, input)
    const action = `${call} ${stableJson(result)}`
    this.actionTimes = action === this.lastAction ? this.actionTimes + 1 : 1
    this.lastAction = action
    this.lastCall = call
    return this.actionTimes === this.maxRepeats
      ? { kind: 'action', what: name, times: this.actionTimes }
      : null
  }

  /** Whether the same tool call once more would be spinning. */
  refusesAction(name: string, input: unknown): boolean {
    return this.actionTimes >= this.maxRepeats && callKey(name, input) === this.lastCall
  }

  /** A child has ended with a result. */
  goalEnded(goal: string, result: string): Loop | null {
    if (this.only === null && this.goals === null) {
      this.only = { goal, result }
      return null
    }
    const goals = this.counts()
    const key = normalise(goal)
    const count = goals.get(key)
    if (count === undefined) {
      goals.set(key, { times: 1, first: result, results: null })
      return null
    }
    count.results ??= new Set([normalise(count.first)])
    const content = normalise(result)
    count.times = content === '' || count.results.has(content) ? count.times + 1 : 1
    count.results.add(content)
    return count.times === this.maxRepeats ? { kind: 'goal', what: goal, times: count.times } : null
  }

  refusesGoal(goal: string): boolean {
    if (this.only === null && this.goals === null) return false
    const count = this.counts().get(normalise(goal))
    return count !== undefined && count.times >= this.maxRepeats
  }

  private counts(): Map<string, GoalCount> {
    const { only } = this
    this.goals ??= new Map()
    if (only !== null) this.goals.set(normalise(only.goal), { times: 1, first: only.result, results: null })
    this.only = null
    return this.goals
  }
}

function callKey(name: string, input: unknown): string {
  return `${name} ${stableJson(input)}`
}

function normalise(text: string): string {
  const lower = text.trim().toLowerCase()
  return UNEVEN_SPACE.test(lower) ? lower.replace(/\s+/g, ' ') : lower
}

const UNEVEN_SPACE = /[^\S ]| {2}/

/** The requests that the embedded models answer: a table from kinds of requests to functions. Each strategy has one in its embedded.ts. */

import type { Task } from '../../arithmetic/parse-goal.ts'
import type { ToolCall } from '../../protocol/index.ts'
import type { Mind } from './mind.ts'
import type { Words } from './words.ts'

/** What is known about a request when a kind answers it. */
export interface Analysis {
  readonly goal: string
  readonly task: Task
  /** In the goal's language. */
  readonly words: Words
  /** Names of the tools that may be called. */
  readonly tools: readonly string[]
  /** Who decides; the answer only has the form. */
  readonly mind: Mind
}

/** The same analysis and input give the same value. A CallTools calls tools natively; any other value, or what it resolves to, is the reply. */
export type Answerer<Input> = (analysis: Analysis, input: Input) => unknown

export interface Kind {
  /** The goal that the request is about; undefined if the input is not of this kind. */
  goalOf(input: unknown): string | undefined
  answer(analysis: Analysis, input: unknown): unknown
}

export type Kinds = Readonly<Record<string, Kind>>

/** A kind of request. The goal is `goal` of its input, unless `goalOf` finds it elsewhere. */
export function kind<Input extends object>(
  answer: Answerer<Input>,
  goalOf: (input: Input) => unknown = (input) => (input as { goal?: unknown }).goal,
): Kind {
  return {
    goalOf(input) {
      const goal = typeof input === 'object' && input !== null ? goalOf(input as Input) : undefined
      return typeof goal === 'string' ? goal : undefined
    },
    answer: (analysis, input) => answer(analysis, input as Input),
  }
}

/** A reply that calls tools natively instead of having a value. */
export class CallTools {
  readonly calls: readonly ToolCall[]

  constructor(calls: readonly Omit<ToolCall, 'id'>[]) {
    this.calls = calls.map((call, i) => ({ ...call, id: `call-${i + 1}` }))
  }
}

/** What the worker is asked, and what it answers: plain data. */
import type { ErrorData } from '../../../../protocol/index.ts'

export interface CompleteAsk {
  readonly type: 'complete'
  readonly prompt: string
  readonly maxTokens: number | undefined
  readonly stop: string | undefined
  readonly temperature: number
  readonly topK: number | undefined
  readonly seed: number
}

export interface WeighAsk {
  readonly type: 'weigh'
  readonly prompt: string
  readonly choices: readonly string[]
}

export type Ask = CompleteAsk | WeighAsk

export interface Completion {
  readonly text: string
  /** Of the prompt. */
  readonly inputTokens: number
  /** Of these, those that were not computed for this request. */
  readonly cachedTokens: number
  /** Of the text. */
  readonly outputTokens: number
  readonly ended: 'end' | 'stop' | 'length'
}

export type Answer =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'completion'; readonly completion: Completion }
  | { readonly type: 'shares'; readonly shares: number[] }
  | { readonly type: 'failure'; readonly error: ErrorData }

export type ToWorker =
  | { readonly type: 'ask'; readonly id: number; readonly ask: Ask }
  | { readonly type: 'drop'; readonly id: number }

export type FromWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'unusable'; readonly error: ErrorData }
  | { readonly type: 'answer'; readonly id: number; readonly answer: Answer }

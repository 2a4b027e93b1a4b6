import type { Message, ModelSettings } from './model.ts'

/** What a fork has instead in its last shared event: fields of that event. What is as it was is no edit. */
export interface ForkEdit {
  /** Of a model call (`model-start`): what the model is asked when the fork goes on, instead of what its strategy says. */
  readonly request?: RequestEdit
  /** The result of a step or an answer; of a model's reply what it says. */
  readonly value?: unknown
  readonly [field: string]: unknown
}

/** Everything else of a request, such as its kind, its tools and the form of the reply, stays: the strategy reads the reply by it. */
export interface RequestEdit {
  /** All of them, in order. */
  readonly messages?: readonly Message[]
  /** Those that are given override those that were asked with. */
  readonly settings?: ModelSettings
}

/** What a configuration may set for a model in addition to its settings. */

export interface ModelPrice {
  /** US dollars per million input tokens. */
  readonly input: number
  /** US dollars per million output tokens, reasoning included. */
  readonly output: number
  /** Input from the provider's cache; defaults to `input`. */
  readonly cachedInput?: number
  /** Input that is written to the provider's cache; defaults to `input`. */
  readonly cacheWrite?: number
  /** Rates for the whole request if its input is longer than `above` tokens. */
  readonly long?: { readonly above: number; readonly input: number; readonly output: number }
}

/** What may be asked of a provider, by everyone together who asks it: a process, or all processes that share a PostgreSQL store. */
export interface CallLimits {
  /** Concurrent calls to this provider. */
  maxConcurrent?: number
  /** Requests that begin within any 60 seconds, attempts that fail included. */
  requestsPerMinute?: number
  /** Tokens of the requests that begin within any 60 seconds: reserved by an estimate, then what the provider reports. */
  tokensPerMinute?: number
}

/** How a model deals with a provider that is overloaded, slow or unreachable. */
export interface ResilienceSettings extends CallLimits {
  /** Attempts in all, including the first. */
  maxAttempts?: number
  /** No attempt starts later than this after the first. */
  maxTotalMs?: number
  /** The mean wait doubles from `baseMs` / 2 up to `capMs` / 2. */
  baseMs?: number
  capMs?: number
  /** From sending a request to the first sign of a reply. */
  firstByteMs?: number
  /** Between two signs of life of a reply; any byte is one. */
  idleMs?: number
  /** Between two pieces of a reply: text, reasoning, tool calls. */
  progressMs?: number
  /** From sending a request to the end of its reply. */
  attemptMs?: number
}

/** @deprecated Use `ResilienceSettings`. */
export type TroubleSettings = ResilienceSettings

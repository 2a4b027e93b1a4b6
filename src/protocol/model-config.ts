/** What a configuration may say of a model besides its settings. */

export interface ModelPrice {
  /** US dollars per million input tokens. */
  readonly input: number
  /** US dollars per million output tokens, reasoning included. */
  readonly output: number
  /** Input that the provider had in its cache; the same as `input` unless said otherwise. */
  readonly cachedInput?: number
  /** Other rates for the whole request when its input is longer than `above` tokens. */
  readonly long?: { readonly above: number; readonly input: number; readonly output: number }
}

/** How a model deals with a provider that is overloaded, slow or unreachable. */
export interface ResilienceSettings {
  /** Attempts in all, the first included. */
  maxAttempts?: number
  /** No attempt is begun later than this after the first was. */
  maxTotalMs?: number
  /** The mean wait doubles from `baseMs` / 2 up to `capMs` / 2. */
  baseMs?: number
  capMs?: number
  /** From sending a request to the first sign of a reply. */
  firstByteMs?: number
  /** Between two signs of life of a reply. */
  idleMs?: number
  /** Calls under way at once at this provider. */
  maxConcurrent?: number
}

/** @deprecated Its old name. */
export type TroubleSettings = ResilienceSettings

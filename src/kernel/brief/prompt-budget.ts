/** How many tokens a request may carry. Recorded when a run starts, so that every later process fits the same prompts. */

/** The context window of a model that does not say its own. */
export const DEFAULT_WINDOW = 128_000

/** Less than this holds no rules, no goal and no question. */
export const LEAST_PROMPT_TOKENS = 1_000

/** Beyond this, more text makes a request slower and dearer rather than better. */
export const MAX_PROMPT_TOKENS = 48_000

/** The configured value, but never more than the window; otherwise half of the window, at most MAX_PROMPT_TOKENS. */
export function promptBudget(window: number = DEFAULT_WINDOW, configured?: number): number {
  return configured === undefined
    ? Math.min(Math.floor(window / 2), MAX_PROMPT_TOKENS)
    : Math.min(configured, window)
}

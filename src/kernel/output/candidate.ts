/** The step that checks what may be a run's value, as blocks begin it; check-value.ts performs it, and is loaded for that. */

export const CHECK_VALUE = 'output/check'

/** A text that may be the value or have it in it, or the value. */
export type Candidate = { readonly text: string } | { readonly value: unknown }

/** The caller's own check, by run; what is wrong, in words for the model. Undefined where the run's caller is not here. */
export type OwnCheck = (run: string, value: unknown) => Promise<readonly string[]> | undefined

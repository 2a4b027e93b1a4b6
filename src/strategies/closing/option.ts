/** The option that every strategy has: whether its result is held against the goal before it ends. */
import type { OptionRule } from '../read-options.ts'

export const CHECKS = ['auto', 'always', 'never'] as const

export interface CheckOptions {
  /**
   * Whether the root's result is held against the goal before it ends. `auto`, the default: by program, and by one model call where the
   * goal is not small. `always`: by a model call also where it is. `never`: not at all.
   */
  check?: (typeof CHECKS)[number]
}

/** Without a fallback: what is not given is not passed on to the blocks below either. */
export const CHECK_RULE = {
  type: 'choice',
  choices: CHECKS,
  about: 'whether the result is held against the goal before the run ends',
} as const satisfies OptionRule

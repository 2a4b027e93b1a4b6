import type { Status } from './outcome.ts'

/** One entry of the journal's digest that prompts are made from. Texts are whole: what a request carries of them is the brief's. */
export interface TimelineEntry {
  readonly path: string
  readonly kind: 'plan' | 'tool' | 'child' | 'message' | 'notice' | 'error'
  readonly text: string
  /** Data from outside (a tool's output): fenced in prompts (K10). */
  readonly data?: string
  /** What it is the result of: a sub-goal, a tool with its input. */
  readonly about?: string
  /** By which `read_result` reads it. */
  readonly ref?: string
  /** How a child ended. */
  readonly status?: Status
  /** The strategy that a child was solved by, if it is not its parent's. */
  readonly by?: string
}

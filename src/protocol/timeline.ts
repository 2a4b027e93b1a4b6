/** One line of the journal's digest in prompts. */
export interface TimelineEntry {
  readonly path: string
  readonly kind: 'plan' | 'tool' | 'child' | 'message' | 'notice' | 'error'
  readonly text: string
  /** Data from outside (a tool's output): fenced in prompts (K10). */
  readonly data?: string
}

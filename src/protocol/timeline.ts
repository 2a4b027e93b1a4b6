/** One line of what a prompt is told of the journal. */
export interface TimelineEntry {
  readonly path: string
  readonly kind: 'plan' | 'tool' | 'child' | 'message' | 'notice' | 'error'
  readonly text: string
  /** What came from outside (a tool's output): in a prompt it stands inside a fence (K10). */
  readonly data?: string
}

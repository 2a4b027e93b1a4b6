/** The note that a check leaves in the journal, in blocks of any strategy. */
export interface ResultChecked {
  /** Who looked: a program at what it can count, or a model at all of it. */
  readonly by: 'program' | 'model'
  /** What is wrong; empty where it fits. */
  readonly problems: readonly string[]
  /** The last step was done once more because of them. */
  readonly sentBack: boolean
}

export interface ClosingNotes {
  'result-checked': ResultChecked
}

/** Of a block that makes the tool calls of a reply with callTools. */
export interface ToolCallNotes {
  /** A limit refused a call: the number of calls after it, which were not made. */
  'tool-calls-refused': { readonly refused: number }
}

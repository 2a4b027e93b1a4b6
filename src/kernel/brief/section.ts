/** What a strategy puts into a request: sections of items, each with how much it is needed. */

/** What is shortened last comes first; `whole` is never shortened. */
export type Need = 'whole' | 'first' | 'then' | 'last'

export interface Section {
  readonly need: Need
  /** Stands above the items; nothing does if there are none. */
  readonly title?: string
  /** The oldest first. */
  readonly items: readonly Item[]
  /** By which `read_result` lists all items. */
  readonly ref?: string
}

export interface Item {
  /** What the text is the result of: a sub-goal, a question, a tool with its input. */
  readonly about?: string | Topic
  readonly text: string
  /** The text is data: it stands in a fence with this label. Without it, it is the run's own words or a person's. */
  readonly data?: string
  /** By which `read_result` reads the whole text. */
  readonly ref?: string
}

/** What an item is about, where that may be long itself: it is shortened with the item. */
export interface Topic {
  readonly before?: string
  readonly text: string
  readonly after?: string
  /** By which `read_result` reads the whole of it. */
  readonly ref: string
}

/**
 * A block in its strategy's own form, as plain data: a tree of thoughts, a checklist, a board. A page draws it and runs no code of the
 * strategy; a service sends it as JSON.
 */
import type { Picture } from './picture.ts'

export interface Form {
  /** In a line: how far it is, what it counts. */
  readonly caption: string
  /** From top to bottom. */
  readonly parts: readonly FormPart[]
}

export type FormPart = FormTree | FormList | FormBoard

export interface FormTree {
  readonly kind: 'tree'
  readonly picture: Picture
}

/** Items below each other: a checklist, or a section. */
export interface FormList {
  readonly kind: 'list'
  readonly title: string
  /** Above the items: what was thought about them. */
  readonly text?: string
  readonly items: readonly FormItem[]
  /** A later list has taken its place: it is shown folded. */
  readonly past?: true
}

/** Items by how they stand, in columns beside each other. */
export interface FormBoard {
  readonly kind: 'board'
  readonly columns: readonly FormColumn[]
}

export interface FormColumn {
  readonly title: string
  readonly items: readonly FormItem[]
}

export interface FormItem {
  readonly text: string
  readonly state: ItemState
  /** Its number or index. */
  readonly label?: string
  /** What came out of it, or why it stands as it does. */
  readonly note?: string
  readonly tags?: readonly string[]
  /** What has to be done before, as it is called here: labels. */
  readonly needs?: readonly string[]
  /** How much of it is done, 0 to 1. */
  readonly progress?: number
  /** It is not as it was in the list before. */
  readonly changed?: true
  /** The path of the block that does it. */
  readonly block?: string
  readonly items?: readonly FormItem[]
}

/** `plain`: it is not done or open, only said. `doubt`: it has to be looked at again. */
export type ItemState = 'plain' | 'todo' | 'active' | 'done' | 'doubt' | 'failed' | 'skipped'

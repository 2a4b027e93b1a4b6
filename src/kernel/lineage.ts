/**
 * The blocks above a block, nearest first, as links: a child adds one to those of its parent. A list of its own for each block would take more
 * memory in a chain of hundreds than all the rest of the block. It is made when somebody looks, and as JSON it is one.
 */
import type { Ancestor } from '../protocol/index.ts'

export class Lineage {
  readonly length: number
  readonly nearest: Ancestor
  private readonly above: Ancestors
  private made: readonly Ancestor[] | null = null

  constructor(nearest: Ancestor, above: Ancestors) {
    this.nearest = nearest
    this.above = above
    this.length = above.length + 1
  }

  list(): readonly Ancestor[] {
    this.made ??= this.makeList()
    return this.made
  }

  toJSON(): readonly Ancestor[] {
    return this.list()
  }

  private makeList(): readonly Ancestor[] {
    const all: Ancestor[] = []
    let at: Ancestors = this
    while (at instanceof Lineage) {
      all.push(at.nearest)
      at = at.above
    }
    return all.concat(at)
  }
}

/** As links, or as the list that another process has read. */
export type Ancestors = Lineage | readonly Ancestor[]

export function ancestorList(ancestors: Ancestors): readonly Ancestor[] {
  return ancestors instanceof Lineage ? ancestors.list() : ancestors
}

/** The parent; undefined for the root. */
export function nearestOf(ancestors: Ancestors): Ancestor | undefined {
  return ancestors instanceof Lineage ? ancestors.nearest : ancestors[0]
}

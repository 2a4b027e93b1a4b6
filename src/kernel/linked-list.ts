/** A member of a list, which holds the list's links itself: it can be in one list at a time. */
export interface Linked<T> {
  before: T | null
  after: T | null
}

/**
 * What is under way, in the order in which it began. Like a Set, for members that come and go one by one: a Set makes a new table
 * each time its last member is removed, which takes as long as the rest of a fast step's bookkeeping.
 */
export class LinkedList<T extends Linked<T>> implements Iterable<T> {
  private first: T | null = null
  private last: T | null = null

  get isEmpty(): boolean {
    return this.first === null
  }

  add(member: T): void {
    member.before = this.last
    if (this.last === null) this.first = member
    else this.last.after = member
    this.last = member
  }

  /** The member must be in the list. */
  remove(member: T): void {
    const { before, after } = member
    if (before === null) this.first = after
    else before.after = after
    if (after === null) this.last = before
    else after.before = before
    member.before = null
    member.after = null
  }

  /** Nothing may be removed meanwhile: copy the list first. */
  *[Symbol.iterator](): Generator<T> {
    for (let member = this.first; member !== null; member = member.after) yield member
  }
}

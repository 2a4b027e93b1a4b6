/** What failed, and why: for who goes another way. */
import type { FailedThought } from '../protocol.ts'
import type { Search } from './search.ts'
import type { Thought } from './tree.ts'

/** The children of a thought that failed. */
export function failuresOf(search: Search, { children }: Thought): FailedThought[] {
  return children.flatMap((child) => {
    const errors = errorsOf(search, child)
    return errors === null || child.mergedInto !== null ? [] : [{ content: child.content, errors }]
  })
}

/** What is wrong with it by a program's word, or with all that came after it; null where nothing is known to be. */
function errorsOf(
  search: Search,
  { check, settled, mergedInto, children }: Thought,
): readonly string[] | null {
  if (mergedInto !== null) return errorsOf(search, mergedInto)
  if (check?.is_valid === false) return check.errors
  if (settled?.leads === false) return [settled.reasoning]
  const isSpent = children.length > 0 && children.every((child) => errorsOf(search, child) !== null)
  return isSpent ? [search.words.allFailed] : null
}

/** What one call does best is done in one call: a result that needs no second reader. */

/** `parts`: how many results of other blocks, calls and tools the result was made from. */
export function isTrivial(goal: string, result: string, parts: number): boolean {
  return isSmallGoal(goal) && (parts === 0 || sizeOf(result) <= SMALL_RESULT)
}

/** A sentence or two that ask for one thing. */
export function isSmallGoal(goal: string): boolean {
  return sizeOf(goal) <= SMALL_GOAL && listItems(goal) < 2
}

const SMALL_GOAL = 300
const SMALL_RESULT = 600

/** In characters of English; a Chinese character says about as much as three. */
function sizeOf(text: string): number {
  return text.length + 2 * (text.match(/\p{Script=Han}/gu) ?? []).length
}

function listItems(goal: string): number {
  return goal
    .split('\n')
    .filter((line) => /^\s*(?:[-*•]|\d+[.)、]|[（(]?[a-z一二三四五六七八九十][)）、])\s*\S/.test(line)).length
}

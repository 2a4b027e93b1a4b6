/**
 * A text as an edit of an earlier one: what comes again is a range of the earlier text, also where it has moved. Prompts that are made
 * anew for each step mostly say again what the last one said.
 */

/** New text, or where a range of the earlier text begins, followed by where it ends. */
export type TextEdit = readonly (string | number)[]

/** A shorter range would take as much as the text itself. */
const MIN_RANGE = 16

/**
 * The text as an edit of the base, or null if that is not much shorter. What comes again is looked for line by line, and from where the last
 * range ended: not all that comes again is found, but looking costs little more than reading the text.
 */
export function editOf(base: string, text: string): TextEdit | null {
  const edit: (string | number)[] = []
  let left = text.length / 2
  let addedFrom = 0
  let near = 0
  for (let at = 0; at < text.length && left >= 0; ) {
    const end = text.indexOf('\n', at) + 1 || text.length
    const from = at === 0 ? 0 : find(base, text, at, end, near)
    const length = from === -1 ? 0 : sameFrom(base, from, text, at)
    if (length < MIN_RANGE) {
      left -= end - at
      at = end
      continue
    }
    if (at > addedFrom) edit.push(text.slice(addedFrom, at))
    near = from + length
    edit.push(from, near)
    at += length
    addedFrom = at
  }
  if (left < 0) return null
  if (text.length > addedFrom) edit.push(text.slice(addedFrom))
  return edit
}

/** Where this part of the text is in the base, preferably from `near` on; -1 if nowhere, or if it is too short to be worth it. */
function find(base: string, text: string, at: number, end: number, near: number): number {
  if (end - at < MIN_RANGE) return -1
  const part = text.slice(at, end)
  const found = base.indexOf(part, near)
  return found === -1 && near > 0 ? base.indexOf(part) : found
}

/** How many characters are the same. By the piece, as far as that goes: character by character takes longer. */
function sameFrom(a: string, atA: number, b: string, atB: number): number {
  const most = Math.min(a.length - atA, b.length - atB)
  let same = 0
  for (const piece of PIECES) {
    while (
      same + piece <= most &&
      a.slice(atA + same, atA + same + piece) === b.slice(atB + same, atB + same + piece)
    )
      same += piece
  }
  while (same < most && a.charCodeAt(atA + same) === b.charCodeAt(atB + same)) same++
  return same
}

const PIECES = [256, 32]

/** Throws a TypeError if the text would have more than `most` characters. */
export function applyEdit(base: string, edit: TextEdit, most: number): string {
  let text = ''
  for (let i = 0; i < edit.length; i++) {
    const part = edit[i] as string | number
    text += typeof part === 'string' ? part : base.slice(part, edit[++i] as number)
    if (text.length > most) throw new TypeError('an edit makes a text longer than any that is stored so')
  }
  return text
}

/** Lengths are in UTF-16 units, as in `length`. Nothing here splits a surrogate pair. */

/** The text, or if it is longer than `maxLength`, its beginning and `…`. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  return maxLength <= 0 ? '' : `${text.slice(0, boundary(text, maxLength - 1))}…`
}

/**
 * The text, or if it is longer than `maxLength`, its head and tail with a line between them: `notice`, which gets the number and
 * the start of the characters left out, and adds to the length.
 */
export function shortenMiddle(
  text: string,
  maxLength: number,
  notice: (leftOut: number, from: number) => string,
): string {
  if (text.length <= maxLength) return text
  const from = boundary(text, Math.ceil(maxLength / 2))
  const to = boundary(text, text.length - Math.floor(maxLength / 2))
  return `${text.slice(0, from)}\n${notice(to - from, from)}\n${text.slice(to)}`
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ')
}

/** `at`, or one less if that would split a surrogate pair. */
function boundary(text: string, at: number): number {
  const splits = /[\ud800-\udbff]/.test(text[at - 1] ?? '') && /[\udc00-\udfff]/.test(text[at] ?? '')
  return splits ? at - 1 : at
}

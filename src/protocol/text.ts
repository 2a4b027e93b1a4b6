/** Lengths are in UTF-16 units, as `length` counts them. Nothing here splits a surrogate pair. */

/** At most `maxLength` long: the beginning of a longer text and `…`. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  return maxLength <= 0 ? '' : `${text.slice(0, boundary(text, maxLength - 1))}…`
}

/**
 * Head and tail of a text that is longer than `maxLength`, and between them, on a line of its own, what `notice` says about the
 * `leftOut` characters from `from` on. The notice adds to the length.
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

/** `at`, or one less where that would split a surrogate pair. */
function boundary(text: string, at: number): number {
  const splits = /[\ud800-\udbff]/.test(text[at - 1] ?? '') && /[\udc00-\udfff]/.test(text[at] ?? '')
  return splits ? at - 1 : at
}

/** Brackets that prose and programs have, and that are no lists of values: a[0], String[], [1] for a source, the interval [0, 1]. */

/** An index, a type or a box to tick. */
export function isMark(text: string, at: number): boolean {
  SHORT.lastIndex = at
  const short = SHORT.exec(text)
  if (short === null) return false
  if (/[\w)]/.test(text[at - 1] ?? '')) return true
  const end = at + short[0].length
  return BULLET.test(text.slice(Math.max(0, at - 20), at)) && /^[ \t]{1,3}\S/.test(text.slice(end, end + 4))
}

const SHORT = /\[\s{0,3}(?:-?\d{1,9})?\s{0,3}\]/y
const BULLET = /(?:^|\n)[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+$/

/** Whether a list is calculated with, or named in a sentence that does not say that it is the answer. */
export function isOfProse(before: string, after: string): boolean {
  if (OPERATED.test(after)) return true
  const near = before.slice(-MAX_NEAR)
  if (CALLED.test(near)) return !PRINTED.test(near)
  const line = near.slice(near.lastIndexOf('\n') + 1).replace(OPENING, '')
  return /[\p{L}\p{N}]/u.test(line) && !INTRODUCED.test(line)
}

const MAX_NEAR = 100
const OPENING = /(?:`{3}|~{3})[^`~]*$|["'“‘`(*_\s]+$/
const OPERATED = /^[^\S\n]*(?:\.[a-z]\w*\s*[([]|\.length\b|[*%]+\s*[\w([]|[+/]\s*[\w([]|==)|^[([]/i
const CALLED = /[\p{L}_]\w*\($/u
const PRINTED =
  /(?:print|log|dumps?|stringify|parse|loads|answer|reply|respond|return|submit|finish|output|result|list|array|tuple|json)\($/i
const INTRODUCED =
  /(?:[^\p{L}\p{N}]|(?<![\p{L}\p{N}])(?:is|are|be|was|were|as|so|thus|hence|therefore|finally|here|returns?|returned|answer|result|output|response|reply|list|array|vector|tuple|point|matrix|tags|numbers|json|have|has|get|gets|got|gives?|yields?|obtain|produces?|choose|chose|propose|suggest|pick|say)|[是为得到出果案])$/iu

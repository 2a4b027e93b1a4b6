/** Where in a text its answer stands. */

/** What a text gives as its answer: what follows the last "Answer:", otherwise all of it. */
export function answerText(text: string): string {
  return (answerPart(text) ?? text).trim()
}

/** What follows the last "Answer:" with anything after it, to the end of its line; null where there is none. Who corrects himself says the right one last. */
export function answerPart(text: string): string | null {
  const [, ...parts] = text.split(ANSWER_MARK)
  const lines = parts.map((part) =>
    (part.trim().split('\n')[0] ?? '').replace(/^[*_`$\s]+/, '').replace(/(?<![*_`$.。\s])[*_`$.。\s]+$/, ''),
  )
  return lines.findLast((line) => line !== '') ?? lines.at(-1) ?? null
}

/** With a colon, or right before something to compute. */
const ANSWER_MARK =
  /(?:\b(?:the\s+)?(?:final\s+)?(?:answer|solution)(?:\s+is)?|(?:最终)?(?:答案|解答?)(?:是|为)?)[*_]*\s*(?:[:：]|(?=[\d(（]))/iu

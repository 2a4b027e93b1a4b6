/**
 * What was too long for a request is named in it by the number of its operation (`read_result "1-2/4"`). The run that is answered from a
 * recording may count otherwise than the one that was recorded, where each question to a person has a number of its own: so references
 * are told apart by the order in which they appear.
 */

/** As they stand in JSON: in texts, however deep, as the tool's input, and as the label of what it gave. */
const REF = /(\bread_result \\*"|\\*"ref\\*":\s*\\*"| from=\\*")(\d[^"\\\s/]*\/\d+)(?=\\*")/g
/** What is fenced under such a label has a code that is made of the label, too. */
const FENCE = /\bdata-([0-9a-f]{12}) from=\\*"\d[^"\\\s/]*\/\d+\\*"/g

/** In order, each once. */
export function refsIn(value: unknown): string[] {
  return firstOf(JSON.stringify(value), REF, 2)
}

export function withRefs<T>(value: T, from: readonly string[], to: (at: number) => string): T {
  return from.length === 0 ? value : JSON.parse(renamed(JSON.stringify(value), from, to))
}

/** The same for requests that differ in the numbers alone. */
export function withoutNumbers<T>(value: T): T {
  const text = JSON.stringify(value)
  const codes = firstOf(text, FENCE, 1)
  const plain = codes.reduce((rest, code, at) => rest.replaceAll(code, `#${at}`), text)
  return JSON.parse(renamed(plain, firstOf(text, REF, 2), (at) => `#${at}`))
}

function renamed(text: string, from: readonly string[], to: (at: number) => string): string {
  const places = new Map(from.map((ref, at) => [ref, at]))
  return text.replace(REF, (_, before: string, ref: string) => {
    const at = places.get(ref)
    return before + (at === undefined ? ref : to(at))
  })
}

function firstOf(text: string, pattern: RegExp, group: number): string[] {
  return [...new Set([...text.matchAll(pattern)].map((found) => found[group] as string))]
}

/** One notation for many: full-width forms, the various signs for times and minus, courtesies. */

/** Null if normalising a sign would change the meaning of the text. */
export function normalise(text: string): string | null {
  if (AMBIGUOUS.test(text)) return null
  let plain = text.replaceAll('²', '^2').replaceAll('³', '^3').replaceAll('“', '"').replaceAll('”', '"')
  plain = plain.replace(/[「『」』‘’`]/g, (quote) => (quote === '‘' || quote === '’' ? "'" : '"'))
  plain = plain.normalize('NFKC')
  if (HEXADECIMAL.test(plain)) return null
  for (const [signs, sign] of SIGNS) plain = plain.replace(signs, sign)
  return plain.replace(/[^\S\n]+/g, ' ').trim()
}

/** Removes greetings, courtesies and the final punctuation. */
export function stripCourtesy(text: string): string {
  let rest = text
  for (;;) {
    const next = rest.replace(OPENING, '').replace(CLOSING, '').trim()
    if (next === rest) return rest
    rest = next
  }
}

/** Superscripts other than ² and ³, and fractions of one character: 1½ must not become 11/2. */
const AMBIGUOUS = /[⁰¹⁴-⁹ⁿ₀-₉¼-¾⅐-⅞]/u
const HEXADECIMAL = /\b0x[0-9a-f]/i

const SIGNS: readonly [RegExp, string][] = [
  [/[×✕✖⨯∙⋅·•]/gu, '*'],
  [/[÷∕⁄]/gu, '/'],
  [/[−–—‒﹣]/gu, '-'],
  [/\*\*/g, '^'],
  [/(?<=[\d)]\s*)x(?=\s*[\d(-])/gi, '*'],
]

const OPENING =
  /^(?:(?:please|kindly|hey|hi|hello|ok|okay|now|so)[\s,!]+|(?:can|could|would|will) you (?:please )?|(?:i want you|i'd like you|i need you|your task is|is it possible) to |let'?s |how (?:can|do|could|would) (?:i|we|you|one) |请问|请你?|帮我|帮忙|麻烦你?|你能不能|你能|能不能|能否|如何|怎样|怎么|[\s,:]+)/i
const CLOSING = /(?:[\s.!?。;,]+|[\s,]*(?:please|thanks|thank you|谢谢|好吗))$/i

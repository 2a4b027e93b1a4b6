/** Texts of a run as Markdown. */
import { cleanText, type Outcome } from '../../protocol/index.ts'
import { reasonInWords } from '../reason-words.ts'
import { cleanLine } from '../text-width.ts'
import { type Lang, wordsOf } from '../words.ts'

/** What a heading shows of a text, in characters. */
export const MAX_HEADING = 200

export function heading(text: string): string {
  return inline(text, MAX_HEADING)
}

/** One line without markup: `<` would begin a tag, and stars and underscores are often arithmetic. A `#` is one only at the beginning. */
export function inline(text: string, maxLength = 1_000): string {
  return cleanLine(text, maxLength)
    .replace(/[\\`*_[\]<>|~]/g, '\\$&')
    .replace(/^#/, '\\#')
}

/** A model's text is Markdown already; only its tags are escaped. */
export function paragraph(text: string): string {
  return cleanText(text).trim().replaceAll('<', '&lt;')
}

/** How a block ended that did not complete. */
export function endLine({ status, reason, code }: Outcome, lang: Lang): string {
  return `_${wordsOf(lang).status[status]}${reason === undefined ? '' : `: ${inline(reasonInWords(reason, lang, code))}`}_`
}

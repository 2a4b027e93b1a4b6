/** Texts of a run as Markdown. */
import type { Outcome } from '../../protocol/index.ts'
import { cleanLine, cleanText } from '../text-width.ts'
import { type Lang, wordsOf } from '../words.ts'

export function heading(text: string): string {
  return inline(cleanLine(text, 200))
}

/** One line without markup: `<` would begin a tag, and stars and underscores are often arithmetic. */
export function inline(text: string): string {
  return cleanLine(text, 1_000).replace(/[\\`*_[\]<>#|~]/g, '\\$&')
}

/** A model's text is Markdown already; only its tags are escaped. */
export function paragraph(text: string): string {
  return cleanText(text).trim().replaceAll('<', '&lt;')
}

/** How a block ended that did not complete. */
export function endLine({ status, reason }: Outcome, lang: Lang): string {
  return `_${wordsOf(lang).status[status]}${reason === undefined ? '' : `: ${inline(reason)}`}_`
}

/**
 * What is recorded, in the language of the run. Journals have it in English, whatever the goal: programs, prompts and other runs
 * read them. What a model or a tool said is left as it is.
 */
import type { ErrorCode } from '../protocol/index.ts'
import { ALL, BY_CODE, EVIDENCE, FINDINGS, type Phrase, PROBLEMS, statusInChinese } from './reason-phrases.ts'
import type { Lang } from './words.ts'

/** Why something failed or ended early. `code`: of the failure, where it is known. */
export function reasonInWords(text: string, lang: Lang, code?: ErrorCode): string {
  if (lang !== 'zh') return text
  const known = UNUSABLE.test(text) ? 'INVALID_FORMAT' : code
  return inChinese(inChinese(text, ALL), known === undefined ? [] : (BY_CODE[known] ?? []))
}

/** The problems of a reply follow, also where another block quotes them. */
const UNUSABLE = /(?:the reply|thought \d+) can't be used: |there is no plan that can be used: /

/** What is wrong with a reply or with a result. */
export function problemInWords(text: string, lang: Lang): string {
  return lang === 'zh' ? inChinese(inChinese(reasonInWords(text, lang), FINDINGS), PROBLEMS) : text
}

/** A result or its details: the words of models, among which stand the marks of parts that did not succeed, and what programs found. */
export function resultInWords(text: string, lang: Lang): string {
  if (lang !== 'zh') return text
  const marked = text.replace(MARK, (_, status: string, reason?: string) => {
    const why = reason === undefined ? '' : `：${reasonInWords(reason, lang)}`
    return `[${statusInChinese(status)}${why}]`
  })
  const found = marked.replace(
    OBSERVED,
    (_, head: string, evidence: string) => `${head}(${inChinese(evidence, EVIDENCE)})`,
  )
  return inChinese(found, FINDINGS)
}

/** At the beginning of a line, or behind another mark: `[failed: why]`. */
const MARK = /(?<=^|\] |^- )\[(partial|failed|skipped|cancelled|aborted)(?:: (.*?))?\](?=\s|$)/gm

/** `- 通过: the observation (what was looked at)` */
const OBSERVED = /^(- (?:通过|未通过|无法判定): .* )\((.*)\)$/gm

/** A longer text is left as it is: no reason is so long, and the phrases are looked for everywhere in it. */
const MAX_CHARS = 8_000

function inChinese(text: string, phrases: readonly Phrase[]): string {
  if (text.length > MAX_CHARS) return text
  return phrases.reduce((said, [pattern, words]) => said.replace(pattern, words as string), text)
}

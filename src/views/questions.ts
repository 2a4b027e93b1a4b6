/** Questions to a person: which are open, and which choice an answer means. */
import { cleanText, type PendingQuestion, type Question, type RunState } from '../protocol/index.ts'
import { checkView } from './entrances.ts'
import { requestText } from './request-text.ts'
import { choiceText } from './step-words.ts'
import { cleanLine } from './text-width.ts'
import { LANGS, type Lang } from './words.ts'

export function* openQuestions(state: RunState): Generator<PendingQuestion> {
  if (state.openQuestions === 0) return
  for (const block of state.blocks.values()) yield* block.questions
}

/** Nobody but its caller knows what a tool of the caller's gives, and nobody but a person what a person would say as the model. */
export function isForAnybody({ call, request }: Question): boolean {
  return call === undefined && request === undefined
}

/** The answer of --yes. */
export function unattendedAnswer({ fallback, choices }: Question, lang: Lang): string {
  return fallback ?? choices?.[0] ?? choiceText('yes', lang)
}

/** All that is asked: with the request, where a person is the model. */
export function wholeQuestion({ text, request }: Question, lang: Lang): string {
  return request === undefined ? text : `${text}\n\n${requestText(request, lang)}`
}

/** The lines of a question that has several, so that whoever gives permission sees what for; empty otherwise. */
export function longQuestion(question: Question, lang: Lang): string[] {
  const lines = cleanText(wholeQuestion(question, lang)).trimEnd().split('\n')
  return lines.length === 1 ? [] : lines
}

/**
 * The choice that an answer means: by its text, its number or an unambiguous prefix. With `other`, any text that is no choice is an answer
 * as it is. Without choices any text is; an empty one means the fallback. Undefined if it matches nothing.
 */
export function pickChoice({ choices = [], other, fallback }: Question, given: string): string | undefined {
  const text = given.trim()
  if (text === '') return fallback
  const exact = choices.find((choice) => formsOf(choice).includes(text.toLowerCase()))
  if (exact !== undefined) return exact
  if (choices.length === 0 || other) return text
  const numbered = /^\d+$/.test(text) ? choices[Number(text) - 1] : undefined
  if (numbered !== undefined) return numbered
  const begun = begunBy(text, choices)
  return begun.length === 1 ? begun[0] : undefined
}

/** Why an answer is none, and what would be one. */
export function refusalText({ choices = [], other }: Question, given: string, lang: Lang): string {
  const words = REFUSALS[lang]
  const text = given.trim()
  const listed = choices.map((choice, i) => `${i + 1} ${shownChoice(choice, lang)}`).join(words.comma)
  if (choices.length === 0 || other) return words.empty
  if (text === '') return words.allowed(listed)
  const begun = begunBy(text, choices).map((choice) => shownChoice(choice, lang))
  const quoted = cleanLine(text, 60)
  return begun.length > 1 ? words.several(quoted, begun.join(words.comma)) : words.none(quoted, listed)
}

function begunBy(text: string, choices: readonly string[]): string[] {
  return choices.filter((choice) => formsOf(choice).some((form) => form.startsWith(text.toLowerCase())))
}

function formsOf(choice: string): string[] {
  return LANGS.map((lang) => choiceText(choice, lang).toLowerCase())
}

export function shownChoice(choice: string, lang: Lang): string {
  checkView('shownChoice', [choice, lang])
  return cleanLine(choiceText(choice, lang), 60)
}

interface RefusalWords {
  comma: string
  empty: string
  allowed(listed: string): string
  none(text: string, listed: string): string
  several(text: string, begun: string): string
}

const REFUSALS: Record<Lang, RefusalWords> = {
  en: {
    comma: ', ',
    empty: 'type an answer',
    allowed: (listed) => `an answer is a number, a choice or its beginning: ${listed}`,
    none: (text, listed) =>
      `“${text}” is no choice; answer with a number, a choice or its beginning: ${listed}`,
    several: (text, begun) => `“${text}” could be ${begun}: type more of it`,
  },
  zh: {
    comma: '、',
    empty: '请输入回答',
    allowed: (listed) => `请输入编号、选项或选项的开头：${listed}`,
    none: (text, listed) => `没有“${text}”这个选项；请输入编号、选项或选项的开头：${listed}`,
    several: (text, begun) => `“${text}”可以指 ${begun}：请多输入几个字`,
  },
}

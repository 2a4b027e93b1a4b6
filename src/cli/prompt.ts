/** The open question below the tree, and the answer that is typed there. */
import { checkAnswer } from '../engine/check-answer.ts'
import { errorText, type PendingQuestion, type RunState } from '../protocol/index.ts'
import { type Line, segment } from '../views/line.ts'
import { longQuestion, openQuestions, shownChoice } from '../views/questions.ts'
import { cleanLine, fitText, textWidth, wrapText, wrapWords } from '../views/text-width.ts'
import { type Lang, type Words, wordsOf } from '../views/words.ts'
import type { Key } from './keys.ts'
import { type Draft, draftText, EMPTY_DRAFT, editedDraft, shownDraft } from './line-editor.ts'

export interface Prompt {
  /** The answer, when it is complete. */
  press(asking: PendingQuestion, key: Key): { readonly value: unknown } | undefined
  /** `cursor`: its column in the last line. */
  show(
    asking: PendingQuestion | undefined,
    state: RunState,
    room: { width: number; maxLines: number },
  ): { lines: Line[]; cursor: number | null }
}

const SIGN = '› '

export function createPrompt(lang: Lang, keyboard: boolean): Prompt {
  let about = 0
  let draft: Draft = EMPTY_DRAFT
  let refused = ''
  /** The page of a question that does not fit; all of them must have been shown before `always`. */
  let page = 0
  let seen = 1
  let pages = 1
  /** What was typed for one question is not the answer to the next. */
  const turnTo = (asking: PendingQuestion | undefined) => {
    const next = asking?.id ?? 0
    if (next === about) return
    about = next
    draft = EMPTY_DRAFT
    refused = ''
    page = 0
    seen = 1
    pages = 1
  }
  return {
    press(asking, key) {
      turnTo(asking)
      refused = ''
      if (key.name !== 'enter') {
        draft = editedDraft(draft, key)
        return undefined
      }
      const text = draftText(draft)
      // The fallback is taken when all of the question was shown.
      if (text === '' && pages > 1 && (asking?.fallback === undefined || seen < pages)) {
        page = (page + 1) % pages
        seen = Math.max(seen, page + 1)
        return undefined
      }
      draft = EMPTY_DRAFT
      try {
        const value = checkAnswer(asking, numbered(asking, text), lang)
        if (seen >= pages || !String(value).startsWith('always')) return { value }
        refused = wordsOf(lang).seeAll
        return undefined
      } catch (thrown) {
        refused = errorText(thrown)
        return undefined
      }
    },
    show(asking, state, { width, maxLines }) {
      turnTo(asking)
      if (asking === undefined) return { lines: [], cursor: null }
      const shown = questionLines(asking, state, {
        width,
        maxLines,
        lang,
        page: keyboard ? page : null,
        seen,
      })
      pages = shown.pages
      const { lines } = shown
      for (const row of refused === '' ? [] : wrapWords(refused, width - 2).slice(0, 3))
        lines.push([segment(`  ${row}`, 'bad')])
      if (!keyboard) {
        if (shown.isCut) lines.push([segment(`  thinkon questions ${state.run} --whole`, 'dim')])
        lines.push([segment(`  thinkon answer ${state.run} ${asking.id} …`, 'dim')])
        return { lines, cursor: null }
      }
      const typed = shownDraft(draft, width - SIGN.length)
      lines.push([segment(SIGN, 'ask'), segment(typed.text)])
      return { lines, cursor: SIGN.length + typed.cursor }
    },
  }
}

interface Paging {
  width: number
  maxLines: number
  lang: Lang
  /** Null without a keyboard. */
  page: number | null
  /** The number of pages that were shown. */
  seen: number
}

function questionLines(
  question: PendingQuestion,
  state: RunState,
  { width, maxLines, lang, page, seen }: Paging,
): { lines: Line[]; pages: number; isCut: boolean } {
  const { path, fallback } = question
  const text = cleanLine(question.text)
  const questions = [...openQuestions(state)].length
  const more = questions > 1 ? ` (1/${questions})` : ''
  const long = longQuestion(question, lang)
  const head = long[0] === undefined ? text : long[0]
  const lines: Line[] = [[], [segment(fitText(`${path} ${head}${more}`, width), 'ask')]]
  const rows = long.slice(1).flatMap((line) => wrapText(line, width))
  const size = Math.max(1, maxLines - 1)
  const isPaged = page !== null && rows.length > maxLines
  const pages = isPaged ? Math.ceil(rows.length / size) : 1
  const choices = shownChoices(question, seen >= pages, lang)
  // The terminal may have grown.
  const at = Math.min(page ?? 0, pages - 1)
  const part = isPaged ? rows.slice(at * size, (at + 1) * size) : cutMiddle(rows, maxLines, wordsOf(lang))
  for (const row of part) lines.push([segment(row)])
  if (isPaged && (fallback === undefined || seen < pages))
    lines.push([segment(`  ${wordsOf(lang).page(at + 1, pages)}`, 'dim')])
  for (const row of choiceRows(choices, width)) lines.push([segment(row, 'strong')])
  return { lines, pages, isCut: !isPaged && rows.length > maxLines }
}

/** The fallback is a choice when all of the question was shown. */
function shownChoices(
  { choices = [], other, fallback }: PendingQuestion,
  isSeen: boolean,
  lang: Lang,
): string[] {
  return [
    ...choices.map((choice, i) => `${i + 1} ${shownChoice(choice, lang)}`),
    ...(other ? [wordsOf(lang).otherAnswer] : []),
    ...(fallback !== undefined && isSeen ? [`⏎ ${shownChoice(fallback, lang)}`] : []),
  ]
}

/** The numbers of choices are shown here, so that one is taken also where other texts are answers. */
function numbered({ choices = [], other }: PendingQuestion, text: string): string {
  return (other && /^\d+$/.test(text.trim()) ? choices[Number(text) - 1] : undefined) ?? text
}

/** All choices can be seen, however narrow the screen is. */
function choiceRows(choices: readonly string[], width: number): string[] {
  const rows: string[] = []
  for (const choice of choices) {
    const longer = `${rows.at(-1) ?? ' '}${rows.length === 0 ? ' ' : '   '}${choice}`
    if (rows.length > 0 && textWidth(longer) > width) rows.push(fitText(`  ${choice}`, width))
    else rows.splice(-1, 1, fitText(longer, width))
  }
  return rows
}

/** Cuts the middle because the end of a long question may be the part that matters. */
function cutMiddle(lines: readonly string[], maxLines: number, words: Words): string[] {
  if (lines.length <= maxLines) return [...lines]
  const head = Math.ceil((maxLines - 1) / 2)
  const leftOut = lines.length - maxLines + 1
  return [...lines.slice(0, head), `  [… ${words.moreLines(leftOut)} …]`, ...lines.slice(head + leftOut)]
}

/** Questions to a person: which are open, and what an answer stands for. */
import type { OpenQuestion, RunState } from '../protocol/index.ts'
import { cleanText } from '../views/text-width.ts'

export function* openQuestions(state: RunState): Generator<[path: string, open: OpenQuestion]> {
  if (state.openQuestions === 0) return
  for (const block of state.blocks.values()) {
    for (const open of block.questions) yield [block.path, open]
  }
}

/** A question that does not fit on one line, line by line: whoever gives leave sees what for. */
export function longQuestion({ question }: OpenQuestion): string[] {
  const lines = cleanText(question?.text ?? '')
    .trimEnd()
    .split('\n')
  return lines.length === 1 ? [] : lines
}

/**
 * What an answer stands for: a choice by its number, its text or the only one it begins; any text where there are no
 * choices; the fallback where it is empty. Undefined when it is none of these.
 */
export function pickChoice({ question }: OpenQuestion, given: string): string | undefined {
  const text = given.trim()
  const choices = question?.choices ?? []
  if (text === '') return question?.fallback
  if (choices.length === 0) return text
  const exact = choices.find((choice) => choice.toLowerCase() === text.toLowerCase())
  if (exact !== undefined) return exact
  const numbered = /^\d+$/.test(text) ? choices[Number(text) - 1] : undefined
  if (numbered !== undefined) return numbered
  const begun = choices.filter((choice) => choice.toLowerCase().startsWith(text.toLowerCase()))
  return begun.length === 1 ? begun[0] : undefined
}

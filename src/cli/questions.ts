/** Questions to a person: which are open, and which choice an answer means. */
import { cleanText, type OpenQuestion, type Question, type RunState } from '../protocol/index.ts'

export function* openQuestions(state: RunState): Generator<[path: string, open: OpenQuestion]> {
  if (state.openQuestions === 0) return
  for (const block of state.blocks.values()) {
    for (const open of block.questions) yield [block.path, open]
  }
}

/** The answer of --yes. */
export function unattendedAnswer({ fallback, choices }: Question): string {
  return fallback ?? choices?.[0] ?? 'yes'
}

/** The lines of a question that has several, so that whoever gives permission sees what for; empty otherwise. */
export function longQuestion({ question }: OpenQuestion): string[] {
  const lines = cleanText(question?.text ?? '')
    .trimEnd()
    .split('\n')
  return lines.length === 1 ? [] : lines
}

/**
 * The choice that an answer means: by number, by text, or by an unambiguous prefix. Any text where there are no choices, the
 * fallback where the answer is empty. Undefined if it matches nothing.
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

/** A chain of thought as a trace in Markdown: each thought with its evaluation, its thinking and its plan; then the solution. */
import { endLine, heading, inline, paragraph } from '../../../views/formats/markdown-text.ts'
import { pictureWords } from '../../../views/formats/picture-words.ts'
import type { Lang } from '../../../views/words.ts'
import type { Plan, Thought } from '../notes.ts'
import { CHAIN_WORDS, stepMark, type ThoughtChain } from './thought-chain.ts'

export function chainMarkdown({ problem, thoughts, outcome }: ThoughtChain, lang: Lang): string {
  const words = pictureWords(lang)
  const parts = [`# ${heading(problem)}`]
  if (thoughts.length === 0) parts.push(`_${words.empty}_`)
  for (const thought of thoughts) parts.push(...thoughtParts(thought, lang))
  const last = thoughts.at(-1)
  const solution = outcome?.result || (last?.next_thought_needed === false ? last.current_thinking : '')
  if (solution !== '') parts.push(`## ${words.solution}`, paragraph(solution))
  if (outcome !== null && outcome.status !== 'completed') parts.push(endLine(outcome, lang))
  return `${parts.join('\n\n')}\n`
}

function thoughtParts(
  { thought_number, evaluation, current_thinking, planning }: Thought,
  lang: Lang,
): string[] {
  const words = CHAIN_WORDS[lang]
  const parts = [`## ${capital(words.thought)} ${thought_number}`]
  if (evaluation) parts.push(`**${capital(words.evaluation)}:** ${paragraph(evaluation)}`)
  parts.push(paragraph(current_thinking))
  if (planning.length > 0)
    parts.push(`**${pictureWords(lang).plan}**`, checklist(planning, words.verify).join('\n'))
  return parts
}

function checklist(plan: Plan, verify: string, indent = ''): string[] {
  return plan.flatMap((step) => {
    const result = step.result ? `: ${inline(step.result)}` : ''
    const mark = step.mark ? ` (${verify}: ${inline(step.mark)})` : ''
    const line = `${indent}- ${stepMark(step)} ${inline(step.description)}${result}${mark}`
    return [line, ...checklist(step.sub_steps ?? [], verify, `${indent}  `)]
  })
}

function capital(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
}

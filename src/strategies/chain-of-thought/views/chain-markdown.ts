/** A chain of thought as a trace in Markdown: each thought with its evaluation, its thinking and its plan; then the solution. */
import { endLine, heading, inline, MAX_HEADING, paragraph } from '../../../views/formats/markdown-text.ts'
import { pictureWords } from '../../../views/formats/picture-words.ts'
import type { Lang } from '../../../views/words.ts'
import type { Plan, Thought } from '../notes.ts'
import { CHAIN_WORDS, capital, stepMark, type ThoughtChain } from './thought-chain.ts'

export function chainMarkdown({ problem, thoughts, outcome }: ThoughtChain, lang: Lang): string {
  const words = pictureWords(lang)
  const parts = [`# ${heading(problem)}`]
  if (problem.length > MAX_HEADING) parts.push(paragraph(problem))
  if (thoughts.length === 0) parts.push(`_${words.empty}_`)
  for (const thought of thoughts) parts.push(...thoughtParts(thought, lang))
  const last = thoughts.at(-1)
  const solution = last?.next_thought_needed === false ? last.current_thinking : ''
  const result = outcome?.result || solution
  if (result !== '') parts.push(`## ${solution === '' ? words.result : words.solution}`, paragraph(result))
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
    const result = step.result ? resultAfter(step.result, `${indent}  `) : ''
    const mark = step.mark ? ` (${verify}: ${inline(step.mark, Infinity)})` : ''
    const line = `${indent}- ${stepMark(step)} ${inline(step.description, Infinity)}${mark}${result}`
    return [line, ...checklist(step.sub_steps ?? [], verify, `${indent}  `)]
  })
}

/** One of several lines stands below its step, as it is. */
function resultAfter(result: string, indent: string): string {
  if (!result.trim().includes('\n')) return `: ${inline(result, Infinity)}`
  return `:\n\n${paragraph(result).replace(/^(?=.)/gm, indent)}\n`
}

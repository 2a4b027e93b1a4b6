/** A chain of thought as a trace in Markdown. */
import { endLine, heading, inline, paragraph } from '../../../views/formats/markdown-text.ts'
import type { Lang } from '../../../views/words.ts'
import { type ChainThought, type PlanStep, stepMark, stepsOf, type ThoughtChain } from './thought-chain.ts'

/** Each thought with its number, evaluation, thinking and plan; then the solution. */
export function chainMarkdown({ problem, thoughts, outcome }: ThoughtChain, lang: Lang): string {
  const words = WORDS[lang]
  const parts = [`# ${heading(problem)}`]
  if (thoughts.length === 0) parts.push(`_${words.empty}_`)
  for (const thought of thoughts) parts.push(...thoughtParts(thought, words))
  const last = thoughts.at(-1)
  const solution = outcome?.result || (last?.next_thought_needed === false ? last.current_thinking : '')
  if (solution !== '') parts.push(`## ${words.solution}`, paragraph(solution))
  if (outcome !== null && outcome.status !== 'completed') parts.push(endLine(outcome, lang))
  return `${parts.join('\n\n')}\n`
}

function thoughtParts(thought: ChainThought, words: ChainWords): string[] {
  const { thought_number, evaluation, current_thinking, planning } = thought
  const parts = [`## ${words.thought} ${thought_number}`]
  if (evaluation) parts.push(`**${words.evaluation}:** ${paragraph(evaluation)}`)
  parts.push(paragraph(current_thinking))
  if (planning.length > 0) parts.push(`**${words.plan}**`, checklist(planning, words).join('\n'))
  return parts
}

function checklist(steps: readonly PlanStep[], words: ChainWords, indent = ''): string[] {
  return steps.flatMap((step) => {
    const result = step.result ? `: ${inline(step.result)}` : ''
    const mark = step.mark ? ` (${words.verify}: ${inline(step.mark)})` : ''
    const line = `${indent}- ${stepMark(step)} ${inline(step.description)}${result}${mark}`
    return [line, ...checklist(stepsOf(step.sub_steps), words, `${indent}  `)]
  })
}

interface ChainWords {
  readonly thought: string
  readonly evaluation: string
  readonly plan: string
  readonly verify: string
  readonly solution: string
  readonly empty: string
}

const WORDS: Readonly<Record<Lang, ChainWords>> = {
  en: {
    thought: 'Thought',
    evaluation: 'Evaluation',
    plan: 'Plan',
    verify: 'verify',
    solution: 'Solution',
    empty: 'Nothing has happened yet.',
  },
  zh: {
    thought: '思考',
    evaluation: '评估',
    plan: '计划',
    verify: '待验证',
    solution: '解答',
    empty: '尚无内容。',
  },
}

import { pictureWords } from '../../views/formats/picture-words.ts'
import type { Lang } from '../../views/words.ts'
import { formatPlan } from './plan.ts'
import type { Thought } from './schema.ts'
import { CHAIN_WORDS, capital, thoughtName } from './views/thought-chain.ts'

/** A thought as the document's `post` prints it: number, thinking and plan; the one that concludes with the solution, too. */
export function formatThought(thought: Thought, lang: Lang = 'en'): string {
  const { evaluation, current_thinking, planning, next_thought_needed } = thought
  const words = pictureWords(lang)
  const thinking = evaluation === undefined ? current_thinking : `${evaluation}\n${current_thinking}`
  const parts = [`${capital(thoughtName(thought, CHAIN_WORDS[lang]))}:`, indented(thinking)]
  if (planning.length > 0) parts.push(`${words.plan}:`, indented(formatPlan(planning)))
  if (!next_thought_needed) parts.push(`${words.solution}:`, current_thinking)
  return `${parts.join('\n')}\n`
}

function indented(text: string): string {
  return text.trimEnd().replace(/^(?=.)/gm, '  ')
}

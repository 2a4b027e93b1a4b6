/** The chain as checklists, one thought after another: the last one open, with what it has changed. */
import type { Form, FormItem, FormList, ItemState } from '../../../views/form.ts'
import type { Lang } from '../../../views/words.ts'
import type { PlanStep, Thought } from '../notes.ts'
import {
  CHAIN_WORDS,
  type ChainWords,
  capital,
  countSteps,
  type ThoughtChain,
  thoughtName,
} from './thought-chain.ts'

export function chainForm({ thoughts }: ThoughtChain, lang: Lang): Form | null {
  const last = thoughts.at(-1)
  if (last === undefined) return null
  const words = CHAIN_WORDS[lang]
  const { done, all, verify } = countSteps(last.planning)
  return {
    caption: [thoughtName(last, words), words.counts(done, all, verify)].join(' · '),
    parts: thoughts.map((thought, i) => thoughtList(thought, thoughts[i - 1], thought === last, words)),
  }
}

function thoughtList(
  thought: Thought,
  before: Thought | undefined,
  isLast: boolean,
  words: ChainWords,
): FormList {
  const { evaluation = '', current_thinking, planning } = thought
  const judged = evaluation === '' ? '' : `${capital(words.evaluation)}: ${evaluation}`
  const known = before === undefined ? null : new Set(keysOf(before.planning))
  return {
    kind: 'list',
    title: capital(thoughtName(thought, words)),
    text: [judged, current_thinking].filter((text) => text !== '').join('\n\n'),
    items: stepItems(planning, known, words),
    ...(!isLast && { past: true }),
  }
}

function stepItems(
  steps: readonly PlanStep[],
  known: ReadonlySet<string> | null,
  words: ChainWords,
  above = '',
): FormItem[] {
  return steps.map((step, i) => {
    const { description, status, result, mark, strategy, sub_steps = [] } = step
    const label = `${above}${i + 1}`
    const tags = [
      ...(mark ? [`${words.verify}: ${mark}`] : []),
      ...(strategy === undefined ? [] : [strategy]),
    ]
    return {
      text: description,
      state: STATES[status] ?? 'todo',
      label,
      ...(result && { note: result }),
      ...(tags.length > 0 && { tags }),
      ...(known !== null && !known.has(keyOf(step)) && { changed: true }),
      ...(sub_steps.length > 0 && { items: stepItems(sub_steps, known, words, `${label}.`) }),
    }
  })
}

const STATES: Readonly<Record<string, ItemState>> = {
  Pending: 'todo',
  Done: 'done',
  'Verification Needed': 'doubt',
}

function keysOf(steps: readonly PlanStep[]): string[] {
  return steps.flatMap((step) => [keyOf(step), ...keysOf(step.sub_steps ?? [])])
}

/** A step is another one if anything that is shown of it is. */
function keyOf({ description, status, result, mark }: PlanStep): string {
  return JSON.stringify([description, status, result ?? '', mark ?? ''])
}

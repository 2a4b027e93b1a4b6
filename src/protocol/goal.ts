import { languageOf } from './language.ts'
import { meantText } from './nearest.ts'
import { oneLine, shorten } from './text.ts'

/** What a block is asked to reach: plain text, or the four parts that make a goal checkable. */
export type Goal = string | Core4

export interface Core4 {
  intent: string
  deliverable: string
  metric: string
  constraint: string
}

/** The goal as one text, the same for prompts, views and the loop guard. */
export function goalText(goal: Goal): string {
  if (typeof goal === 'string') return goal
  const [, ...others] = goalParts(goal)
  return [goal.intent, ...others.map(([label, text]) => `${label}: ${text}`)].join('\n')
}

/** The four parts under their names, in the goal's language. */
export function goalParts(goal: Core4): readonly (readonly [label: string, text: string])[] {
  const labels = LABELS[languageOf(goal.intent)]
  return PARTS.map((part, i) => [labels[i] as string, goal[part]])
}

/** Why an object is not a goal; null if it is one. */
export function core4Problem(value: object): string | null {
  const given = value as Readonly<Record<string, unknown>>
  const problems = PARTS.filter((part) => typeof given[part] !== 'string').map((part) =>
    given[part] === undefined ? `"${part}" is missing` : `"${part}" must be a text`,
  )
  for (const name of Object.keys(given)) {
    if ((PARTS as readonly string[]).includes(name)) continue
    problems.push(`"${name}" is not one of them${meantText(name, PARTS)}`)
  }
  return problems.length === 0 ? null : problems.join('; ')
}

const PARTS = ['intent', 'deliverable', 'metric', 'constraint'] as const

const LABELS = {
  en: ['Intent', 'Deliverable', 'Metric', 'Constraint'],
  zh: ['意图', '交付物', '度量', '约束'],
} as const

/** What the goal is about: all of a plain one, the intent of one in four parts. */
export function goalIntent(goal: Goal): string {
  return (typeof goal === 'string' ? goal : goal.intent).trim()
}

/** The goal on one line, for trees and messages. */
export function goalTitle(goal: Goal, maxLength = 72): string {
  return shorten(oneLine(goalIntent(goal)), maxLength)
}

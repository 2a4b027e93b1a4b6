/** What a block is asked to reach: plain text, or the four parts that make a goal checkable. */
export type Goal = string | Core4

export interface Core4 {
  intent: string
  deliverable: string
  metric: string
  constraint: string
}

/** One text for one goal, so that prompts, views and the loop guard agree on what it says. */
export function goalText(goal: Goal): string {
  if (typeof goal === 'string') return goal
  const [deliverable, metric, constraint] = /\p{Script=Han}/u.test(goal.intent) ? PARTS.zh : PARTS.en
  return `${goal.intent}\n${deliverable}: ${goal.deliverable}\n${metric}: ${goal.metric}\n${constraint}: ${goal.constraint}`
}

const PARTS = {
  en: ['Deliverable', 'Metric', 'Constraint'],
  zh: ['交付物', '度量', '约束'],
} as const

/** The goal on one line, for trees and messages. */
export function goalTitle(goal: Goal, maxLength = 72): string {
  const text = (typeof goal === 'string' ? goal : goal.intent).trim().replace(/\s+/g, ' ')
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text
}

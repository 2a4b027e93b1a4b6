import type { Verdict } from '../../kernel/deed.ts'
import type { Rule } from './policy.ts'

export interface Decision {
  readonly verdict: Verdict
  /** The rule that decided, as it was written; or the reason, if it was not a rule. */
  readonly rule: string
  readonly level: number
  /** What a person should know who is asked. */
  readonly why?: string
}

export const NO_RULE: Decision = { verdict: 'ask', rule: 'no rule', level: -1 }

export type Fits = (pattern: string, verdict: Verdict) => boolean

/** Of the most specific rules, those without a pattern and those whose pattern fits, the strictest. */
export function winner(rules: readonly Rule[], fits: Fits): Decision {
  let best = NO_RULE
  for (const { verdict, text, level, pattern } of rules) {
    if (pattern !== null && !fits(pattern, verdict)) continue
    const isStricter = STRICTNESS[verdict] > STRICTNESS[best.verdict]
    if (level > best.level || (level === best.level && isStricter)) best = { verdict, rule: text, level }
  }
  return best
}

/** Of two that ask, the more specific one: it says more, and `always` covers less. */
export function strictest(a: Decision, b: Decision): Decision {
  const more = STRICTNESS[b.verdict] - STRICTNESS[a.verdict]
  return more > 0 || (more === 0 && b.level > a.level) ? b : a
}

const STRICTNESS: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 }

/** What of each limit is spent, and what is held by what is under way. */
import type { RunState } from 'thinkon/protocol'
import { costText, countText, durationText, tokensOf } from 'thinkon/views'
import { useWords } from '../preferences.ts'
import { RUN_WORDS } from './words.ts'

export function BudgetBars({ state }: { state: RunState }) {
  const words = useWords(RUN_WORDS)
  const { limits, usage, held, activeMs } = state
  if (limits === null) return null
  const bars = [
    { name: words.calls, of: limits.calls, spent: usage.calls, held: held.calls, text: countText },
    { name: words.tokens, of: limits.tokens, spent: tokensOf(usage), held: held.tokens, text: countText },
    { name: words.time, of: limits.timeMs, spent: activeMs, held: 0, text: durationText },
    { name: words.cost, of: limits.costUsd, spent: usage.costUsd ?? 0, held: held.costUsd, text: costText },
  ]
  return (
    <ul className="bars" aria-label={words.budget}>
      {bars.map(({ name, of, spent, held: kept, text }) => (
        <li
          key={name}
          className="bar"
          title={`${name}: ${text(spent)} / ${text(of)}${kept > 0 ? ` (+${text(kept)} ${words.held})` : ''}`}
        >
          <span className="bar-name">{name}</span>
          <span className="bar-text numbers">{text(spent)}</span>
          <svg className="bar-line" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
            <rect className="bar-all" width="100" height="4" />
            <rect className="bar-held" width={share(spent + kept, of)} height="4" />
            <rect className="bar-spent" width={share(spent, of)} height="4" />
          </svg>
        </li>
      ))}
    </ul>
  )
}

function share(part: number, whole: number): number {
  return whole > 0 && Number.isFinite(whole) ? Math.min(100, (part / whole) * 100) : 0
}

/** What of each limit is spent, and what is held by what is under way. */
import { useMemo } from 'react'
import type { RunState } from 'thinkon/protocol'
import { costText, countText, durationText, tokensOf } from 'thinkon/views'
import type { Moment } from '../data/run-log.ts'
import { useWords } from '../preferences.ts'
import { RUN_WORDS } from './words.ts'

interface Props {
  moment: Moment
  /** Nobody works on it. */
  hasStopped: boolean
}

export function BudgetBars({ moment, hasStopped }: Props) {
  const words = useWords(RUN_WORDS)
  const { state, nowMs } = moment
  const { limits, usage, held, blocks } = state
  // biome-ignore lint/correctness/useExhaustiveDependencies: the blocks are changed in place, and only become more.
  const deepest = useMemo(() => deepestLevel(blocks.keys()), [blocks, blocks.size])
  if (limits === null) return null
  const activeMs = state.activeMs + (hasStopped ? 0 : activeSince(state, nowMs))
  const bars = [
    { name: words.calls, of: limits.calls, spent: usage.calls, held: held.calls, text: countText },
    { name: words.tokens, of: limits.tokens, spent: tokensOf(usage), held: held.tokens, text: countText },
    { name: words.time, of: limits.timeMs, spent: activeMs, held: 0, text: durationText },
    { name: words.cost, of: limits.costUsd, spent: usage.costUsd ?? 0, held: held.costUsd, text: costText },
    { name: words.depth, of: limits.depth, spent: deepest, held: 0, text: countText },
  ]
  return (
    <ul className="bars" aria-label={words.budget}>
      {bars.map(({ name, of, spent, held: kept, text }) => {
        const more = words.ofLimit(text(of)) + (kept > 0 ? words.held(text(kept)) : '')
        return (
          <li key={name} className="bar" title={`${name}: ${text(spent)} ${more}`}>
            <span className="bar-name">{name}</span>
            <span className="bar-text numbers">{text(spent)}</span>
            <span className="unseen">{more}</span>
            <svg className="bar-line" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
              <rect className="bar-all" width="100" height="4" />
              <rect className="bar-held" width={share(spent + kept, of)} height="4" />
              <rect className="bar-spent" width={share(spent, of)} height="4" />
            </svg>
          </li>
        )
      })}
    </ul>
  )
}

/** What the last event does not know yet: questions alone take no active time. */
function activeSince({ outcome, openSteps, openQuestions, changedAt }: RunState, nowMs: number): number {
  if (outcome !== null || (openSteps === 0 && openQuestions > 0)) return 0
  return Math.max(0, nowMs - Date.parse(changedAt))
}

/** Below the root. */
function deepestLevel(paths: Iterable<string>): number {
  let deepest = 0
  for (const path of paths) deepest = Math.max(deepest, path.split('-').length - 1)
  return deepest
}

function share(part: number, whole: number): number {
  return whole > 0 && Number.isFinite(whole) ? Math.min(100, (part / whole) * 100) : 0
}

/** All that waits for a person, above the run: seen by everybody who looks at it, until somebody has answered. */
import { useRef } from 'react'
import type { PendingQuestion } from 'thinkon/protocol'
import type { Hands } from '../../data/run-hands.ts'
import type { RunLog } from '../../data/run-log.ts'
import { Button } from '../../parts/button.tsx'
import { useCommands } from '../../parts/commands.ts'
import { StatusMark } from '../../parts/status.tsx'
import { useWords } from '../../preferences.ts'
import { setQuery } from '../../routing.ts'
import { QuestionCard } from './question-card.tsx'
import { HANDS_WORDS } from './words.ts'

/** More than a line ever shows. */
const MOST_CHARS = 300

interface Props {
  log: RunLog
  waiting: readonly PendingQuestion[]
  hands: Hands | null
  /** The block whose questions the panel shows already. */
  shown: string | null
}

export function QuestionBar({ log, waiting: unordered, hands, shown }: Props) {
  const words = useWords(HANDS_WORDS)
  const waiting = useOrder(unordered)
  useCommands(
    waiting.length === 0
      ? []
      : [{ id: 'next-question', name: words.nextQuestion, key: 'q', run: focusQuestion }],
  )
  if (waiting.length === 0) return null
  return (
    <section className="waiting" aria-label={words.waiting(waiting.length)}>
      {waiting.map((one, at) => (
        <details key={one.id} className="waiting-one" open={at === 0 && one.path !== shown}>
          <summary>
            <StatusMark status="waiting" />
            <strong>{at === 0 ? words.waiting(waiting.length) : ''}</strong>
            <span className="mono">{words.block(one.path)}</span>
            <span className="one-line text dim">{one.text.slice(0, MOST_CHARS).split('\n')[0]}</span>
          </summary>
          <QuestionCard log={log} question={one} hands={hands}>
            <Button look="quiet" onClick={() => setQuery({ block: one.path })}>
              {words.showBlock}
            </Button>
          </QuestionCard>
        </details>
      ))}
    </section>
  )
}

/** In the order in which the page met them: one that is being answered stays where it is, and open. */
function useOrder(waiting: readonly PendingQuestion[]): readonly PendingQuestion[] {
  const places = useRef(new Map<number, number>())
  const placeOf = ({ id }: PendingQuestion) => places.current.get(id) ?? 0
  for (const { id } of waiting) if (!places.current.has(id)) places.current.set(id, places.current.size)
  return waiting.toSorted((a, b) => placeOf(a) - placeOf(b))
}

/** The first thing that can be done about the first question that is shown, here or in the panel. */
function focusQuestion(): void {
  const shown = ['.waiting-one[open] .question', '.panel .question']
  const controls = shown.map(
    (place) => `${place} :is(button:not(.copy, .long-text-more), textarea):not(:disabled)`,
  )
  document.querySelector<HTMLElement>(controls.join(', '))?.focus()
}

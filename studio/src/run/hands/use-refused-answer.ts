/**
 * An answer that was not taken, once its question is gone: somebody else was quicker, or nobody waits for it any more. While the question
 * is there, its card says what is wrong.
 */
import { useMemo, useState } from 'react'
import type { PendingQuestion } from 'thinkon/protocol'
import type { Hands } from '../../data/run-hands.ts'

interface Refused {
  readonly question: number
  readonly why: string
}

export interface RefusedAnswer {
  /** The same hands, which notice what is refused. */
  readonly hands: Hands | null
  readonly why: string | null
  forget(): void
}

export function useRefusedAnswer(given: Hands | null, waiting: readonly PendingQuestion[]): RefusedAnswer {
  const [refused, setRefused] = useState<Refused | null>(null)
  const hands = useMemo(
    (): Hands | null => given && { ...given, answer: noticing(given, setRefused) },
    [given],
  )
  const isOpen = waiting.some(({ id }) => id === refused?.question)
  return { hands, why: isOpen ? null : (refused?.why ?? null), forget: () => setRefused(null) }
}

function noticing(hands: Hands, onRefused: (refused: Refused) => void): Hands['answer'] {
  return async (run, question, answer) => {
    try {
      await hands.answer(run, question, answer)
    } catch (error) {
      onRefused({ question, why: error instanceof Error ? error.message : String(error) })
      throw error
    }
  }
}

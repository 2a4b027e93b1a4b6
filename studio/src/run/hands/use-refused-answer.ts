/**
 * An answer that was not taken, once its question is gone: somebody else was quicker, or nobody waits for it any more. While the question
 * is there, its card says what is wrong.
 */
import { useMemo, useState } from 'react'
import type { Asked, Hands } from '../../data/run-hands.ts'
import type { Waiting } from './waiting.ts'

interface Refused extends Asked {
  readonly why: string
}

export interface RefusedAnswer {
  /** The same hands, which notice what is refused. */
  readonly hands: Hands | null
  readonly why: string | null
  forget(): void
}

export function useRefusedAnswer(given: Hands | null, waiting: readonly Waiting[]): RefusedAnswer {
  const [refused, setRefused] = useState<Refused | null>(null)
  const hands = useMemo(
    (): Hands | null => given && { ...given, answer: noticing(given, setRefused) },
    [given],
  )
  const isOpen = waiting.some(({ path, open }) => path === refused?.path && open.name === refused.name)
  return { hands, why: isOpen ? null : (refused?.why ?? null), forget: () => setRefused(null) }
}

function noticing(hands: Hands, onRefused: (refused: Refused) => void): Hands['answer'] {
  return async (run, asked, answer) => {
    try {
      await hands.answer(run, asked, answer)
    } catch (error) {
      onRefused({ ...asked, why: error instanceof Error ? error.message : String(error) })
      throw error
    }
  }
}

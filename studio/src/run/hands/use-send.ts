/** Something that is sent to the service: whether it is under way, and what the service said against it. */
import { useState } from 'react'

export interface Sending {
  readonly isBusy: boolean
  /** In the service's words; null if there is nothing wrong. */
  readonly problem: string | null
  /** True if it was taken. */
  send(work: () => Promise<unknown>): Promise<boolean>
  setProblem(problem: string | null): void
}

/** Of a question. */
export interface Answering extends Sending {
  answer(given: unknown): Promise<void>
}

export function useSend(): Sending {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  return {
    isBusy,
    problem,
    setProblem,
    async send(work) {
      if (isBusy) return false
      setBusy(true)
      setProblem(null)
      try {
        await work()
        return true
      } catch (error) {
        setProblem(error instanceof Error ? error.message : String(error))
        return false
      } finally {
        setBusy(false)
      }
    },
  }
}

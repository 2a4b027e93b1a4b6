/** Something that is sent to the service: whether it is under way, and what the service said against it. */
import { useState } from 'react'
import { ThinkonError } from 'thinkon/client'

export interface Sending {
  readonly isBusy: boolean
  /** In the service's words; null if there is nothing wrong. */
  readonly problem: string | null
  /** True if it was taken. */
  send(work: () => Promise<unknown>): Promise<boolean>
  setProblem(problem: string | null): void
  /** The run that must be trusted first, and the work that then goes on; null unless that is the problem. */
  readonly untrusted: Untrusted | null
}

export interface Untrusted {
  readonly run: string
  /** What its journal decides. */
  readonly does: Record<string, unknown>
  work(): Promise<unknown>
}

/** Of a question. */
export interface Answering extends Sending {
  answer(given: unknown): Promise<void>
}

export function useSend(): Sending {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const [untrusted, setUntrusted] = useState<Untrusted | null>(null)
  return {
    isBusy,
    untrusted,
    problem,
    setProblem,
    async send(work) {
      if (isBusy) return false
      setBusy(true)
      setProblem(null)
      setUntrusted(null)
      try {
        await work()
        return true
      } catch (error) {
        setProblem(error instanceof Error ? error.message : String(error))
        setUntrusted(untrustedIn(error, work))
        return false
      } finally {
        setBusy(false)
      }
    },
  }
}

function untrustedIn(error: unknown, work: Untrusted['work']): Untrusted | null {
  if (!ThinkonError.isInstance(error) || error.code !== 'UNTRUSTED' || error.data.mayTrust !== true)
    return null
  const { run, does } = error.data
  return typeof run === 'string' ? { run, does: Object(does), work } : null
}

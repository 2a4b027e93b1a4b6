/** A run that waits for its model: which steps do, and what its caller is told. The same on both hosts. */
import { type ErrorData, type OutageStep, ThinkonError } from '../../protocol/index.ts'

/** The step with the provider's words; `error` is MODEL_OUTAGE. */
export function outageStep(path: string, n: number, { message, data }: ErrorData): OutageStep {
  const step: OutageStep = { path, n, model: String(data?.model ?? ''), message }
  if (typeof data?.status === 'number') step.status = data.status
  return step
}

/** What the outcome of a run rejects with that has stopped to wait. */
export function outageError(run: string, steps: readonly OutageStep[]): ThinkonError {
  const [{ path, model, message, status } = { path: '', model: '', message: '' } as OutageStep] = steps
  const others = steps.length > 1 ? ` (and ${steps.length - 1} more)` : ''
  return new ThinkonError(
    'MODEL_OUTAGE',
    `run ${run} waits for the model: ${message}${others}; when the model can be reached again: thinkon resume ${run}`,
    { data: { run, path, model, message, ...(status !== undefined && { status }), steps } },
  )
}

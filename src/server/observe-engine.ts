/** An engine whose runs are observed: whoever starts or resumes one here is not the only one who is told of it. */
import type { Engine, Run } from '../engine/api.ts'

export interface EngineObserver {
  /** A run was started or resumed in this process. `before` is the number of its last event before that, 0 if it is new. Must not throw. */
  onRun(run: Run, before: number): void
  /** The engine was closed, and its runs were left. */
  onClose(): Promise<void>
}

export function observeEngine<E extends Engine>(engine: E, { onRun, onClose }: EngineObserver): E {
  const lastSeq = async (id: string | undefined): Promise<number> => {
    if (id === undefined) return 0
    const rows = await engine.list({ search: id })
    return rows.find((row) => row.id === id)?.seq ?? 0
  }
  const start: Engine['start'] = async (goal, options) => {
    const before = await lastSeq(options?.id)
    const run = await engine.start(goal, options)
    if (!run.isFollowed) onRun(run as unknown as Run, before)
    return run
  }
  const resume: Engine['resume'] = async (id, options) => {
    const before = await lastSeq(id)
    const run = await engine.resume(id, options)
    if (!run.isFollowed) onRun(run as unknown as Run, before)
    return run
  }
  return {
    ...engine,
    start,
    resume,
    async close() {
      try {
        await engine.close()
      } finally {
        await onClose()
      }
    },
  }
}

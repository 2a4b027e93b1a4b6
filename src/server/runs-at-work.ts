/**
 * The runs that a service works on, or follows in its cluster. A run that waits for its model is tried again, after pauses that grow.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Engine, Run, RunEndingAs } from '../engine/api.ts'
import { errorText, isOutage, ThinkonError } from '../protocol/index.ts'

export interface RunsAtWorkOptions {
  maxRuns: number
  /** The first pause; it doubles. */
  retryMs: number
  /** Resumes it. */
  retry(run: string): Promise<unknown>
  onProblem(message: string): void
}

export interface RunAtWork {
  readonly run: Run
  readonly engine: Engine
}

export interface RunsAtWork {
  get(run: string): RunAtWork | undefined
  /** Adds what `begin` starts; throws LIMIT if there are too many. `retries`: it is tried again when it waits for its model. */
  add<Ended>(
    engine: Engine,
    begin: () => Promise<RunEndingAs<Ended>>,
    options: { retries: boolean },
  ): Promise<RunEndingAs<Ended>>
  /** Resolves when the run is added, `ms` have passed, or `signal` is aborted. */
  arrival(run: string, ms: number, signal: AbortSignal): Promise<void>
  ids(): Iterable<string>
  /** Resolves when the run is not worked on here any more, `ms` have passed, or `signal` is aborted. */
  rest(run: string, ms: number, signal: AbortSignal): Promise<void>
  /** Resumes a run after a pause, and again until it goes on or can't. */
  tryLater(run: string): void
  /** Tries nothing again; returns the engines that work. */
  stop(): ReadonlySet<Engine>
}

const MAX_RETRY_MS = 300_000

export function runsAtWork({ maxRuns, retryMs, retry, onProblem }: RunsAtWorkOptions): RunsAtWork {
  const runs = new Map<string, RunAtWork>()
  const waiting = new Map<string, { readonly timer: NodeJS.Timeout; readonly waitMs: number }>()
  const awaited = new Map<string, Set<() => void>>()
  let beginning = 0
  let isStopped = false

  function enter(run: Run, engine: Engine, retries: boolean): void {
    const entry = { run, engine }
    runs.set(run.id, entry)
    for (const wake of awaited.get(run.id) ?? []) wake()
    const leave = () => {
      if (runs.get(run.id) === entry) runs.delete(run.id)
    }
    const ended = () => {
      leave()
      waiting.delete(run.id)
    }
    run.outcome.then(ended, (thrown) => {
      leave()
      if (isStopped) return
      if (!isOutage(thrown)) onProblem(`run ${run.id} can't go on here: ${errorText(thrown)}`)
      else if (retries) tryLater(run.id)
    })
  }

  function tryLater(run: string): void {
    const before = waiting.get(run)
    clearTimeout(before?.timer)
    const waitMs = before === undefined ? retryMs : Math.min(MAX_RETRY_MS, before.waitMs * 2)
    const again = () =>
      retry(run).catch((thrown) => {
        if (isStopped) return
        // There is no room for it yet, or the store is busy.
        if (ThinkonError.isInstance(thrown) && thrown.retryable) tryLater(run)
        else onProblem(`run ${run} can't be resumed: ${errorText(thrown)}`)
      })
    waiting.set(run, { timer: setTimeout(again, waitMs).unref(), waitMs })
  }

  return {
    get: (run) => runs.get(run),
    async add(engine, begin, { retries }) {
      if (runs.size + beginning >= maxRuns) throw tooMany(maxRuns)
      beginning++
      try {
        const run = await begin()
        enter(run as unknown as Run, engine, retries)
        return run
      } finally {
        beginning--
      }
    },
    async arrival(run, ms, signal) {
      if (runs.has(run) || signal.aborted) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, ms)
      const others = awaited.get(run) ?? new Set()
      awaited.set(run, others.add(resolve))
      const end = () => resolve()
      signal.addEventListener('abort', end, { once: true })
      await promise
      signal.removeEventListener('abort', end)
      clearTimeout(timer)
      others.delete(resolve)
      if (others.size === 0 && awaited.get(run) === others) awaited.delete(run)
    },
    ids: () => runs.keys(),
    async rest(run, ms, signal) {
      const ended = runs.get(run)?.run.outcome
      const passed = pause(ms, undefined, { signal, ref: false }).catch(() => {})
      if (ended !== undefined) await Promise.race([ended.catch(() => {}), passed])
    },
    tryLater,
    stop() {
      isStopped = true
      for (const { timer } of waiting.values()) clearTimeout(timer)
      return new Set([...runs.values()].map(({ engine }) => engine))
    },
  }
}

function tooMany(maxRuns: number): ThinkonError {
  return new ThinkonError(
    'LIMIT',
    `${maxRuns} runs are being worked on, which is as many as this service takes: try again when one has ended`,
    { retryable: true, data: { maxRuns } },
  )
}

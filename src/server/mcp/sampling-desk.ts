/**
 * Where requests of `mcp:client` lie until a client takes them: a model call puts its request here, and whoever waits for the run takes it
 * along to its client, whose answer ends the call.
 *
 * 1. A request that nobody takes is an outage: its run waits, and asks again when somebody waits for it.
 * 2. The first answer counts. One for a request that is no longer open is dropped: keys are never used twice, not even by another process.
 */
import { randomUUID } from 'node:crypto'
import type { CreateMessageRequestParams } from '@modelcontextprotocol/server'
import { ThinkonError } from '../../protocol/index.ts'

export interface SamplingDesk {
  sample(run: string, asked: Asked, signal: AbortSignal): Promise<unknown>
  /** The requests of a run that are open, by key; they count as taken. */
  take(run: string): ReadonlyMap<string, Asked>
  hasOpen(run: string): boolean
  answer(key: string, result: unknown): void
  /** Calls back when the run asks something; returns how to stop that. */
  onAsked(run: string, listener: () => void): () => void
}

export interface Asked {
  params(callsTools: boolean): CreateMessageRequestParams
}

export interface DeskTimes {
  /** How long a request waits for a client that takes it: 30 seconds, unless given. */
  untakenMs?: number
  /** How long a client has for its answer: 10 minutes, unless given. */
  answerMs?: number
}

interface Open {
  readonly run: string
  readonly asked: Asked
  resolve(result: unknown): void
  /** Fails the call with an outage if nothing happens for so long. */
  patience(ms: number, why: string): void
}

export function createSamplingDesk({ untakenMs = 30_000, answerMs = 600_000 }: DeskTimes = {}): SamplingDesk {
  const open = new Map<string, Open>()
  const listeners = new Map<string, Set<() => void>>()
  const ofRun = (run: string) => [...open].filter(([, one]) => one.run === run)

  return {
    async sample(run, asked, signal) {
      signal.throwIfAborted()
      const key = `sampling-${randomUUID()}`
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      let timer: NodeJS.Timeout | undefined
      const patience = (ms: number, why: string) => {
        clearTimeout(timer)
        timer = setTimeout(() => reject(outage(run, why)), ms)
        timer.unref()
      }
      const abort = () => reject(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      open.set(key, { run, asked, resolve, patience })
      patience(untakenMs, 'no MCP client waits for this run')
      for (const listener of listeners.get(run) ?? []) listener()
      try {
        return await promise
      } finally {
        clearTimeout(timer)
        open.delete(key)
        signal.removeEventListener('abort', abort)
      }
    },
    take(run) {
      const taken = ofRun(run)
      for (const [, one] of taken) one.patience(answerMs, 'the MCP client has not answered')
      return new Map(taken.map(([key, { asked }]) => [key, asked]))
    },
    hasOpen: (run) => ofRun(run).length > 0,
    answer: (key, result) => open.get(key)?.resolve(result),
    onAsked(run, listener) {
      const all = listeners.get(run) ?? new Set()
      listeners.set(run, all.add(listener))
      return () => {
        all.delete(listener)
        if (all.size === 0 && listeners.get(run) === all) listeners.delete(run)
      }
    },
  }
}

function outage(run: string, why: string): ThinkonError {
  const message = `${why}: the tool "wait" with the run ${run} takes it up again`
  return new ThinkonError('MODEL_OUTAGE', message, { data: { run } })
}

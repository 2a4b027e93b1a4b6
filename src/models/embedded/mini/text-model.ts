/**
 * A small language model in this process, without native code: prompts and texts as the model sees them. It computes in worker
 * threads, which start on first use, answer several requests at once, and keep what was computed for recent prompts.
 *
 * 1. The same request gives the same text, whatever else is asked at the same time, on every machine.
 * 2. A signal frees what its request held at the next step; the caller has its reason at once.
 * 3. Closing waits for the answers that are missing.
 */
import { availableParallelism } from 'node:os'
import { ThinkonError } from '../../../protocol/index.ts'
import type { Ask, Completion } from './inference/ask.ts'
import { engineWorker, type LastAnswer } from './inference/engine-worker.ts'

export type { Completion }

export interface Asked {
  readonly prompt: string
  /** As many as fit into the context unless given. */
  readonly maxTokens?: number
  /** The text ends before this character, besides the end of the line. */
  readonly stop?: string
  /** 0, the default: always the likeliest token. */
  readonly temperature?: number
  /** Only so many of the likeliest tokens. */
  readonly topK?: number
  /** 0 unless given. */
  readonly seed?: number
  readonly signal?: AbortSignal
  readonly onText?: (text: string) => void
}

export interface TextModel {
  /** Rejects with CONTEXT_OVERFLOW if the prompt is longer than the context, and with BAD_INPUT. */
  complete(asked: Asked): Promise<Completion>
  /** The probabilities of these single-character answers right after the prompt, normalized over them. */
  weigh(prompt: string, choices: readonly string[], signal?: AbortSignal): Promise<number[]>
  close(): Promise<void>
}

/** More would be slower on one core, and take more memory than they save time on many. */
const MOST_WORKERS = 2
/** Another worker is started when each has so much to do: to start it takes longer than to answer a few. */
const ENOUGH = 4

/** Rejects with NO_MODEL if the file can't be used. */
export async function openTextModel(file: string): Promise<TextModel> {
  const workers = Array.from({ length: Math.min(MOST_WORKERS, availableParallelism()) }, () =>
    engineWorker(file),
  )
  let isClosed = false
  const ask = (asked: Ask, onText?: (text: string) => void, signal?: AbortSignal): Promise<LastAnswer> => {
    if (isClosed) throw new ThinkonError('NO_MODEL', 'embedded:mini is closed')
    const load = workers.map(({ open, isStarted }) => open + (isStarted ? 0 : ENOUGH))
    const least = workers[load.indexOf(Math.min(...load))]
    if (least === undefined) throw new Error('there is no worker')
    return least.ask(asked, onText, signal)
  }
  await workers[0]?.start()
  return {
    async complete(asked) {
      const answer = await ask(completeAsk(asked), asked.onText, asked.signal)
      return (answer as Extract<LastAnswer, { type: 'completion' }>).completion
    },
    async weigh(prompt, choices, signal) {
      const answer = await ask({ type: 'weigh', prompt, choices: [...choices] }, undefined, signal)
      return (answer as Extract<LastAnswer, { type: 'shares' }>).shares
    },
    async close() {
      isClosed = true
      await Promise.all(workers.map((worker) => worker.close()))
    },
  }
}

function completeAsk({ prompt, maxTokens, stop, temperature = 0, topK, seed = 0 }: Asked): Ask {
  const check = (name: string, isRight: boolean) => {
    if (!isRight)
      throw new ThinkonError('BAD_INPUT', `embedded:mini can't use this ${name}`, { data: { key: name } })
  }
  check('maxTokens', maxTokens === undefined || (Number.isInteger(maxTokens) && maxTokens >= 0))
  check('stop', stop === undefined || [...stop].length === 1)
  check('temperature', Number.isFinite(temperature) && temperature >= 0)
  check('topK', topK === undefined || (Number.isInteger(topK) && topK >= 1))
  check('seed', Number.isFinite(seed))
  return { type: 'complete', prompt, maxTokens, stop, temperature, topK, seed }
}

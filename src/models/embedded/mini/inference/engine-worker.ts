/**
 * A worker, seen from outside. Started when it is first needed, and again after it has died. It keeps the process alive only while
 * somebody waits for an answer.
 */
import { Worker } from 'node:worker_threads'
import { packagePath } from '../../../../files/package-path.ts'
import { type ErrorData, errorText, ThinkonError } from '../../../../protocol/index.ts'
import type { Answer, Ask, FromWorker, ToWorker } from './ask.ts'

export type LastAnswer = Extract<Answer, { type: 'completion' | 'shares' }>

export interface EngineWorker {
  /** Requests without an answer yet. */
  readonly open: number
  readonly isStarted: boolean
  /** Rejects with NO_MODEL if the weights can't be used. */
  start(): Promise<void>
  /** Rejects with the signal's reason, at once; with MODEL_ERROR if the worker dies. */
  ask(ask: Ask, onText?: (text: string) => void, signal?: AbortSignal): Promise<LastAnswer>
  /** Waits for the answers that are missing. */
  close(): Promise<void>
}

interface Started {
  readonly worker: Worker
  readonly waiting: Map<number, Waiting>
}

interface Waiting {
  onText(text: string): void
  resolve(answer: LastAnswer): void
  reject(error: unknown): void
}

export function engineWorker(file: string): EngineWorker {
  let starting: Promise<Started> | undefined
  const open = new Set<Promise<unknown>>()
  let lastId = 0

  const start = (): Promise<Started> => {
    starting ??= startWorker(file, () => {
      starting = undefined
    })
    return starting
  }

  async function ask(ask: Ask, onText: (text: string) => void, signal?: AbortSignal): Promise<LastAnswer> {
    signal?.throwIfAborted()
    const { worker, waiting } = await start()
    signal?.throwIfAborted()
    const id = ++lastId
    const tell = (message: ToWorker) => worker.postMessage(message)
    let onAbort = () => {}
    try {
      return await new Promise<LastAnswer>((resolve, reject) => {
        onAbort = () => {
          tell({ type: 'drop', id })
          reject(signal?.reason)
        }
        signal?.addEventListener('abort', onAbort, { once: true })
        waiting.set(id, { onText, resolve, reject })
        worker.ref()
        tell({ type: 'ask', id, ask })
      })
    } finally {
      signal?.removeEventListener('abort', onAbort)
      waiting.delete(id)
      if (waiting.size === 0) worker.unref()
    }
  }

  return {
    get open() {
      return open.size
    },
    get isStarted() {
      return starting !== undefined
    },
    async start() {
      await start()
    },
    async ask(asked, onText = () => {}, signal) {
      const answered = ask(asked, onText, signal)
      open.add(answered)
      try {
        return await answered
      } finally {
        open.delete(answered)
      }
    },
    async close() {
      await Promise.allSettled(open)
      const started = await starting?.catch(() => undefined)
      await started?.worker.terminate()
    },
  }
}

function startWorker(file: string, onEnd: () => void): Promise<Started> {
  const worker = new Worker(packagePath('src/models/embedded/mini/inference/text-worker.ts'), {
    workerData: { file },
    env: {},
    execArgv: [],
    // What a step leaves behind lives no longer than it: more room would only be filled.
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  })
  const waiting = new Map<number, Waiting>()
  return new Promise((resolve, reject) => {
    let hasEnded = false
    const end = (error: unknown) => {
      if (hasEnded) return
      hasEnded = true
      onEnd()
      reject(error)
      for (const one of waiting.values()) one.reject(error)
    }
    worker.on('message', (message: FromWorker) => {
      if (message.type === 'answer') {
        const one = waiting.get(message.id)
        if (one) give(message.answer, one)
      } else if (message.type === 'ready') {
        worker.unref()
        resolve({ worker, waiting })
      } else {
        end(thrown(message.error))
        void worker.terminate()
      }
    })
    worker.on('error', (error) => end(died(errorText(error))))
    worker.on('exit', (code) => end(died(`exit code ${code}`)))
  })
}

function give(answer: Answer, { onText, resolve, reject }: Waiting): void {
  if (answer.type === 'text') onText(answer.text)
  else if (answer.type === 'failure') reject(thrown(answer.error))
  else resolve(answer)
}

function died(why: string): ThinkonError {
  return new ThinkonError(
    'MODEL_ERROR',
    `the worker of embedded:mini ended (${why}); the next call starts another`,
    {
      retryable: true,
    },
  )
}

function thrown(error: ErrorData): ThinkonError {
  return ThinkonError.fromJSON(error)
}

/** What a person can do to a run under way; every method throws what the service refuses. */
import type { Client } from 'thinkon/client'
import type { FileChange } from 'thinkon/views'

/** What is to be different in a fork. */
export interface ForkChange {
  readonly edit?: Record<string, unknown>
  /** That goes on with it. */
  readonly model?: string
}

export interface Hands {
  /** Throws if the question is not open any more, or the answer is none. */
  answer(run: string, question: number, answer: unknown): Promise<void>
  /** What a call that asks for permission would do to files as they are now; null where that is not known. */
  changes(run: string, question: number): Promise<FileChange[] | null>
  skip(run: string, path: string, why: string): Promise<void>
  message(run: string, path: string, text: string): Promise<void>
  /** Returns the run in which it happens: a fork of one that has ended. */
  redo(run: string, path: string, message: string): Promise<string>
  cancel(run: string, why: string): Promise<void>
  resume(run: string): Promise<void>
  /** A run that was not started here may go on, and its forks. */
  trust(run: string): Promise<void>
  /** A new run that shares the journal up to event `at`, which may be edited; it goes on at once. Returns its id. */
  fork(run: string, at: number, change: ForkChange): Promise<string>
  /** Whether nobody works on the run any more, though it has not ended. */
  hasStopped(run: string): Promise<boolean>
}

export function runHands(client: Client): Hands {
  return {
    answer: (run, question, answer) => client.answer(run, answer, { question }),
    changes: (run, question) => client.changes(run, question),
    skip: (run, path, why) => client.signal(run, path, 'skip', why),
    message: (run, path, text) => client.signal(run, path, 'message', text),
    redo: (run, path, message) => client.redo(run, path, message),
    cancel: (run, why) => client.cancel(run, why),
    async resume(run) {
      await client.resume(run)
    },
    trust: (run) => client.trust(run),
    fork: (run, at, change) => client.fork(run, at, change),
    async hasStopped(run) {
      const { owned, outcome, waitsFor } = await client.show(run)
      return !owned && outcome === null && waitsFor !== 'model'
    },
  }
}

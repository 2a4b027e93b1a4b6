/**
 * Which runs have a caller in this process that can answer questions: it gave `onQuestion`, or iterates `run.questions`. A run without
 * `approval` asks such a caller; without one its calls that need permission are denied, so that it does not wait for an answer that cannot
 * come. Each decision is recorded with its call, so a replay or resume does not decide again.
 */
import { errorText } from '../protocol/index.ts'
import type { RunQuestion } from '../streams/run-questions.ts'

/** Receives each open question once. An error it throws becomes a warning of the process; the question stays open. */
export type OnQuestion = (question: RunQuestion) => unknown

export class Attendance {
  private readonly callers = new Map<string, number>()

  has(run: string): boolean {
    return this.callers.has(run)
  }

  /** Returns how to leave, which may be called several times. */
  join(run: string): () => void {
    this.callers.set(run, (this.callers.get(run) ?? 0) + 1)
    let isHere = true
    return () => {
      if (!isHere) return
      isHere = false
      const others = (this.callers.get(run) ?? 1) - 1
      if (others === 0) this.callers.delete(run)
      else this.callers.set(run, others)
    }
  }

  /** The same questions; who reads them attends from the first `next` to the end of the iteration. */
  of(run: string, questions: AsyncIterable<RunQuestion>): AsyncIterable<RunQuestion> {
    return {
      [Symbol.asyncIterator]: () => {
        const items = questions[Symbol.asyncIterator]()
        let leave: (() => void) | null = null
        return {
          next: async () => {
            leave ??= this.join(run)
            const next = await items.next().catch((thrown) => {
              leave?.()
              throw thrown
            })
            if (next.done) leave()
            return next
          },
          return: async () => {
            leave?.()
            return (await items.return?.()) ?? { done: true, value: undefined }
          },
        }
      },
    }
  }
}

/** Until the run ends or stops here. Several questions may be open at once: none waits for the answer to another. */
export async function passOn(questions: AsyncIterable<RunQuestion>, onQuestion: OnQuestion): Promise<void> {
  for await (const question of questions)
    void (async () => onQuestion(question))().catch((error) => report(question, error))
}

function report({ run, id }: RunQuestion, error: unknown): void {
  process.emitWarning(
    `onQuestion failed for question ${id} of run ${run}: ${errorText(error)}. If it has no answer yet, it stays open.`,
    { type: 'ThinkonWarning', code: 'LISTENER_FAILED' },
  )
}

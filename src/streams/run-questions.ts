/** The questions of a run as they are asked: for runs of an engine, and for those of a client. */
import type { Event, ModelRetry, PendingQuestion, TextDelta } from '../protocol/index.ts'
import { readable } from './readable.ts'

/** An open question of a run. */
export interface RunQuestion extends PendingQuestion {
  /** Throws QUESTION_NOT_OPEN if it is not open any more, and INVALID_ANSWER. */
  answer(value: unknown): Promise<void>
}

export interface AskingRun {
  readonly events: {
    with(options: { from: number; signal: AbortSignal }): AsyncIterable<Event | ModelRetry | TextDelta>
  }
  /** The number of the last event. */
  last(): Promise<number>
  /** The questions for a person that are open now. */
  open(): Promise<readonly PendingQuestion[]>
  answer(value: unknown, options: { question: number }): Promise<void>
}

/** Each question once, if it is open when it is read. */
export function runQuestions(run: AskingRun): AsyncIterable<RunQuestion> {
  return readable(async function* (signal) {
    const given = new Set<number>()
    async function* open() {
      for (const question of await run.open()) {
        if (given.has(question.id)) continue
        given.add(question.id)
        yield { ...question, answer: (value: unknown) => run.answer(value, { question: question.id }) }
      }
    }
    const from = (await run.last()) + 1
    yield* open()
    for await (const event of run.events.with({ from, signal }))
      if (event.type === 'signal-asked' && !given.has(event.seq)) yield* open()
  })
}

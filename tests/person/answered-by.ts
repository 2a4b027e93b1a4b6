/** Answers what a person is asked as the model with what has been recorded of another model. */
import { replayModel } from '../../src/models/recording/replay-model.ts'
import type { Ephemeral, Event, ModelReply } from '../../src/protocol/index.ts'

export type Answer = (question: number, value: unknown) => Promise<unknown>

/** `as`: how the reply is given. */
export async function answeredBy(file: string, as: (reply: ModelReply) => unknown) {
  const model = await replayModel(file)
  return async (event: Event | Ephemeral, answer: Answer) => {
    const request = event.type === 'signal-asked' ? event.question?.request : undefined
    if (event.type !== 'signal-asked' || request === undefined) return
    const { path, n, seq } = event
    const reply = await model.call(request, {
      path,
      n,
      signal: new AbortController().signal,
      onDelta() {},
      part: async (run) => (await run()).value,
    })
    await answer(seq, as(reply))
  }
}

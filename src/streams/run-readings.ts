/** What can be read of a run besides its events: for runs of an engine, and for those of a client. */
import { checkArguments } from '../protocol/check-arguments.ts'
import type { ThoughtStep } from '../views/thoughts.ts'
import type { UIMessageChunk } from '../views/ui-message-chunk.ts'
import type { UIMessageOptions } from '../views/ui-message-chunks.ts'
import { readable, streamOf } from './readable.ts'
import { RUN_METHODS } from './run-methods.ts'
import type { StreamedRun } from './run-streams.ts'

export interface RunReadings {
  readonly text: AsyncIterable<string>
  readonly thoughts: AsyncIterable<ThoughtStep>
  toUIMessageStream(options?: UIMessageOptions): ReadableStream<UIMessageChunk>
}

export function runReadings(run: StreamedRun): RunReadings {
  return {
    text: readable(async function* (signal) {
      yield* (await streams()).answerText(run, signal)
    }),
    thoughts: readable(async function* (signal) {
      yield* (await streams()).thoughtSteps(run, signal)
    }),
    toUIMessageStream(options = {}) {
      checkArguments('run.toUIMessageStream', RUN_METHODS.toUIMessageStream, [options])
      return streamOf(
        readable(async function* (signal) {
          yield* (await streams()).uiMessageChunks(run, options, signal)
        }),
      )
    },
  }
}

/** Loaded when it is read: most runs are only awaited. */
const streams = () => import('./run-streams.ts')

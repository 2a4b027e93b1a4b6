import type { Model, ModelIo } from '../../kernel/model.ts'
import { askedAgain } from '../../kernel/person-calls.ts'
import {
  defined,
  errorData,
  isOutage,
  type ModelReply,
  type ModelRequest,
  type Reserve,
  ThinkonError,
  type Usage,
} from '../../protocol/index.ts'
import { decorateModel } from '../decorate-model.ts'
import { knownSecrets, redactDeep } from '../secrets.ts'
import { type Exchange, keyOf, type RecordedRequest, recordedRequest, TrafficWriter } from './traffic-file.ts'

/**
 * The model, with every finished exchange written to a file, without keys, before its caller sees it. Models that record
 * to the same file share a writer. An aborted call and an outage are not recorded.
 */
export function recordingModel(model: Model, file: string | TrafficWriter): Model {
  const writer = typeof file === 'string' ? new TrafficWriter(file) : file
  return decorateModel(model, {
    async call(request, io) {
      const parts: NonNullable<Exchange['parts']>[number][] = []
      const record = (end: Pick<Exchange, 'reply'> | Pick<Exchange, 'error'>) =>
        writer.append(exchange(model, request, io, parts, end))
      let reply: ModelReply
      try {
        reply = await model.call(request, noting(io, parts))
      } catch (thrown) {
        // A reply that is too long is aborted, and is the model's answer all the same.
        const isTooLong = ThinkonError.isInstance(thrown) && thrown.code === 'REPLY_TOO_LONG'
        if (!isTooLong) io.signal.throwIfAborted()
        // An outage answers nothing, nor does a person who is asked again: the request is made again.
        const error = errorData(thrown, 'MODEL_ERROR')
        if (!isOutage(thrown) && askedAgain(error) === null) await record({ error })
        throw thrown
      }
      await record({ reply })
      return reply
    },
  })
}

function exchange(
  { id, window }: Model,
  request: ModelRequest,
  { path, n }: ModelIo,
  parts: NonNullable<Exchange['parts']>,
  end: Pick<Exchange, 'reply'> | Pick<Exchange, 'error'>,
): Exchange {
  const secrets = knownSecrets()
  const recorded = redactDeep<RecordedRequest>(recordedRequest(request), secrets)
  const rest = redactDeep({ ...(parts.length > 0 && { parts }), ...end }, secrets)
  return {
    v: 1,
    key: keyOf(recorded),
    model: id,
    ...defined({ window }),
    path,
    n,
    request: recorded,
    ...rest,
  }
}

/** Passes parts through and notes their results. One that was paid for before the process died has its usage there. */
function noting(io: ModelIo, parts: { value: unknown; usage: Omit<Usage, 'calls'> }[]): ModelIo {
  return {
    run: io.run,
    path: io.path,
    n: io.n,
    get signal() {
      return io.signal
    },
    answers: io.answers,
    onDelta: (text) => io.onDelta(text),
    onHidden: (text) => io.onHidden?.(text),
    onRetry: (note) => io.onRetry?.(note),
    async part<T>(run: () => Promise<{ value: T; usage: Omit<Usage, 'calls'> }>, reserve?: Reserve) {
      let usage: Omit<Usage, 'calls'> = { inputTokens: 0, outputTokens: 0 }
      const value = await io.part(async () => {
        const done = await run()
        usage = done.usage
        return done
      }, reserve)
      parts.push({ value, usage })
      return value
    },
  }
}

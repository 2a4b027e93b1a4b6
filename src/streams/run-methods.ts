/** What the methods of a run may be given, as tables: the engine's runs and those of a client refuse in the same words. */
import {
  type Arguments,
  abortSignal,
  anyText,
  either,
  type Fields,
  fields,
  flag,
  func,
  isText,
  json,
  must,
  oneOf,
  text,
  whole,
} from '../protocol/check-arguments.ts'
import { isPath } from '../protocol/path.ts'
import type { UIMessageOptions } from '../views/ui-message-chunks.ts'

export const path = must(
  'the path of a block, such as "1" or "1-2"',
  (value) => typeof value === 'string' && isPath(value),
)

export const RUN_METHODS: Readonly<
  Record<'answer' | 'signal' | 'cancel' | 'with' | 'toUIMessageStream', Arguments>
> = {
  with: {
    checks: { options: fields({ deltas: flag, from: whole(1), signal: abortSignal }) },
    needs: { options: '{ deltas: true }' },
  },
  answer: {
    checks: { value: json, options: fields({ question: whole(1) }) },
    needs: { value: 'the answer' },
  },
  signal: {
    checks: { path, name: text, value: json },
    needs: { path: "the block's path", name: "the signal's name" },
  },
  cancel: { checks: { reason: anyText } },
  toUIMessageStream: {
    checks: {
      options: fields({
        messageId: text,
        reasoning: either('true, false or "steps"', [isText, oneOf(['steps'])], [() => true, flag]),
        tree: flag,
        onError: func(),
      } satisfies Fields<UIMessageOptions>),
    },
  },
}

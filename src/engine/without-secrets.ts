/** Removes secrets from the results and failures of models and tools before they are recorded (K9). */

import { checkedError } from '../kernel/checked-error.ts'
import type { CleanReplies } from '../kernel/services.ts'
import type { Tool } from '../kernel/tool.ts'
import { checkedResult } from '../kernel/tool-result.ts'
import {
  knownSecrets,
  recentSecrets,
  redactDeep,
  redactedDeltas,
  withoutPrivateKeys,
} from '../models/secrets.ts'
import { errorText, isTooDeep, ThinkonError } from '../protocol/index.ts'

export function toolWithoutSecrets(tool: Tool): Tool {
  const run: Tool['run'] = async (input, io) => {
    try {
      return withoutKeys(redactDeep(checkedResult(await tool.run(input, io), tool.name), knownSecrets()))
    } catch (thrown) {
      io.signal.throwIfAborted()
      throw clean(checkedError(thrown))
    }
  }
  const asks = tool.asks && { asks: (input: unknown) => redactDeep(tool.asks?.(input)) }
  // A tool may be a class instance: it keeps its prototype.
  return Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, { run }, asks)
}

/** What models say, before it is recorded or shown. */
export const repliesWithoutSecrets: CleanReplies = {
  data: (value) => redactDeep(value, recentSecrets()),
  error: clean,
  deltas: (onDelta) => redactedDeltas(onDelta, recentSecrets()),
}

/** The errors of the engine may quote its input. */
export function errorsWithoutSecrets<Methods extends object>(methods: Methods): Methods {
  const guarded = Object.entries(methods).map(([name, method]) => [
    name,
    async (...given: unknown[]) => {
      try {
        return await (method as (...given: unknown[]) => unknown)(...given)
      } catch (thrown) {
        throw clean(thrown)
      }
    },
  ])
  return Object.fromEntries(guarded) as Methods
}

/** A private key that a tool has read is nobody's to record, whether this process knows it or not. */
function withoutKeys<T>(value: T): T {
  return isTooDeep(value) ? value : withoutPrivateKeys(value)
}

/** The error itself, unless it contains a secret. */
function clean(thrown: unknown): unknown {
  const secrets = knownSecrets()
  const data = ThinkonError.isInstance(thrown)
    ? thrown.toJSON()
    : { message: errorText(thrown), cause: causeOf(thrown) }
  const cleaned = withoutKeys(redactDeep(data, secrets))
  if (cleaned === data) return thrown
  return 'code' in cleaned ? ThinkonError.fromJSON(cleaned) : new Error(cleaned.message)
}

function causeOf(thrown: unknown): string {
  return thrown instanceof Error && thrown.cause !== undefined ? errorText(thrown.cause) : ''
}

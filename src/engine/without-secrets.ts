/** Tools whose results and failures lose secrets before anything is recorded of them (K9). */
import type { Tool } from '../kernel/tool.ts'
import { knownSecrets, redact, redactDeep } from '../models/secrets.ts'
import { ThinkonError } from '../protocol/index.ts'

export function withoutSecrets(tool: Tool): Tool {
  const run: Tool['run'] = async (input, io) => {
    try {
      return redactDeep(await tool.run(input, io))
    } catch (thrown) {
      io.signal.throwIfAborted()
      throw clean(thrown)
    }
  }
  // A tool may be of a class: what it has from there stays.
  return Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, { run })
}

/** The error as it is, unless it holds a secret. */
function clean(thrown: unknown): unknown {
  const secrets = knownSecrets()
  const data = ThinkonError.isInstance(thrown)
    ? thrown.toJSON()
    : { message: textOf(thrown), cause: causeOf(thrown) }
  const cleaned = redactDeep(data, secrets)
  if (cleaned === data) return thrown
  return 'code' in cleaned ? ThinkonError.fromJSON(cleaned) : new Error(redact(textOf(thrown), secrets))
}

function textOf(value: unknown): string {
  return value instanceof Error ? value.message : String(value)
}

function causeOf(thrown: unknown): string {
  return thrown instanceof Error && thrown.cause !== undefined ? textOf(thrown.cause) : ''
}

/** Models and tools whose results and failures lose secrets before anything is recorded of them (K9). */

import type { Model, ModelIo } from '../kernel/model.ts'
import type { Tool } from '../kernel/tool.ts'
import { decorateModel } from '../models/decorate-model.ts'
import { knownSecrets, recentSecrets, redact, redactDeep, redactedDeltas } from '../models/secrets.ts'
import { ThinkonError } from '../protocol/index.ts'
import type { Engine } from './api.ts'

export function toolWithoutSecrets(tool: Tool): Tool {
  const run: Tool['run'] = async (input, io) => {
    try {
      return cleanData(await tool.run(input, io), knownSecrets())
    } catch (thrown) {
      io.signal.throwIfAborted()
      throw clean(thrown)
    }
  }
  const asks = tool.asks && { asks: (input: unknown) => redactDeep(tool.asks?.(input)) }
  // A tool may be of a class: what it has from there stays.
  return Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, { run }, asks)
}

/** Any model, also one of a user's own. */
export function modelWithoutSecrets(model: Model): Model {
  return decorateModel(model, {
    async call(request, given) {
      const io = new CleanIo(given)
      try {
        return cleanData(await model.call(request, io), recentSecrets())
      } catch (thrown) {
        given.signal.throwIfAborted()
        throw clean(thrown)
      } finally {
        io.end()
      }
    },
  })
}

/** What the engine throws at whoever misuses it may name what it was given. */
export function errorsWithoutSecrets(engine: Engine): Engine {
  const guarded = Object.entries(engine).map(([name, method]) => [
    name,
    async (...given: unknown[]) => {
      try {
        return await (method as (...given: unknown[]) => unknown)(...given)
      } catch (thrown) {
        throw clean(thrown)
      }
    },
  ])
  return Object.fromEntries(guarded)
}

class CleanIo implements ModelIo {
  private readonly io: ModelIo
  private deltas: ReturnType<typeof redactedDeltas> | null = null

  constructor(io: ModelIo) {
    this.io = io
  }

  get path(): string {
    return this.io.path
  }

  get n(): number {
    return this.io.n
  }

  get signal(): AbortSignal {
    return this.io.signal
  }

  onDelta(text: string): void {
    this.deltas ??= redactedDeltas((clean) => this.io.onDelta(clean), recentSecrets())
    this.deltas.push(text)
  }

  part: ModelIo['part'] = (run) =>
    this.io.part(async () => {
      const { value, usage } = await run()
      return { value: cleanData(value, recentSecrets()), usage }
    })

  end(): void {
    this.deltas?.end()
  }
}

/** As the journal would have it: an object may say of itself as JSON what its fields don't show. */
function cleanData<T>(value: T, secrets: readonly string[]): T {
  if (secrets.length === 0 || typeof value !== 'object' || value === null) return redactDeep(value, secrets)
  return redactDeep(JSON.parse(JSON.stringify(value)), secrets)
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

/** A model that writes piece by piece when a test tells it to. */
import type { ModelIo } from '../../src/kernel/model.ts'
import type { ModelRequest } from '../../src/protocol/index.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { turns } from '../conformance/async.ts'

export interface ByHand {
  readonly model: ScriptedModel
  /** The next piece of the reply under way; `null` ends it, with this value or what the pieces say as JSON; an error fails it. */
  write(piece: string | null | Error, value?: unknown): Promise<void>
  /** Of the last call. */
  io(): ModelIo | null
}

/** `others`: what it replies at once; undefined to write the reply by hand. */
export function byHand(others: (request: ModelRequest) => unknown = () => undefined): ByHand {
  const waiting: ((given: { piece: string | null | Error; value?: unknown }) => void)[] = []
  let io: ModelIo | null = null
  const model = new ScriptedModel(async (request: ModelRequest, given: ModelIo) => {
    const said = others(request)
    if (said !== undefined) return said
    io = given
    let text = ''
    for (;;) {
      const { piece, value } = await new Promise<Parameters<(typeof waiting)[number]>[0]>((resolve) =>
        waiting.push(resolve),
      )
      if (piece instanceof Error) return piece
      if (piece === null) return value ?? JSON.parse(text)
      text += piece
      given.onDelta(piece)
    }
  })
  return {
    model,
    async write(piece, value) {
      while (waiting.length === 0) await turns(1)
      waiting.shift()?.({ piece, value })
      await turns(4)
    },
    io: () => io,
  }
}

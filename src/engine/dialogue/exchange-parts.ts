/** An exchange with a run as it happens: `createExchange` of src/views over its events, and where it ends. */
import { ThinkonError } from '../../protocol/index.ts'
import { isFirst, nextOf } from '../../streams/next-item.ts'
import type { StreamedRun } from '../../streams/run-streams.ts'
import { createExchange, type ExchangePart, type ExchangeStart } from '../../views/exchange.ts'

/** What is called together is told together; a call that comes later belongs to the next exchange. */
const REST_MS = 50

/**
 * From `begun` to `calls` or `ended`. Throws what the run's outcome rejects with, such as MODEL_OUTAGE, and the signal's reason when it is
 * aborted.
 */
export async function* exchangeParts(
  { id, events, outcome, views }: StreamedRun,
  start: ExchangeStart,
  signal: AbortSignal,
): AsyncGenerator<ExchangePart> {
  const exchange = createExchange(await views(), id, start)
  const items = events.with({ deltas: true, signal })[Symbol.asyncIterator]()
  let isBegun = false
  try {
    for (let next = nextOf(items); !exchange.isOver; ) {
      if (exchange.mayRest && (await isFirst(REST_MS, next))) return yield* exchange.rest()
      const item = await next
      if (item.done) break
      next = nextOf(items)
      const parts = exchange.follow(item.value)
      if (!isBegun && exchange.from !== null) {
        isBegun = true
        yield { type: 'begun', from: exchange.from }
      }
      yield* parts
    }
    if (exchange.isOver) return
    signal.throwIfAborted()
    await outcome
    throw new ThinkonError('INTERNAL', `run ${id} has ended, and its journal does not say how`)
  } finally {
    await items.return?.()
  }
}

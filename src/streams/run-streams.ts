/** What people read of a run as it is written: the folds of src/views over its events and deltas. */
import type { Event, ModelRetry, TextDelta } from '../protocol/index.ts'
import { createAnswerText } from '../views/answer-text.ts'
import type { StrategyViews } from '../views/block-views.ts'
import { createThoughts, type ThoughtStep } from '../views/thoughts.ts'
import type { UIMessageChunk } from '../views/ui-message-chunk.ts'
import { createUIMessageChunks, type UIMessageOptions } from '../views/ui-message-chunks.ts'
import { isFirst, nextOf } from './next-item.ts'

export interface StreamedRun {
  readonly id: string
  readonly events: {
    with(options: { deltas: true; signal: AbortSignal }): AsyncIterable<Event | ModelRetry | TextDelta>
  }
  /** Asked for at the end: a run of a service is asked for its outcome only then. */
  readonly outcome: Promise<unknown>
  /** The views of the run's strategies. */
  views(): Promise<StrategyViews>
}

/** The answer's text as it is written; joined, it is the outcome's result. Throws what the outcome rejects with, after what was written. */
export async function* answerText(run: StreamedRun, signal: AbortSignal): AsyncGenerator<string> {
  const text = createAnswerText(await run.views())
  for await (const event of run.events.with({ deltas: true, signal })) {
    const piece = text.follow(event)
    if (piece !== '') yield piece
  }
  if (!signal.aborted) await run.outcome
}

/** The run as steps that people read, each given again as it grows. Throws what the outcome rejects with, after the last of them. */
export async function* thoughtSteps(run: StreamedRun, signal: AbortSignal): AsyncGenerator<ThoughtStep> {
  const thoughts = createThoughts(await run.views())
  for await (const event of run.events.with({ deltas: true, signal })) yield* thoughts.follow(event)
  if (!signal.aborted) await run.outcome
}

/** How often the tree is given at most. */
const TREE_INTERVAL_MS = 250

/** The run as the chunks of a UI message. Never throws: what the outcome rejects with is its last chunk. */
export async function* uiMessageChunks(
  run: StreamedRun,
  options: UIMessageOptions,
  signal: AbortSignal,
): AsyncGenerator<UIMessageChunk> {
  const message = createUIMessageChunks(await run.views(), run.id, options)
  const items = run.events.with({ deltas: true, signal })[Symbol.asyncIterator]()
  try {
    let treeAtMs = 0
    let next = nextOf(items)
    for (;;) {
      const waitMs = message.hasNewTree ? treeAtMs + TREE_INTERVAL_MS - Date.now() : null
      if (waitMs !== null && (waitMs <= 0 || (await isFirst(waitMs, next)))) {
        treeAtMs = Date.now()
        yield* message.tree()
        continue
      }
      const item = await next
      if (item.done) break
      next = nextOf(items)
      yield* message.follow(item.value)
    }
    if (!signal.aborted) await run.outcome
  } catch (thrown) {
    yield* message.fail(thrown)
  } finally {
    await items.return?.()
  }
}

/** How `planner` is drawn: as the tree of its blocks, with the Context JSON of its last planning call in a file. */
import type { Event } from '../../protocol/index.ts'
import type { StrategyView } from '../../views/strategy-view.ts'

export const view: StrategyView = {
  file(event) {
    const text = contextOf(event)
    return text === null ? null : { path: '.thinkon/thinking-context.json', text }
  },
  streamFields: ['goal', 'result'],
}

/** The request of a planning call has the Context JSON as a part of its own, the first of the last message. */
function contextOf(event: Event): string | null {
  if (event.type !== 'model-start' || event.request.kind !== 'planner/plan') return null
  const content = event.request.messages.at(-1)?.content
  return typeof content === 'object' ? (content[0] ?? null) : null
}

/** How `planner` is drawn: as the tree of its blocks, with the Context JSON of its last planning call in a file. */
import { escapeJson } from '../../protocol/index.ts'
import type { StrategyView } from '../../views/strategy-view.ts'

export const view: StrategyView = {
  file(event) {
    if (event.type !== 'note' || event.name !== 'planner/context-given') return null
    return {
      path: '.thinkon/thinking-context.json',
      text: `${escapeJson(JSON.stringify(event.data, null, 2))}\n`,
    }
  },
  streamFields: ['goal', 'deliverable', 'result'],
}

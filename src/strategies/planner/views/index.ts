/** How `planner` is drawn: as the tree of its blocks, with the Context JSON of its last planning call in a file. */
import { escapeJson } from '../../../protocol/index.ts'
import type { AnswerForm, StrategyView } from '../../../views/strategy-view.ts'
import { standsAsWritten } from '../../closing/stands-as-written.ts'
import { planForm } from './plan-form.ts'

export const view: StrategyView = {
  form: planForm,
  file(event) {
    if (event.type !== 'note' || event.name !== 'planner/context-given') return null
    return {
      path: '.thinkon/thinking-context.json',
      text: `${escapeJson(JSON.stringify(event.data, null, 2))}\n`,
    }
  },
  streamFields: ['goal', 'deliverable', 'result'],
  answer(asked) {
    if (asked.kind === 'planner/reflect') return standsAsWritten(asked, RETURNED)
    // What is returned at a limit is partial, and nobody checks it.
    return asked.kind === 'planner/close' ? RETURNED : null
  },
}

/** A deliverable that is a result as it stands is not written again, and no text here. */
const RETURNED: AnswerForm = { field: 'deliverable', when: { type: 'plan-return' } }

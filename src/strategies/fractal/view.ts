/** How `fractal` is drawn: as the tree of its blocks, which needs nothing of its own; a block by what is to do and what is done. */
import type { StrategyView } from '../../views/strategy-view.ts'
import { todoBoard } from '../../views/todo-board.ts'
import { standsAsWritten } from '../closing/stands-as-written.ts'

export const view: StrategyView = {
  form: todoBoard,
  streamFields: ['description'],
  // A closing summary is put together with the results of sub-goals.
  answer: (asked) =>
    asked.kind === 'fractal/think' || asked.kind === 'fractal/eval'
      ? standsAsWritten(asked, { field: 'description', when: { type: 'RETURN' } })
      : null,
}

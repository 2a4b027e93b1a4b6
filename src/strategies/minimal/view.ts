/** How `minimal` is drawn: as the tree of its blocks. */
import type { StrategyView } from '../../views/strategy-view.ts'
import { todoBoard } from '../../views/todo-board.ts'

export const view: StrategyView = {
  form: todoBoard,
  streamFields: ['result', 'question'],
  answer: () => ({ field: 'result', when: { do: 'return' } }),
}

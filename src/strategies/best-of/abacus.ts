/** How the strategy's requests are answered: at once, and the same each time. */
import { solutionOf } from '../../models/embedded/abacus/answer.ts'
import { type Kinds, kind } from '../../models/embedded/abacus/kinds.ts'

export const abacus: Kinds = {
  'best-of/answer': kind<{ goal: string }>(({ task, words }) => {
    const { lines, reason } = solutionOf(task)
    return { answer: words.join(reason === undefined ? lines : [...lines, reason]) }
  }),
  'best-of/choose': kind<{ goal: string }>(() => ({ best: 1 })),
}

/** How the strategy's requests are answered: at once. */
import { type Kinds, kind } from '../../models/embedded/kinds.ts'
import { solutionOf, textsOf } from '../../models/embedded/solution.ts'

export const embedded: Kinds = {
  'best-of/answer': kind<{ goal: string }>(async (analysis) => ({
    answer: analysis.words.join(textsOf(await solutionOf(analysis))),
  })),
  'best-of/choose': kind<{ goal: string }>(() => ({ best: 1 })),
}

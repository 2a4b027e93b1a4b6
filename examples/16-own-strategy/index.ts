/**
 * A strategy of your own, in one folder. `outline` splits a goal into parts, has them solved at once, and merges the results. This
 * is its light description; the rest is loaded when it is used:
 *
 *   strategy.ts   how a block is solved
 *   prompts.ts    what the model is told
 *   schema.ts     its options and the shapes of replies
 *   notes.ts      what it writes into the journal
 *   view.ts       how it is drawn
 */
import type { StrategyModule } from 'thinkon/strategies'

const outline: StrategyModule = {
  name: 'outline',
  version: 1,
  summary: 'splits a goal into parts, solves them at once, and merges the results',
  flags: {
    parts: { option: 'maxParts', type: 'whole', value: '<n>', help: 'the most parts of one goal (4)' },
  },
  load: async () => (await import('./strategy.ts')).outline,
  view: async () => (await import('./view.ts')).view,
}

export default outline

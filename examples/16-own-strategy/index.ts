/**
 * Your own strategy, in one folder. `outline` splits a goal into parts, solves them concurrently and merges the results. This is
 * its light description; the rest is loaded on use:
 *
 *   strategy.ts   how a block is solved
 *   prompts.ts    what its requests carry
 *   schema.ts     its options and the shapes of replies
 *   notes.ts      the notes it writes to the journal
 *   view.ts       how it is drawn
 */
import type { StrategyModule } from 'thinkon/strategies'
import type { OutlineOptions } from './schema.ts'

const outline: StrategyModule<'outline', OutlineOptions> = {
  name: 'outline',
  version: 2,
  summary: 'splits a goal into parts, solves them concurrently and merges the results',
  flags: {
    parts: { option: 'maxParts', type: 'whole', value: '<n>', help: 'maximum number of parts of a goal (4)' },
  },
  load: async () => (await import('./strategy.ts')).outline,
  view: async () => (await import('./view.ts')).view,
}

export default outline

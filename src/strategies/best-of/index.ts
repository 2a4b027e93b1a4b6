/**
 * Best of n: the same goal is answered several times over, independently. An answer that a program verifies wins at once; where
 * none can verify, the answer that most samples come to (self-consistency); where no two agree, the one that a judge prefers.
 */
import type { StrategyModule } from '../strategy-module.ts'

export type { BestOfOptions } from './schema.ts'

export const bestOf: StrategyModule<'best-of'> = {
  name: 'best-of',
  version: 1,
  summary: 'answers several times over, and takes what a program verifies or most samples agree on',
  flags: {
    samples: { option: 'samples', type: 'whole', value: '<n>', help: 'at most so many samples (5)' },
    concurrency: {
      option: 'concurrency',
      type: 'whole',
      value: '<n>',
      help: 'at most so many samples are drawn at once (5)',
    },
    temperature: {
      option: 'temperature',
      type: 'number',
      value: '<0-2>',
      help: 'how much samples differ (0.7)',
    },
    by: {
      option: 'strategy',
      type: 'text',
      value: '<strategy>',
      help: 'the strategy that each sample is solved with; a single call unless given',
    },
  },
  load: async () => (await import('./strategy.ts')).bestOf,
  view: async () => (await import('./view.ts')).view,
  embedded: async () => (await import('./embedded.ts')).embedded,
}

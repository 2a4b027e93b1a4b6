import type { StrategyModule } from '../strategy-module.ts'

export const cot: StrategyModule = {
  name: 'cot',
  version: 5,
  summary:
    'a chain of thoughts: each judges the one before, does a step of the plan, and writes the plan anew',
  flags: {
    'max-thoughts': {
      option: 'maxThoughts',
      type: 'whole',
      value: '<n>',
      help: 'close with what there is after this many thoughts (20)',
    },
  },
  load: async () => (await import('./strategy.ts')).cot,
  view: async () => (await import('./views/index.ts')).view,
  embedded: async () => (await import('./embedded.ts')).embedded,
}

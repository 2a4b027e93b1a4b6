import type { StrategyModule } from '../strategy-module.ts'

export const auto: StrategyModule = {
  name: 'auto',
  version: 1,
  summary: 'looks at the goal and picks one of the others: by rules, or by one cheap model call',
  load: async () => (await import('./strategy.ts')).auto,
  view: async () => (await import('./view.ts')).view,
}

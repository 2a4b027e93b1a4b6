import type { StrategyModule } from '../strategy-module.ts'

export type { Agent, AgentFunction } from './agents/agent.ts'
export type { ExplorerFunction, OrchestratorFunction } from './own-explorer.ts'
export type { TotOptions } from './schema.ts'
export type { TreeOfThoughts, Verification } from './strategy.ts'

export const tot: StrategyModule = {
  name: 'tot',
  version: 1,
  summary:
    'a tree of thoughts: candidates are generated, judged and searched for the best path; answers verified',
  flags: {
    search: {
      option: 'search',
      type: 'text',
      value: '<how>',
      help: 'BFS, DFS, best-first or mcts; by the type of task unless given',
    },
    depth: { option: 'depth', type: 'whole', value: '<n>', help: 'how many thoughts a path has at most' },
    branching: {
      option: 'branching',
      type: 'whole',
      value: '<n>',
      help: 'how many candidates are asked of one thought',
    },
    beam: { option: 'beam', type: 'whole', value: '<n>', help: 'how many thoughts survive a layer (5)' },
    threshold: {
      option: 'threshold',
      type: 'number',
      value: '<0-10>',
      help: 'thoughts that surely score lower are cut',
    },
    'task-type': {
      option: 'task_type',
      type: 'text',
      value: '<type>',
      help: 'math_reasoning, creative_writing, planning, architecture_design, debugging or auto',
    },
    logs: { option: 'logs', type: 'text', value: '<dir>', help: 'where the log folder is made (logs)' },
  },
  load: async () => (await import('./strategy.ts')).tot,
  abacus: async () => (await import('./abacus.ts')).abacus,
}

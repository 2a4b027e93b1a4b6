/** The strategies that ship, by name. Each is loaded when it is first used. */
import type { StrategyEntry } from '../kernel/kernel.ts'

export const STRATEGIES: ReadonlyMap<string, StrategyEntry> = new Map<string, StrategyEntry>([
  [
    'auto',
    {
      version: 1,
      summary: 'looks at the goal and picks one of the others: by rules, or by one cheap model call',
      load: async () => (await import('./auto/index.ts')).auto as never,
    },
  ],
  [
    'cot',
    {
      version: 1,
      summary:
        'a chain of thoughts: each judges the one before, does a step of the plan, and writes the plan anew',
      flags: {
        'max-thoughts': {
          option: 'maxThoughts',
          type: 'whole',
          value: '<n>',
          help: 'close with what there is after so many thoughts (20)',
        },
      },
      load: async () => (await import('./chain-of-thought/index.ts')).cot as never,
    },
  ],
  [
    'dual',
    {
      version: 1,
      summary:
        'plans tasks, has the plan reviewed, and carries out each in a loop of actions that can plan again',
      flags: {
        review: {
          option: 'review',
          type: 'text',
          value: 'manual|auto|ai',
          help: 'who reviews plans and tasks: a person, nobody (auto), or a person where a model sees a risk',
        },
        concurrency: { option: 'concurrency', type: 'whole', value: '<n>', help: 'tasks at once (1)' },
        blueprint: {
          option: 'blueprint',
          type: 'text',
          value: '<name>',
          help: 'a plan made beforehand: code-audit, documentation, migration, security-review, or one of .thinkon/blueprints',
        },
        params: { option: 'params', type: 'json', value: '<json>', help: "the blueprint's parameters" },
      },
      load: async () => (await import('./dual-engine/index.ts')).dual as never,
    },
  ],
  [
    'fractal',
    {
      version: 1,
      summary: 'thinks, plans in words, calls sub-goals one after the other, and judges what came of them',
      load: async () => (await import('./fractal/index.ts')).fractal as never,
    },
  ],
  [
    'planner',
    {
      version: 1,
      summary:
        'plans the next block through two gates (evidence, ability), executes, and reflects on the four parts of a goal',
      load: async () => (await import('./planner/index.ts')).planner as never,
    },
  ],
  [
    'minimal',
    {
      version: 1,
      summary: 'the model moves freely: plan, call, tool, ask, return; the smallest strategy there is',
      load: async () => (await import('./minimal/index.ts')).minimal as never,
    },
  ],
  [
    'tot',
    {
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
      load: async () => (await import('./tree-of-thoughts/index.ts')).tot as never,
    },
  ],
])

export const DEFAULT_STRATEGY = 'auto'

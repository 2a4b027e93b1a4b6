/**
 * Tree of Thoughts: six agents exchange messages about a growing tree.
 *
 *   strategy.ts      the whole way from the problem to the answer
 *   orchestrator.ts  begins the search: which type of task, what a thought is, how to search
 *   agents/          who answers the messages (models, code, functions of the caller, other strategies), and the exchange
 *   search/          the Explorer: the tree, its one move (expand), and the four ways through the tree
 *   domains/         what is known by program about arithmetic: states, and whether an answer is right
 *   trees.ts         several trees, and the vote among their answers
 *   synthesize.ts    from the best path to the answer
 *   setup.ts         what a caller can replace; own-explorer.ts runs a caller's own search
 *   task-types.ts    what each type of task begins with; schema.ts has the options
 *   protocol.ts      the document's data and messages, messages.ts checks them, notes.ts has them in the journal
 *   views/           how it is drawn: the tree, pictures, the log folder
 */
import {
  type Arguments,
  anything,
  checkArguments,
  either,
  type Fields,
  fields,
  func,
  isFunction,
  json,
  record,
} from '../../protocol/check-arguments.ts'
import { isObject } from '../../protocol/json.ts'
import { strategyName } from '../strategy-checks.ts'
import type { StrategyDescription, StrategyModule } from '../strategy-module.ts'
import { SEARCH_STRATEGIES, TASK_TYPES } from './protocol.ts'
import type { TotOptions } from './schema.ts'
import type { TreeOfThoughts } from './setup.ts'

const description: StrategyDescription = {
  name: 'tot',
  version: 4,
  summary:
    'a tree of thoughts: candidates are generated, judged and searched for the best path; answers verified',
  flags: {
    search: {
      option: 'search',
      type: 'text',
      value: '<how>',
      values: SEARCH_STRATEGIES,
      help: 'BFS, DFS, best-first or mcts; by the type of task unless given',
    },
    depth: { option: 'depth', type: 'whole', value: '<n>', help: 'number of thoughts on a path' },
    branching: {
      option: 'branching',
      type: 'whole',
      value: '<n>',
      help: 'how many candidates are asked for per thought',
    },
    beam: { option: 'beam', type: 'whole', value: '<n>', help: 'how many thoughts survive a layer (5)' },
    adaptive: {
      option: 'adaptive',
      type: 'switch',
      help: 'fewer survive where the judges agree, up to twice as many where they disagree',
    },
    threshold: {
      option: 'threshold',
      type: 'number',
      value: '<0-10>',
      help: 'thoughts that score lower for sure are pruned',
    },
    trees: {
      option: 'trees',
      type: 'whole',
      value: '<n>',
      help: 'how many independent trees are grown; their answers are put to a vote (1)',
    },
    revise: {
      option: 'revise',
      type: 'whole',
      value: '<n>',
      help: 'how many paths that failed are revised, with what was wrong in view (0)',
    },
    'task-type': {
      option: 'task_type',
      type: 'text',
      value: '<type>',
      values: [...TASK_TYPES, 'auto'],
      help: 'math_reasoning, creative_writing, planning, architecture_design, debugging or auto',
    },
    'log-dir': {
      option: 'log_dir',
      type: 'path',
      value: '<folder>',
      help: "where the log folder is made (logs in the store's folder)",
    },
  },
  view: async () => (await import('./views/index.ts')).view,
  embedded: async () => (await import('./embedded.ts')).embedded,
}

const agent = either(
  'a function, or an object with begin() and end()',
  [isFunction, anything],
  [
    isObject,
    fields(
      { begin: func(), end: func() },
      { needs: { begin: 'starts its operations', end: 'reads their results' }, open: true },
    ),
  ],
)

const TREE_OF_THOUGHTS: Arguments = {
  checks: {
    options: fields({
      name: strategyName,
      agents: fields({
        decomposer: agent,
        generator: agent,
        evaluator: agent,
        synthesizer: agent,
        orchestrator: func(),
        explorer: func(),
      } satisfies Fields<NonNullable<TreeOfThoughts['agents']>>),
      verify: func(),
      options: record(json, 'options of the strategy'),
    } satisfies Fields<TreeOfThoughts>),
  },
}

/** A Tree of Thoughts with agents, a verifier or a name of the caller's. */
export function treeOfThoughts<const Name extends string = 'tot'>(
  given: TreeOfThoughts<Name> = {},
): StrategyModule<Name, TotOptions> {
  checkArguments('treeOfThoughts', TREE_OF_THOUGHTS, [given])
  const { name = description.name as Name } = given
  return {
    ...description,
    name,
    load: async () => (await import('./strategy.ts')).treeOfThoughtsSolver(name, given),
  }
}

export const tot = treeOfThoughts()

/** What each type of task begins with. */
import type { EvaluationStrategy, GenerationStrategy, SearchStrategy, TaskType } from './protocol.ts'

interface TaskDefaults {
  readonly granularity: string
  readonly search: SearchStrategy
  readonly depth: number
  /** How many thoughts are usual, which the Decomposer is told; the document has none for debugging. */
  readonly range?: readonly [number, number]
  readonly branching: number
  readonly threshold: number
  readonly generation: GenerationStrategy
  readonly evaluation: EvaluationStrategy
  /** By what thoughts are judged where the Decomposer names nothing. */
  readonly criteria: readonly string[]
}

const PROPOSED = { generation: 'sequential_proposal', evaluation: 'independent_scoring' } as const
const SAMPLED = { generation: 'independent_sampling', evaluation: 'comparative_voting' } as const

/** The document's table, with the numbers it leaves open. */
export const TASKS: Readonly<Record<TaskType, TaskDefaults>> = {
  math_reasoning: {
    granularity: 'equation',
    search: 'BFS',
    depth: 3,
    range: [3, 4],
    branching: 5,
    threshold: 5,
    ...PROPOSED,
    criteria: ['correctness', 'progress', 'feasibility'],
  },
  creative_writing: {
    granularity: 'paragraph',
    search: 'BFS',
    depth: 2,
    range: [2, 3],
    branching: 4,
    threshold: 6,
    ...SAMPLED,
    criteria: [
      'fit: what was asked for is there',
      'coherence: it follows on what stands before it',
      'craft: language, images, surprise',
    ],
  },
  planning: {
    granularity: 'action_step',
    search: 'DFS',
    depth: 4,
    range: [3, 5],
    branching: 3,
    threshold: 5.5,
    ...PROPOSED,
    criteria: [
      'feasibility: it can be done with what there is',
      'progress: how much nearer the goal it comes',
      'cost: effort and risk',
    ],
  },
  architecture_design: {
    granularity: 'component',
    search: 'BFS',
    depth: 2,
    range: [2, 3],
    branching: 4,
    threshold: 6.5,
    ...SAMPLED,
    criteria: [
      'fit: the requirements are met',
      'simplicity: no part without need',
      'robustness: it bears failure and change',
    ],
  },
  debugging: {
    granularity: 'hypothesis',
    search: 'DFS',
    depth: 4,
    branching: 3,
    threshold: 5,
    ...PROPOSED,
    criteria: [
      'explanation: it accounts for all that was seen',
      'likelihood: how probable the cause is',
      'testability: how easily it is confirmed or ruled out',
    ],
  },
}

export const DEFAULT_BEAM = 5

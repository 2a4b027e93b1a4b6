/**
 * The Tree of Thoughts protocol: the document's data and messages, field by field. Fields that its own examples leave out are
 * optional. A search's messages are in the journal as notes named `tot/message`; views fold them.
 */

export interface Evaluation {
  /** 0 to 10. */
  readonly score: number
  /** 0 to 1. */
  readonly confidence: number
  readonly reasoning: string
}

export interface ThoughtNode {
  readonly id: string
  readonly parent_id: string | null
  readonly children_ids: readonly string[]
  readonly depth: number
  readonly content: string
  readonly action_type: string
  readonly evaluation: Evaluation | null
  readonly status: 'pending' | 'expanded' | 'pruned' | 'terminal'
  readonly metadata?: Readonly<Record<string, unknown>>
}

export const TASK_TYPES = [
  'math_reasoning',
  'creative_writing',
  'planning',
  'architecture_design',
  'debugging',
] as const
export type TaskType = (typeof TASK_TYPES)[number]

export const SEARCH_STRATEGIES = ['BFS', 'DFS', 'best-first', 'mcts'] as const
export type SearchStrategy = (typeof SEARCH_STRATEGIES)[number]

export const GENERATION_STRATEGIES = ['independent_sampling', 'sequential_proposal'] as const
export type GenerationStrategy = (typeof GENERATION_STRATEGIES)[number]

export const EVALUATION_STRATEGIES = ['independent_scoring', 'comparative_voting'] as const
export type EvaluationStrategy = (typeof EVALUATION_STRATEGIES)[number]

export interface SearchConfig {
  readonly strategy: SearchStrategy
  readonly max_depth: number
  /** How many candidates are asked for per parent. */
  readonly branching_factor: number
  /** How many survive a layer. */
  readonly beam_width?: number
  readonly pruning_threshold: number
}

export interface ThoughtTree {
  readonly task_id: string
  readonly problem: string
  readonly task_type: TaskType
  readonly search_config: SearchConfig
  readonly nodes: Readonly<Record<string, ThoughtNode>>
  readonly root_id: string
  readonly search_state: {
    readonly current_depth: number
    readonly frontier: readonly string[]
    readonly best_path: readonly string[]
  }
}

export interface Decomposition {
  readonly thought_granularity: string
  readonly intermediate_steps: readonly string[]
  readonly depth_estimate: number
  readonly constraints: readonly string[]
  readonly success_criteria: string
  /** By what thoughts on this problem are judged, each "name: what is looked at"; beyond the document. */
  readonly evaluation_criteria?: readonly string[]
}

export interface Candidate {
  readonly temp_id: string
  readonly content: string
  readonly action_type: string
  readonly metadata?: Readonly<Record<string, unknown>>
}

export interface NodeEvaluation extends Evaluation {
  readonly node_id: string
  /** By criterion. */
  readonly dimension_scores?: Readonly<Record<string, number>>
}

export interface FinalSolution {
  readonly answer: string
  readonly reasoning_trace: readonly string[]
  readonly confidence: number
  readonly verification: { readonly is_valid: boolean; readonly validation_errors?: readonly string[] }
  readonly alternative_solutions?: readonly string[]
}

/** The ten messages, by type. */
export interface FailedThought {
  readonly content: string
  readonly errors: readonly string[]
}

export interface ThoughtPayloads {
  decompose_task: { readonly problem: string; readonly task_type: TaskType }
  decomposition_result: Decomposition
  generate_thoughts: {
    readonly parent_node: ThoughtNode
    readonly generation_strategy: GenerationStrategy
    readonly num_candidates: number
    readonly context: {
      readonly problem: string
      readonly goal: string
      readonly constraints: readonly string[]
      /** What was tried after the parent, and what was wrong with it: the candidates are to go another way. */
      readonly failed?: readonly FailedThought[]
    }
  }
  generated_thoughts: { readonly candidates: readonly Candidate[] }
  evaluate_thoughts: {
    readonly candidates: readonly ThoughtNode[]
    readonly evaluation_strategy: EvaluationStrategy
    readonly evaluation_criteria: readonly string[]
    readonly context: {
      readonly problem: string
      readonly goal: string
      readonly current_depth: number
      readonly max_depth: number
    }
  }
  evaluation_results: {
    readonly evaluations: readonly NodeEvaluation[]
    readonly ranking: readonly string[]
    readonly pruning_suggestions: readonly string[]
  }
  initialize_search: {
    readonly problem: string
    readonly task_type: TaskType
    readonly search_config: SearchConfig
    readonly decomposition_result: Decomposition
  }
  search_complete: {
    readonly best_path: readonly ThoughtNode[]
    readonly tree: ThoughtTree
    readonly stats: {
      readonly total_nodes: number
      readonly total_backtracks: number
      readonly llm_calls: number
    }
  }
  synthesize_solution: {
    readonly best_path: readonly ThoughtNode[]
    readonly problem: string
    readonly task_type: TaskType
  }
  final_solution: FinalSolution
}

export type ThoughtMessageType = keyof ThoughtPayloads

export const AGENTS = [
  'orchestrator',
  'decomposer',
  'generator',
  'evaluator',
  'explorer',
  'synthesizer',
] as const
export type AgentName = (typeof AGENTS)[number]

export const THOUGHT_ERRORS = [
  'INVALID_FORMAT',
  'GENERATION_FAILED',
  'EVALUATION_TIMEOUT',
  'SEARCH_EXHAUSTED',
] as const

export interface ThoughtError {
  readonly code: (typeof THOUGHT_ERRORS)[number]
  readonly message: string
  readonly recoverable: boolean
}

/** One message in its envelope. One that failed has an error, and may have no payload. */
export type ThoughtMessage<T extends ThoughtMessageType = ThoughtMessageType> = {
  [K in T]: {
    readonly from: AgentName
    readonly to: AgentName
    readonly type: K
    readonly payload: ThoughtPayloads[K]
    readonly task_id: string
    readonly error?: ThoughtError
  }
}[T]

/** The note under which a message is in the journal. */
export const THOUGHT_MESSAGE = 'tot/message'

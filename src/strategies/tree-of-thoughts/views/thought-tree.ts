/** The search of a `tot` block as a tree, as far as it is known. */
import type { Outcome } from '../../../protocol/index.ts'
import type { FinalSolution, SearchConfig, TaskType, ThoughtNode, ThoughtTree } from '../protocol.ts'

/** A node of the tree, with what the document's node has no field for. */
export interface Thought {
  node: ThoughtNode
  /** The round in which it was added; 0 for the root. */
  round: number
  /** It survived its layer. */
  kept: boolean
  /** The node that has the same state and stands for it. */
  mergedInto: string | null
  /** Its value was known from an equal one. */
  remembered: boolean
  verified: boolean | null
}

export interface ThoughtSearch {
  path: string
  problem: string
  /** Empty, null: not known yet. */
  taskId: string
  taskType: TaskType | null
  config: SearchConfig | null
  rootId: string
  /** In order of creation, parents first. */
  thoughts: Map<string, Thought>
  round: number
  depth: number
  frontier: readonly string[]
  bestPath: readonly string[]
  bestScore: number | null
  backtracks: number
  solution: FinalSolution | null
  outcome: Outcome | null
}

export function emptySearch(path: string, problem = ''): ThoughtSearch {
  return {
    path,
    problem,
    taskId: '',
    taskType: null,
    config: null,
    rootId: 'root',
    thoughts: new Map(),
    round: 0,
    depth: 0,
    frontier: [],
    bestPath: [],
    bestScore: null,
    backtracks: 0,
    solution: null,
    outcome: null,
  }
}

/** What is known of the search in the document's form; what is not known yet is null. */
export function treeOf(search: ThoughtSearch) {
  const { taskId, problem, taskType, config, rootId, thoughts, depth, frontier } = search
  return {
    task_id: taskId,
    problem,
    task_type: taskType,
    search_config: config,
    nodes: Object.fromEntries([...thoughts].map(([id, { node }]) => [id, node])),
    root_id: rootId,
    search_state: { current_depth: depth, frontier, best_path: bestPathOf(search) },
  } satisfies { readonly [K in keyof ThoughtTree]: ThoughtTree[K] | null }
}

/** The best path as the searcher told it; before it did, the way to the best of the deepest thoughts that stand. */
export function bestPathOf({ bestPath, thoughts }: ThoughtSearch): readonly string[] {
  if (bestPath.length > 0) return bestPath
  let best: ThoughtNode | null = null
  for (const { node, mergedInto } of thoughts.values()) {
    if (node.evaluation === null || node.status === 'pruned' || mergedInto !== null) continue
    if (best === null || node.depth > best.depth || (node.depth === best.depth && isBetter(node, best)))
      best = node
  }
  const path: string[] = []
  for (let node = best; node !== null && !path.includes(node.id); ) {
    path.unshift(node.id)
    node = node.parent_id === null ? null : (thoughts.get(node.parent_id)?.node ?? null)
  }
  return path
}

export function bestScoreOf({ bestScore, thoughts }: ThoughtSearch): number | null {
  if (bestScore !== null) return bestScore
  const scores = [...thoughts.values()].flatMap(({ node }) => node.evaluation?.score ?? [])
  return scores.length === 0 ? null : scores.reduce((a, b) => Math.max(a, b))
}

function isBetter(a: ThoughtNode, b: ThoughtNode): boolean {
  return (a.evaluation?.score ?? -1) > (b.evaluation?.score ?? -1)
}

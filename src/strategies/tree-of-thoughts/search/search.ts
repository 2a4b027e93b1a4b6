/** One search: its problem, its configuration, and how far it has come. */
import type { ErrorData } from '../../../protocol/index.ts'
import type { Team } from '../agents/exchange.ts'
import type { AnswerCheck } from '../domains/domain.ts'
import type {
  Decomposition,
  Evaluation,
  EvaluationStrategy,
  GenerationStrategy,
  SearchConfig,
  TaskType,
  ThoughtError,
  ThoughtPayloads,
} from '../protocol.ts'
import type { Thought, Tree } from './tree.ts'

export interface Search extends Team {
  readonly taskType: TaskType
  readonly decomposition: Decomposition
  readonly goal: string
  readonly constraints: readonly string[]
  /** By what thoughts are judged. */
  readonly criteria: readonly string[]
  readonly generation: GenerationStrategy
  readonly evaluation: EvaluationStrategy
  readonly verifier: Verifier | null
  readonly tree: Tree
  /** Values by state: the mean of all that were given. */
  readonly remembered: Map<string, Remembered>
  /** Widened once when nothing was found. */
  config: SearchConfig
  round: number
  /** How many failed paths may still be revised. */
  revisions: number
  /** The thought that was verified as a solution, or that the search settled on. */
  solution: Thought | null
  frontier: readonly Thought[]
  /** Why there were no candidates or no values, the last time there were none; a limit that was reached stays the reason. */
  lastFailure: ErrorData | null
}

export interface Remembered {
  readonly evaluation: Evaluation
  /** How many values it is the mean of. */
  readonly looks: number
}

export function noteFailure(search: Search, failure: ErrorData): void {
  if (search.lastFailure?.code !== 'LIMIT') search.lastFailure = failure
}

/** What the Explorer is asked for. */
export function searchRequest({
  problem,
  taskType,
  config,
  decomposition,
}: Search): ThoughtPayloads['initialize_search'] {
  return { problem, task_type: taskType, search_config: config, decomposition_result: decomposition }
}

/** Says whether answers are right, many at once. */
export type Verifier = (search: Search, answers: readonly PathAnswer[]) => Promise<AnswerCheck[]>

export interface PathAnswer {
  readonly answer: string
  /** The thoughts that led to it. */
  readonly thoughts: readonly string[]
}

/** No thoughts come after it. */
export function isEnd(search: Search, { depth, metadata }: Thought): boolean {
  if (depth >= search.config.max_depth || metadata.terminal === true) return true
  return knownState(search, metadata, (domain, state) => domain.isComplete(state)) ?? false
}

/** What the domain says about a thought's state; undefined where nothing is known about it. */
export function knownState<T>(
  { domain, context }: Search,
  { state }: Thought['metadata'],
  ask: (domain: NonNullable<Search['domain']>, state: string) => T,
): T | undefined {
  if (domain === null || !context.options.recompute || typeof state !== 'string') return undefined
  return ask(domain, state)
}

/** It was not asked for children yet, or is to be revised, or gave as many as were asked for, and more may be asked for now. */
export function isExpandable({ config }: Search, { status, capped, asked, reopened }: Thought): boolean {
  return status !== 'expanded' || reopened || (capped && asked < config.branching_factor)
}

/** The search can continue from it: it is not merged into another, and not known to be wrong or to lead nowhere. */
export function isLive({ mergedInto, check, settled }: Thought): boolean {
  return mergedInto === null && check?.is_valid !== false && settled?.leads !== false
}

/** The tree may not grow any more. */
export function isFull(search: Search): boolean {
  return roomIn(search) === 0
}

/** How many more thoughts the tree may have. The root counts, as it does in `total_nodes`. */
export function roomIn({ tree, context }: Search): number {
  return Math.max(0, context.options.max_nodes - tree.all.length)
}

/** Only a verified answer ends the search; otherwise the best does. */
export function isVerifying({ verifier, context }: Search): boolean {
  return verifier !== null && context.options.verify !== false
}

/** Candidates are compared with each other, all of a layer at once. */
export function isVoting({ evaluation }: Search): boolean {
  return evaluation === 'comparative_voting'
}

export function exhausted(search: Search, recoverable: boolean): ThoughtError {
  const { tree, words } = search
  const why = [words.noSolution(tree.all.length - 1), isFull(search) ? words.full(tree.all.length) : '']
  const message = why.filter((part) => part !== '').join('; ')
  return { code: 'SEARCH_EXHAUSTED', message, recoverable }
}

export function noteAdjusted({ context }: Team, error: ThoughtError, change: string): void {
  context.emit('tot/adjusted', { error, change })
}

export function startLayer(search: Search, expanding: readonly Thought[]): void {
  search.round++
  search.frontier = expanding
  search.context.emit('tot/layer-start', {
    round: search.round,
    depth: Math.max(...expanding.map(({ depth }) => depth)) + 1,
    expanding: expanding.map(({ id }) => id),
  })
}

/** Ends a round. Children that could have been kept and are not are pruned; beside a solution none is. */
export function endLayer(search: Search, layer: readonly Thought[], kept: readonly Thought[]): void {
  const chosen = new Set(kept)
  const pruned =
    search.solution === null ? layer.filter((thought) => isOpen(thought) && !chosen.has(thought)) : []
  for (const thought of pruned) thought.status = 'pruned'
  for (const thought of kept) if (thought.status === 'pruned') thought.status = statusOf(search, thought)
  const merged = layer.flatMap(({ id, mergedInto }) =>
    mergedInto === null ? [] : [{ id, into: mergedInto.id }],
  )
  search.context.emit('tot/layer-selected', {
    round: search.round,
    depth: layer[0]?.depth ?? (search.frontier[0]?.depth ?? 0) + 1,
    kept: kept.map(({ id }) => id),
    pruned: pruned.map(({ id }) => id),
    merged,
  })
}

/** It is neither merged nor an end that was refuted. */
function isOpen({ mergedInto, check }: Thought): boolean {
  return mergedInto === null && check?.is_valid !== false
}

/** Of a thought that was pruned, and is kept now. */
function statusOf(search: Search, thought: Thought): Thought['status'] {
  if (isEnd(search, thought)) return 'terminal'
  return thought.children.length > 0 ? 'expanded' : 'pending'
}

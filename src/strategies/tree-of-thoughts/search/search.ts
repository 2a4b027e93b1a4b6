/** One search: what it is about, how it goes, how far it has come. */
import type {
  Decomposition,
  ErrorData,
  Evaluation,
  SearchConfig,
  TaskType,
  ThoughtError,
} from '../../../protocol/index.ts'
import type { Desk } from '../agents/exchange.ts'
import type { AnswerCheck, Domain } from '../domains/domain.ts'
import type { EvaluationStrategy, Generation } from '../schema.ts'
import type { SearchWords } from '../words.ts'
import type { Thought, Tree } from './tree.ts'

export interface Search extends Desk {
  readonly problem: string
  readonly words: SearchWords
  readonly taskType: TaskType
  readonly decomposition: Decomposition
  readonly goal: string
  readonly constraints: readonly string[]
  readonly generation: Generation
  readonly evaluation: EvaluationStrategy
  readonly domain: Domain | null
  readonly verifier: Verifier | null
  readonly tree: Tree
  /** Values by state. */
  readonly remembered: Map<string, Evaluation>
  /** Widened once when nothing was found. */
  config: SearchConfig
  round: number
  /** The thought that was verified as a solution, or that the search settled on. */
  solution: Thought | null
  frontier: readonly Thought[]
  /** Why candidates or values could not be had, the last time. */
  trouble: ErrorData | null
}

/** Says of answers whether they are right, many at once. */
export type Verifier = (search: Search, answers: readonly Answer[]) => Promise<AnswerCheck[]>

export interface Answer {
  readonly answer: string
  /** The thoughts that led to it. */
  readonly thoughts: readonly string[]
}

/** How a search goes through the tree. It ends with a solution, or without when nothing is left to expand. */
export type Walk = (search: Search) => Promise<void>

/** No thoughts come after it. */
export function isEnd({ config, domain, context }: Search, { depth, metadata }: Thought): boolean {
  if (depth >= config.max_depth || metadata.terminal === true) return true
  const known = domain !== null && context.options.recompute && typeof metadata.state === 'string'
  return known && domain.isComplete(metadata.state as string)
}

/** It was not asked for children yet, or gave just as many as were asked for, and more may be asked now. */
export function isExpandable({ config }: Search, { status, capped, asked }: Thought): boolean {
  return status !== 'expanded' || (capped && asked < config.branching_factor)
}

/** The children that can be gone on with: not merged into others, not known to be wrong. */
export function liveChildren({ children }: Thought): Thought[] {
  return children.filter((child) => child.mergedInto === null && child.check?.is_valid !== false)
}

/** The tree may not grow any more. */
export function isFull({ tree, context }: Search): boolean {
  return tree.all.length >= context.options.max_nodes
}

/** Only a verified answer ends the search; otherwise the best does. */
export function isVerifying({ verifier, context }: Search): boolean {
  return verifier !== null && context.options.verify !== false
}

export function adjust({ context }: Pick<Search, 'context'>, error: ThoughtError, change: string): void {
  context.emit('tot/adjusted', { error, change })
}

export function layerStarted(search: Search, expanding: readonly Thought[]): void {
  search.round++
  search.frontier = expanding
  search.context.emit('tot/layer-start', {
    round: search.round,
    depth: Math.max(...expanding.map(({ depth }) => depth)) + 1,
    expanding: expanding.map(({ id }) => id),
  })
}

/** What became of the children of a round: cut ones are marked so. */
export function layerSelected(
  search: Search,
  layer: readonly Thought[],
  kept: readonly Thought[],
  pruned: readonly Thought[],
): void {
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

/** Of one that was cut before, and is not any more. */
function statusOf(search: Search, thought: Thought): Thought['status'] {
  if (isEnd(search, thought)) return 'terminal'
  return thought.children.length > 0 ? 'expanded' : 'pending'
}

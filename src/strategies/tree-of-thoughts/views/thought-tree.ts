/**
 * The search of a `tot` block as a tree: a fold over the notes its strategy leaves in the journal.
 *
 * 1. Any beginning of a journal folds: a search that was killed shows as far as it came.
 * 2. A list that a note leaves out counts as empty; a node that nobody added is passed over.
 * 3. `search_complete` has the searcher's own tree: what it says of a node replaces what was folded.
 */
import { type Event, type EventOf, goalText, type Outcome } from '../../../protocol/index.ts'
import {
  type FinalSolution,
  type SearchConfig,
  type TaskType,
  THOUGHT_MESSAGE,
  type ThoughtError,
  type ThoughtMessage,
  type ThoughtNode,
  type ThoughtTree,
} from '../protocol.ts'

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

export interface ThoughtFold {
  /** By the path of the block, in order of their start. */
  readonly searches: ReadonlyMap<string, ThoughtSearch>
  follow(event: Event): void
}

export const TOT = 'tot'

/** Whether the event's block is a tree search: by its strategy's name, or by notes, which one made from it leaves, too. */
export function tellsSearch(event: Event): boolean {
  if (event.type === 'block-start') return event.strategy.startsWith(`${TOT}@`)
  return event.type === 'note' && event.name.startsWith(`${TOT}/`)
}

export function foldThoughts(events: Iterable<Event>): ReadonlyMap<string, ThoughtSearch> {
  const fold = createThoughtFold()
  for (const event of events) fold.follow(event)
  return fold.searches
}

export function createThoughtFold(): ThoughtFold {
  const searches = new Map<string, ThoughtSearch>()
  const problems = new Map<string, string>()
  return {
    searches,
    follow(event) {
      const { path } = event
      if (event.type === 'block-start') problems.set(path, goalText(event.goal))
      if (!searches.has(path) && tellsSearch(event))
        searches.set(path, emptySearch(path, problems.get(path) ?? ''))
      const search = searches.get(path)
      if (search !== undefined) foldThought(search, event)
    },
  }
}

export function emptySearch(path: string, problem: string): ThoughtSearch {
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

/** Takes an event of the block into its search, in place. */
export function foldThought(search: ThoughtSearch, event: Event): void {
  if (event.type === 'block-end') search.outcome = event.outcome
  if (event.type !== 'note' || !isObject(event.data)) return
  const fold = NOTES[event.name]
  fold?.(search, event.data as never)
}

/** What is known of the search in the document's form; what is not known yet is null. */
export type KnownTree = Omit<ThoughtTree, 'task_type' | 'search_config'> & {
  readonly task_type: TaskType | null
  readonly search_config: SearchConfig | null
}

export function treeOf(search: ThoughtSearch): KnownTree {
  const { taskId, problem, taskType, config, rootId, thoughts, depth, frontier } = search
  return {
    task_id: taskId,
    problem,
    task_type: taskType,
    search_config: config,
    nodes: Object.fromEntries([...thoughts].map(([id, { node }]) => [id, node])),
    root_id: rootId,
    search_state: { current_depth: depth, frontier, best_path: bestPathOf(search) },
  }
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

export function isMessage(event: Event): event is EventOf<'note'> & { data: ThoughtMessage } {
  return event.type === 'note' && event.name === THOUGHT_MESSAGE && isObject(event.data)
}

function isBetter(a: ThoughtNode, b: ThoughtNode): boolean {
  return (a.evaluation?.score ?? -1) > (b.evaluation?.score ?? -1)
}

// --- the notes, by name

/** What the notes of a search hold, beside `tot/message`. */
export interface ThoughtNotes {
  'tot/task-chosen': { task_id: string; task_type: TaskType; search_config: SearchConfig; reason?: string }
  'tot/layer-start': { round: number; depth: number; expanding: readonly string[] }
  'tot/nodes-added': { parent_id: string | null; nodes: readonly ThoughtNode[] }
  'tot/nodes-evaluated': {
    evaluations: readonly { node_id: string; score: number; confidence: number; reasoning: string }[]
    remembered?: readonly string[]
  }
  'tot/layer-selected': {
    round: number
    depth: number
    kept: readonly string[]
    pruned: readonly string[]
    merged?: readonly { id: string; into: string }[]
  }
  'tot/node-backtracked': { node_id: string; to: string | null; why?: string }
  'tot/best-path': { path: readonly string[]; score: number | null }
  'tot/adjusted': { error: string | ThoughtError; change: string }
  'tot/candidate-dropped': { content: string; why: string }
  'tot/solution-verified': {
    node_id?: string | null
    answer?: string
    is_valid: boolean
    errors?: readonly string[]
  }
}

type Folds = { [K in keyof ThoughtNotes]?: (search: ThoughtSearch, data: ThoughtNotes[K]) => void } & {
  [THOUGHT_MESSAGE]: (search: ThoughtSearch, message: ThoughtMessage) => void
}

const FOLDS: Folds = {
  [THOUGHT_MESSAGE]: foldMessage,
  'tot/task-chosen'(search, { task_id, task_type, search_config }) {
    search.taskId = task_id
    search.taskType = task_type
    search.config = search_config
  },
  'tot/layer-start'(search, { round, depth, expanding }) {
    search.round = round
    search.depth = depth
    search.frontier = expanding ?? []
    for (const id of expanding ?? []) {
      if (!search.thoughts.has(id) && search.thoughts.size === 0) addRoot(search, id)
      change(search, id, { status: 'expanded' })
    }
  },
  'tot/nodes-added'(search, { parent_id, nodes }) {
    if (parent_id !== null && search.thoughts.size === 0) addRoot(search, parent_id)
    for (const node of nodes ?? []) addNode(search, node)
  },
  'tot/nodes-evaluated'(search, { evaluations, remembered }) {
    for (const { node_id, score, confidence, reasoning } of evaluations ?? [])
      change(search, node_id, { evaluation: { score, confidence, reasoning } })
    for (const id of remembered ?? []) changeThought(search, id, { remembered: true })
  },
  'tot/layer-selected'(search, { kept, pruned, merged }) {
    for (const id of kept ?? []) {
      changeThought(search, id, { kept: true })
      // One that was cut before may be taken up again.
      const node = search.thoughts.get(id)?.node
      if (node?.status === 'pruned')
        change(search, id, { status: node.children_ids.length > 0 ? 'expanded' : 'pending' })
    }
    for (const id of pruned ?? []) change(search, id, { status: 'pruned' })
    for (const { id, into } of merged ?? []) {
      change(search, id, { status: 'pruned' })
      changeThought(search, id, { mergedInto: into })
    }
    search.frontier = kept ?? []
  },
  'tot/node-backtracked'(search) {
    search.backtracks++
  },
  'tot/best-path'(search, { path, score }) {
    search.bestPath = path ?? []
    search.bestScore = score ?? null
  },
  'tot/solution-verified'(search, { node_id, is_valid }) {
    if (typeof node_id !== 'string') return
    changeThought(search, node_id, { verified: is_valid })
    if (is_valid) change(search, node_id, { status: 'terminal' })
  },
}
const NOTES: Readonly<Record<string, ((search: ThoughtSearch, data: never) => void) | undefined>> = FOLDS

function foldMessage(search: ThoughtSearch, message: ThoughtMessage): void {
  if (search.taskId === '') search.taskId = message.task_id ?? ''
  if (!isObject(message.payload)) return
  // One that failed has nothing to say; a search that found nothing still has its tree.
  if (message.error !== undefined && message.type !== 'search_complete') return
  if (message.type === 'final_solution') search.solution = message.payload
  if (message.type === 'initialize_search') search.config = message.payload.search_config ?? search.config
  if (message.type !== 'search_complete' || !isObject(message.payload.tree)) return
  const { nodes, root_id, search_state, search_config } = message.payload.tree
  search.rootId = root_id
  // A search that found nothing may have been widened.
  search.config = search_config ?? search.config
  for (const node of Object.values(nodes ?? {})) {
    const known = search.thoughts.get(node.id)
    if (known === undefined) addNode(search, node)
    else known.node = node
  }
  if (search_state === undefined) return
  search.depth = search_state.current_depth
  search.frontier = search_state.frontier
  if (search_state.best_path.length > 0) search.bestPath = search_state.best_path
}

function addRoot(search: ThoughtSearch, id: string): void {
  addNode(search, {
    id,
    parent_id: null,
    children_ids: [],
    depth: 0,
    content: search.problem,
    action_type: 'root',
    evaluation: null,
    status: 'pending',
  })
}

function addNode(search: ThoughtSearch, node: ThoughtNode): void {
  const { thoughts } = search
  if (thoughts.has(node.id)) return
  if (node.parent_id === null) search.rootId = node.id
  const parent = node.parent_id === null ? undefined : thoughts.get(node.parent_id)
  if (parent !== undefined && !parent.node.children_ids.includes(node.id))
    parent.node = { ...parent.node, children_ids: [...parent.node.children_ids, node.id] }
  const round = node.parent_id === null ? 0 : search.round
  thoughts.set(node.id, { node, round, kept: false, mergedInto: null, remembered: false, verified: null })
}

function change(search: ThoughtSearch, id: string, fields: Partial<ThoughtNode>): void {
  const thought = search.thoughts.get(id)
  if (thought !== undefined) thought.node = { ...thought.node, ...fields }
}

function changeThought(search: ThoughtSearch, id: string, fields: Partial<Thought>): void {
  const thought = search.thoughts.get(id)
  if (thought !== undefined) Object.assign(thought, fields)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

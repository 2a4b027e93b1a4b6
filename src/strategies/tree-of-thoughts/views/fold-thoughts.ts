/**
 * Folds the notes that a search leaves in the journal into its tree.
 *
 * 1. Any beginning of a journal folds: a search that was killed shows as far as it came.
 * 2. A list that a note leaves out counts as empty; a node that nobody added is passed over.
 * 3. `search_complete` has the searcher's own tree: what it says about a node replaces what was folded.
 */
import { type Event, type EventOf, goalText, isObject } from '../../../protocol/index.ts'
import type { TotNotes } from '../notes.ts'
import type { ThoughtMessage, ThoughtNode, ThoughtTree } from '../protocol.ts'
import { emptySearch, type Thought, type ThoughtSearch } from './thought-tree.ts'

/** The search of the block at `path`. */
export function foldThoughts(events: Iterable<Event>, path: string): ThoughtSearch {
  const search = emptySearch(path)
  for (const event of events) if (event.path === path) foldThought(search, event)
  return search
}

/** Takes an event of the block into its search, in place. */
export function foldThought(search: ThoughtSearch, event: Event): void {
  if (event.type === 'block-start') search.problem = goalText(event.goal)
  if (event.type === 'block-end') search.outcome = event.outcome
  if (event.type === 'note' && isObject(event.data)) NOTES[event.name]?.(search, event.data as never)
}

export function isMessage(event: Event): event is EventOf<'note'> & { data: ThoughtMessage } {
  return event.type === 'note' && event.name === 'tot/message' && isObject(event.data)
}

type Folds = { readonly [K in keyof TotNotes]?: (search: ThoughtSearch, data: TotNotes[K]) => void }

const FOLDS: Folds = {
  'tot/message': foldMessage,
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

function foldMessage(search: ThoughtSearch, { type, payload, task_id, error }: ThoughtMessage): void {
  if (search.taskId === '') search.taskId = task_id ?? ''
  if (!isObject(payload)) return
  // A search that found nothing still has its tree; any other message that failed has nothing to say.
  if (type === 'search_complete' && isObject(payload.tree)) foldTree(search, payload.tree)
  if (error !== undefined) return
  if (type === 'final_solution') search.solution = payload
  if (type === 'decompose_task') search.taskType ??= payload.task_type ?? null
  if (type === 'initialize_search') search.config = payload.search_config ?? search.config
}

function foldTree(search: ThoughtSearch, tree: ThoughtTree): void {
  const { nodes, root_id, search_state, search_config } = tree
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

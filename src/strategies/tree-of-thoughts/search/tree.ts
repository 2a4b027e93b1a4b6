/** The tree of thoughts while it grows, and as the document's nodes. */

import type { AnswerCheck, Settled } from '../domains/domain.ts'
import type { Candidate, Evaluation, ThoughtNode } from '../protocol.ts'

/** A node, with what the search keeps about it. */
export interface Thought {
  readonly id: string
  readonly parent: Thought | null
  readonly children: Thought[]
  readonly depth: number
  readonly content: string
  readonly action_type: string
  readonly metadata: Readonly<Record<string, unknown>>
  /** Counts up over the whole tree. */
  readonly order: number
  /** The same for thoughts that reach the same state. */
  readonly key: string
  /** The thought that had reached this state before. */
  readonly mergedInto: Thought | null
  evaluation: Evaluation | null
  /** Its place in the last vote, 0 for the winner; null where no vote was held. */
  place: number | null
  /** The Evaluator advises against going further. */
  discouraged: boolean
  /** What a program knows about its state for certain; null where it knows nothing. */
  settled: Settled | null
  /** What program verification said; null where none was made. */
  check: AnswerCheck | null
  status: ThoughtNode['status']
  /** How many candidates were last asked for. */
  asked: number
  /** Exactly as many came: there may be more. */
  capped: boolean
  /** It is to be asked once more, with what failed after it in view. */
  reopened: boolean
  /** How often it was. */
  revised: number
}

export interface Tree {
  readonly root: Thought
  readonly all: Thought[]
  readonly byKey: Map<string, Thought>
  /** How many thoughts there are at each depth: the last part of an id. */
  readonly counts: number[]
}

export const ROOT_ID = 'root'

export function plantTree(problem: string, state: string | null): Tree {
  const root: Thought = {
    ...FRESH,
    id: ROOT_ID,
    parent: null,
    children: [],
    depth: 0,
    content: problem,
    action_type: 'root',
    metadata: state === null ? {} : { state },
    order: 0,
    key: state === null ? ROOT_ID : keyOfState(state),
    mergedInto: null,
  }
  return { root, all: [root], byKey: new Map([[root.key, root]]), counts: [1] }
}

const FRESH = {
  evaluation: null,
  place: null,
  discouraged: false,
  settled: null,
  check: null,
  status: 'pending',
  asked: 0,
  capped: false,
  reopened: false,
  revised: 0,
} as const

/** Whether a child of the parent says the same already. */
export function isRepeated(
  tree: Tree,
  before: readonly Thought[],
  parent: Thought,
  candidate: Candidate,
): boolean {
  const key = keyOf(tree, parent, candidate)
  return before.some((child) => child.key === key)
}

/** Puts a candidate into the tree under its final id. With `merge`, one that reaches a known state is tied to it. */
export function addThought(tree: Tree, parent: Thought, candidate: Candidate, merge: boolean): Thought {
  const depth = parent.depth + 1
  const n = (tree.counts[depth] ?? 0) + 1
  tree.counts[depth] = n
  const { content, action_type } = candidate
  const metadata = {
    ...candidate.metadata,
    path: pathTo(parent)
      .slice(1)
      .map((above) => above.content),
  }
  const key = keyOf(tree, parent, candidate)
  const known = tree.byKey.get(key)
  const thought: Thought = {
    ...FRESH,
    id: `node_${depth}_${n}`,
    parent,
    children: [],
    depth,
    content,
    action_type,
    metadata,
    order: tree.all.length,
    key,
    mergedInto: merge ? (known ?? null) : null,
  }
  if (thought.mergedInto !== null) thought.status = 'pruned'
  if (known === undefined) tree.byKey.set(key, thought)
  parent.children.push(thought)
  tree.all.push(thought)
  return thought
}

/**
 * The state where the candidate has one. Otherwise its words after those before them: the same words on another path are
 * another state.
 */
function keyOf(tree: Tree, parent: Thought, { content, metadata = {} }: Candidate): string {
  const { state } = metadata
  if (!SAYS_NOTHING.has(JSON.stringify(state ?? null))) return keyOfState(state)
  const words = content.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()
  return `after ${tree.byKey.get(parent.key)?.id} ${words.replace(/(?<![.。!！;；])[.。!！;；]+$/, '')}`
}

/** A field that is filled in without a state, as JSON: by it all thoughts would be the same. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(['null', '""', '{}', '[]'])

function keyOfState(state: unknown): string {
  return `state ${JSON.stringify(state)}`
}

/** From the root to the thought. */
export function pathTo(thought: Thought): Thought[] {
  const path: Thought[] = []
  for (let at: Thought | null = thought; at !== null; at = at.parent) path.push(at)
  return path.reverse()
}

/**
 * The better first: what leads to an answer for certain, then by its place in a vote, score, confidence, and the order in which they
 * were made. Those without a value come last.
 */
export function better(a: Thought, b: Thought): number {
  const [x, y] = [a.evaluation ?? NO_VALUE, b.evaluation ?? NO_VALUE]
  return (
    Number(isCertain(b)) - Number(isCertain(a)) ||
    byPlace(a, b) ||
    y.score - x.score ||
    y.confidence - x.confidence ||
    a.order - b.order
  )
}

/** A program knows that it leads to an answer. */
export function isCertain({ settled }: Thought): boolean {
  return settled?.leads === true
}

/** A judge scored it as sure to lead to an answer. That is an opinion: it may turn out otherwise. */
export function isJudgedCertain({ evaluation, place }: Thought): boolean {
  return evaluation !== null && place === null && evaluation.score === 10 && evaluation.confidence >= SURE
}

/** An opinion counts as sure from this confidence on. */
export const SURE = 0.7

const NO_VALUE = { score: -1, confidence: -1 }

/** What no ballot names comes after what one does. */
function byPlace(a: Thought, b: Thought): number {
  if (a.place === b.place) return 0
  return (a.place ?? Number.POSITIVE_INFINITY) - (b.place ?? Number.POSITIVE_INFINITY)
}

/** The best there is: of the same depth by their vote, otherwise by score, of equal scores the deeper one. The root when nothing has a value. */
export function bestThought({ all, root }: Tree): Thought {
  let best = root
  for (const thought of all) {
    if (thought.evaluation === null || thought.mergedInto !== null || thought.check?.is_valid === false)
      continue
    const voted = thought.depth === best.depth ? byPlace(best, thought) : 0
    const gain = voted || thought.evaluation.score - (best.evaluation?.score ?? -1)
    if (gain > 0 || (gain === 0 && thought.depth > best.depth)) best = thought
  }
  return best
}

export function nodeOf(thought: Thought): ThoughtNode {
  const { id, parent, children, depth, content, action_type, evaluation, status, metadata } = thought
  return {
    id,
    parent_id: parent?.id ?? null,
    children_ids: children.map(idOf),
    depth,
    content,
    action_type,
    evaluation,
    status,
    metadata: thought.mergedInto === null ? metadata : { ...metadata, merged_into: thought.mergedInto.id },
  }
}

export function idOf({ id }: Thought): string {
  return id
}

/**
 * Monte Carlo tree search: down the tree by UCT, expand what is reached, and carry the values of the new thoughts back up. The
 * Evaluator's score stands for the play-out.
 */

import { choose } from './choose.ts'
import { expand } from './expand.ts'
import {
  isExpandable,
  isFull,
  isVerifying,
  layerSelected,
  layerStarted,
  liveChildren,
  type Search,
} from './search.ts'
import { pathTo, type Thought } from './tree.ts'
import { verifyThoughts } from './verify.ts'

interface Visits {
  count: number
  /** Of values between 0 and 1. */
  sum: number
  /** Nothing is left to find here. */
  dead: boolean
}

export async function monteCarlo(search: Search): Promise<void> {
  const { tree, context } = search
  const visits = new Map<Thought, Visits>()
  const root = tree.root
  for (let i = 0; i < context.options.iterations && !seen(visits, root).dead; i++) {
    const leaf = descend(search, visits)
    if (leaf.status === 'terminal') await visitEnd(search, visits, leaf)
    else if (isFull(search)) break
    else await visit(search, visits, leaf)
    if (search.solution !== null) return
  }
  if (!isVerifying(search)) search.solution = mostVisited(visits, root)
}

/** To a thought that has no children yet, at each step to the one that promises or hides the most. */
function descend(search: Search, visits: Map<Thought, Visits>): Thought {
  let at = search.tree.root
  for (;;) {
    if (isExpandable(search, at)) return at
    const open = openChildren(search, at).filter((child) => !seen(visits, child).dead)
    if (open.length === 0) return at
    at = promising(search, visits, at, open)
  }
}

function openChildren({ config }: Search, thought: Thought): Thought[] {
  const { kept } = choose(liveChildren(thought), {
    width: Number.POSITIVE_INFINITY,
    threshold: config.pruning_threshold,
    selection: 'greedy',
    random: () => 0,
  })
  return kept
}

function promising(
  { context }: Search,
  visits: Map<Thought, Visits>,
  parent: Thought,
  open: readonly Thought[],
): Thought {
  const times = Math.log(Math.max(1, seen(visits, parent).count))
  const uct = open.map((child) => {
    const { count, sum } = seen(visits, child)
    if (count === 0) return Number.POSITIVE_INFINITY
    return sum / count + context.options.exploration * Math.sqrt(times / count)
  })
  const top = Math.max(...uct)
  const best = open.filter((_, i) => uct[i] === top)
  return best[best.length > 1 ? Math.floor(context.random() * best.length) : 0] as Thought
}

/** New thoughts each count as one visit of theirs, and of all above them. */
async function visit(search: Search, visits: Map<Thought, Visits>, leaf: Thought): Promise<void> {
  const again = !isExpandable(search, leaf)
  if (!again) {
    layerStarted(search, [leaf])
    await expand(search, [leaf])
  }
  if (search.solution !== null) return layerSelected(search, leaf.children, [search.solution], [])
  const kept = openChildren(search, leaf).filter((child) => !seen(visits, child).dead)
  if (!again) {
    const pruned = liveChildren(leaf).filter((child) => !kept.includes(child))
    layerSelected(search, leaf.children, kept, pruned)
    for (const child of kept) if (seen(visits, child).count === 0) carryUp(visits, child)
  }
  if (kept.length === 0) bury(search, visits, leaf)
}

/** An end that a program refutes is dead; one that nothing can verify is visited once more. */
async function visitEnd(search: Search, visits: Map<Thought, Visits>, end: Thought): Promise<void> {
  if (isVerifying(search) && end.check === null) await verifyThoughts(search, [end])
  if (isVerifying(search)) bury(search, visits, end)
  else carryUp(visits, end)
}

function carryUp(visits: Map<Thought, Visits>, from: Thought): void {
  const value = (from.evaluation?.score ?? 0) / 10
  for (const thought of pathTo(from)) {
    const known = seen(visits, thought)
    known.count++
    known.sum += value
  }
}

/** Dead, and so is its parent when none of its other children is alive. */
function bury(search: Search, visits: Map<Thought, Visits>, thought: Thought): void {
  seen(visits, thought).dead = true
  const { parent } = thought
  if (parent === null) return
  if (thought.status !== 'terminal') {
    search.stats.backtracks++
    const why = search.words.exhausted
    search.context.emit('tot/node-backtracked', { node_id: thought.id, to: parent.id, why })
  }
  if (openChildren(search, parent).every((child) => seen(visits, child).dead)) bury(search, visits, parent)
}

function mostVisited(visits: Map<Thought, Visits>, from: Thought): Thought | null {
  let at = from
  for (;;) {
    const ranked = [...liveChildren(at)]
      .filter((child) => seen(visits, child).count > 0)
      .sort((a, b) => seen(visits, b).count - seen(visits, a).count || mean(visits, b) - mean(visits, a))
    const [next] = ranked
    if (next === undefined) return at.status === 'terminal' ? at : null
    at = next
  }
}

function mean(visits: Map<Thought, Visits>, thought: Thought): number {
  const { count, sum } = seen(visits, thought)
  return count === 0 ? 0 : sum / count
}

function seen(visits: Map<Thought, Visits>, thought: Thought): Visits {
  const known = visits.get(thought)
  if (known !== undefined) return known
  const fresh = { count: 0, sum: 0, dead: false }
  visits.set(thought, fresh)
  return fresh
}

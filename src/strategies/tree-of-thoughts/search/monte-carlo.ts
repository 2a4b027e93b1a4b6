/**
 * Monte Carlo tree search: down the tree by UCT, expand the thought that is reached, and carry the values of its children back
 * up. The Evaluator's score stands for the play-out.
 */
import { hopefulOf } from './choose.ts'
import { expand } from './expand.ts'
import { endLayer, isExpandable, isFull, isLive, isVerifying, type Search, startLayer } from './search.ts'
import { select } from './select.ts'
import { pathTo, type Thought } from './tree.ts'
import { verifyThoughts } from './verify.ts'

interface Visits {
  count: number
  /** Of values between 0 and 1. */
  sum: number
  /** Nothing is left to find here. */
  dead: boolean
}

type VisitsOf = (thought: Thought) => Visits

export async function monteCarlo(search: Search): Promise<void> {
  const { tree, context } = search
  const visitsOf = countVisits()
  for (let i = 0; i < context.options.iterations && !visitsOf(tree.root).dead; i++) {
    const leaf = descend(search, visitsOf)
    if (leaf.status === 'terminal') await visitEnd(search, visitsOf, leaf)
    else if (isFull(search)) break
    else await visit(search, visitsOf, leaf)
    if (search.solution !== null) return
  }
  if (!isVerifying(search)) search.solution = mostVisited(visitsOf, tree.root)
}

function countVisits(): VisitsOf {
  const visits = new Map<Thought, Visits>()
  return (thought) => {
    const known = visits.get(thought) ?? { count: 0, sum: 0, dead: false }
    visits.set(thought, known)
    return known
  }
}

/** To a thought that has no children yet, at each step to the child that promises or hides the most. */
function descend(search: Search, visitsOf: VisitsOf): Thought {
  let at = search.tree.root
  for (;;) {
    if (isExpandable(search, at)) return at
    const open = openChildren(search, at).filter((child) => !visitsOf(child).dead)
    if (open.length === 0) return at
    at = mostPromising(search, visitsOf, at, open)
  }
}

function openChildren({ config }: Search, { children }: Thought): Thought[] {
  return hopefulOf(children.filter(isLive), config.pruning_threshold)
}

function mostPromising(
  { context }: Search,
  visitsOf: VisitsOf,
  parent: Thought,
  open: readonly Thought[],
): Thought {
  const times = Math.log(Math.max(1, visitsOf(parent).count))
  const uct = open.map((child) => {
    const { count, sum } = visitsOf(child)
    if (count === 0) return Number.POSITIVE_INFINITY
    return sum / count + context.options.exploration * Math.sqrt(times / count)
  })
  const top = Math.max(...uct)
  const best = open.filter((_, i) => uct[i] === top)
  return best[best.length > 1 ? Math.floor(context.random() * best.length) : 0] as Thought
}

/** Each new thought counts as one visit to itself, and to all above it. */
async function visit(search: Search, visitsOf: VisitsOf, leaf: Thought): Promise<void> {
  const isNew = isExpandable(search, leaf)
  if (isNew) {
    startLayer(search, [leaf])
    await expand(search, [leaf])
  }
  if (search.solution !== null) return endLayer(search, leaf.children, [search.solution])
  if (isNew) {
    const kept = await select(search, leaf.children, (live) =>
      hopefulOf(live, search.config.pruning_threshold),
    )
    for (const child of kept) if (visitsOf(child).count === 0) carryUp(visitsOf, child)
  }
  if (openChildren(search, leaf).every((child) => visitsOf(child).dead)) bury(search, visitsOf, leaf)
}

/** An end that a program refutes is dead; one that nothing can verify is visited once more. */
async function visitEnd(search: Search, visitsOf: VisitsOf, end: Thought): Promise<void> {
  if (!isVerifying(search)) return carryUp(visitsOf, end)
  if (end.check === null) await verifyThoughts(search, [end])
  bury(search, visitsOf, end)
}

function carryUp(visitsOf: VisitsOf, from: Thought): void {
  const value = (from.evaluation?.score ?? 0) / 10
  for (const thought of pathTo(from)) {
    const known = visitsOf(thought)
    known.count++
    known.sum += value
  }
}

/** Dead, and so is its parent when none of its other children is alive. */
function bury(search: Search, visitsOf: VisitsOf, thought: Thought): void {
  visitsOf(thought).dead = true
  const { parent } = thought
  if (parent === null) return
  if (thought.status !== 'terminal') {
    search.stats.backtracks++
    const why = search.words.exhausted
    search.context.emit('tot/node-backtracked', { node_id: thought.id, to: parent.id, why })
  }
  if (openChildren(search, parent).every((child) => visitsOf(child).dead)) bury(search, visitsOf, parent)
}

function mostVisited(visitsOf: VisitsOf, from: Thought): Thought | null {
  let at = from
  for (;;) {
    const [next] = at.children
      .filter((child) => isLive(child) && visitsOf(child).count > 0)
      .sort((a, b) => visitsOf(b).count - visitsOf(a).count || mean(visitsOf(b)) - mean(visitsOf(a)))
    if (next === undefined) return at.status === 'terminal' ? at : null
    at = next
  }
}

function mean({ count, sum }: Visits): number {
  return count === 0 ? 0 : sum / count
}

/** Always the best thought of all that are open, wherever in the tree it is. */

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
import { better, type Thought } from './tree.ts'
import { verifyThoughts } from './verify.ts'

export async function bestFirst(search: Search): Promise<void> {
  const { tree, context, config } = search
  // A second, wider search begins with what the first left open.
  let open = tree.all.filter((thought) => isOpen(thought) && isExpandable(search, thought))
  for (let next = take(open); next !== null; next = take(open)) {
    if (next.status === 'terminal') {
      await settle(search, next)
      if (search.solution !== null) return
      continue
    }
    if (isFull(search)) return
    layerStarted(search, [next])
    await expand(search, [next])
    if (search.solution !== null) return layerSelected(search, next.children, [search.solution], [])
    const { kept, pruned } = choose(liveChildren(next), {
      width: Number.POSITIVE_INFINITY,
      threshold: config.pruning_threshold,
      selection: 'greedy',
      random: () => context.random(),
    })
    layerSelected(search, next.children, kept, pruned)
    open = [...open, ...kept]
    search.frontier = open
  }
}

function isOpen({ parent, evaluation, mergedInto, check }: Thought): boolean {
  return parent === null || (evaluation !== null && mergedInto === null && check === null)
}

/** By score, then the deeper one, then the one made first. */
function take(open: Thought[]): Thought | null {
  let best = 0
  for (const [i, thought] of open.entries()) if (first(thought, open[best] as Thought)) best = i
  return open.splice(best, 1)[0] ?? null
}

function first(a: Thought, b: Thought): boolean {
  const gain = (a.evaluation?.score ?? 0) - (b.evaluation?.score ?? 0)
  return gain > 0 || (gain === 0 && (a.depth > b.depth || (a.depth === b.depth && better(a, b) < 0)))
}

/** The best of all that are open is an end: no other is better, unless a program says that it is wrong. */
async function settle(search: Search, end: Thought): Promise<void> {
  if (!isVerifying(search)) search.solution = end
  else if (end.check === null) await verifyThoughts(search, [end])
}

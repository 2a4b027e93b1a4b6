/** Always the best thought of all that are open, wherever in the tree it is. */
import { hopefulOf } from './choose.ts'
import { expand } from './expand.ts'
import { endLayer, isExpandable, isFull, type Search, startLayer } from './search.ts'
import { select } from './select.ts'
import { better, type Thought } from './tree.ts'
import { settleOn } from './verify.ts'

export async function bestFirst(search: Search, from?: readonly Thought[]): Promise<void> {
  const { tree, config } = search
  // A second, wider search begins with what the first left open.
  let open = [...(from ?? tree.all.filter((thought) => isOpen(thought) && isExpandable(search, thought)))]
  for (let next = take(open); next !== null; next = take(open)) {
    if (next.status === 'terminal') {
      // No open thought is better, so this is the answer, unless a program says that it is wrong.
      await settleOn(search, next)
      if (search.solution !== null) return
      continue
    }
    if (isFull(search)) return
    startLayer(search, [next])
    await expand(search, [next])
    if (search.solution !== null) return endLayer(search, next.children, [search.solution])
    const kept = await select(search, next.children, (live) => hopefulOf(live, config.pruning_threshold))
    open = [...open, ...kept]
    search.frontier = open
  }
}

function isOpen({ parent, evaluation, mergedInto, check }: Thought): boolean {
  return parent === null || (evaluation !== null && mergedInto === null && check === null)
}

/** Removes and returns the first by score, then the deeper one, then the one made first; of its siblings the one that won the vote. */
function take(open: Thought[]): Thought | null {
  const [first, ...others] = open
  if (first === undefined) return null
  const highest = others.reduce((best, thought) => (comesFirst(thought, best) ? thought : best), first)
  const siblings = open.filter(({ parent }) => parent === highest.parent)
  const next = siblings.some(({ place }) => place !== null) ? (siblings.sort(better)[0] as Thought) : highest
  open.splice(open.indexOf(next), 1)
  return next
}

function comesFirst(a: Thought, b: Thought): boolean {
  const gain = (a.evaluation?.score ?? 0) - (b.evaluation?.score ?? 0)
  return gain > 0 || (gain === 0 && (a.depth > b.depth || (a.depth === b.depth && better(a, b) < 0)))
}

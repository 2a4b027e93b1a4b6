/** Along one path to its end, the best child first; back up where nothing better is to come. */

import { isHopeless } from './choose.ts'
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

export async function depthFirst(search: Search): Promise<void> {
  await explore(search, search.tree.root)
}

/** Whether anything was found out at this thought or below it. */
async function explore(search: Search, thought: Thought): Promise<boolean> {
  let grew = false
  if (isExpandable(search, thought) && !isFull(search)) {
    const before = thought.status === 'expanded' ? thought.children.length : -1
    layerStarted(search, [thought])
    await expand(search, [thought])
    grew = thought.children.length > before
  }
  const { children } = thought
  if (search.solution !== null) {
    layerSelected(search, children, [search.solution], [])
    return grew
  }
  const { kept, pruned } = order(search, thought)
  layerSelected(search, children, kept, pruned)
  for (const child of kept) {
    if (child.status === 'terminal') await settle(search, child)
    else grew = (await explore(search, child)) || grew
    if (search.solution !== null) return grew
  }
  // Walking through again what was walked before is no way back.
  if (grew && thought.parent !== null) goBack(search, thought, thought.parent, kept.length)
  return grew
}

/** The best first, no more than the branching factor, none below the threshold. */
function order({ config }: Search, thought: Thought): { kept: Thought[]; pruned: Thought[] } {
  const live = liveChildren(thought)
  const hopeful = live.filter(
    (child) => child.evaluation !== null && !isHopeless(child, config.pruning_threshold),
  )
  const kept = hopeful.sort(better).slice(0, config.branching_factor)
  return { kept, pruned: live.filter((child) => !kept.includes(child)) }
}

/** The end of a path is the answer, unless a program can say that it is not. */
async function settle(search: Search, end: Thought): Promise<void> {
  if (!isVerifying(search)) search.solution = end
  else if (end.check === null) await verifyThoughts(search, [end])
}

function goBack(search: Search, from: Thought, to: Thought, tried: number): void {
  search.stats.backtracks++
  const why = tried > 0 ? search.words.exhausted : search.words.notGoodEnough
  search.context.emit('tot/node-backtracked', { node_id: from.id, to: to.id, why })
}

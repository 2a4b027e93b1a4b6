/** Along one path to its end, the best child first; back up where nothing better is to come. */
import { worthyOf } from './choose.ts'
import { expand } from './expand.ts'
import { endLayer, isExpandable, isFull, type Search, startLayer } from './search.ts'
import { select } from './select.ts'
import type { Thought } from './tree.ts'
import { settleOn } from './verify.ts'

export async function depthFirst(
  search: Search,
  from: readonly Thought[] = [search.tree.root],
): Promise<void> {
  await tryEach(search, from)
}

/** Whether the tree grew at one of them or below it. */
async function tryEach(search: Search, thoughts: readonly Thought[]): Promise<boolean> {
  let grew = false
  for (const thought of thoughts) {
    if (thought.status === 'terminal') await settleOn(search, thought)
    else grew = (await explore(search, thought)) || grew
    if (search.solution !== null) return grew
  }
  return grew
}

/** Whether the tree grew at this thought or below it. */
async function explore(search: Search, thought: Thought): Promise<boolean> {
  const added = await grow(search, thought)
  const { children } = thought
  if (search.solution !== null) {
    endLayer(search, children, [search.solution])
    return added
  }
  const kept = await select(search, children, (live) => worthTrying(search, live))
  const grew = (await tryEach(search, kept)) || added
  if (search.solution !== null) return grew
  // A wider search that only walks through what is known does not go back from it.
  if (grew && thought.parent !== null) goBack(search, thought, thought.parent, kept.length)
  return grew
}

async function grow(search: Search, thought: Thought): Promise<boolean> {
  if (!isExpandable(search, thought) || isFull(search)) return false
  const before = thought.status === 'expanded' ? thought.children.length : -1
  startLayer(search, [thought])
  await expand(search, [thought])
  return thought.children.length > before
}

/** The best first, no more than the branching factor, none below the threshold. */
function worthTrying({ config }: Search, live: readonly Thought[]): Thought[] {
  const { pruning_threshold: threshold, branching_factor: most } = config
  return worthyOf(live, threshold).slice(0, most)
}

function goBack(search: Search, from: Thought, to: Thought, tried: number): void {
  search.stats.backtracks++
  const why = tried > 0 ? search.words.exhausted : search.words.notGoodEnough
  search.context.emit('tot/node-backtracked', { node_id: from.id, to: to.id, why })
}

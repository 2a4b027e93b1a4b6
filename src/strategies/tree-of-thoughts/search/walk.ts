/** The whole way through the tree: as configured; failed paths revised; and once more and wider when that found nothing. */
import { bestFirst } from './best-first.ts'
import { breadthFirst } from './breadth-first.ts'
import { hopefulOf } from './choose.ts'
import { depthFirst } from './depth-first.ts'
import { expand } from './expand.ts'
import { failuresOf } from './failures.ts'
import { monteCarlo } from './monte-carlo.ts'
import { endLayer, exhausted, isFull, noteAdjusted, type Search, startLayer } from './search.ts'
import { select } from './select.ts'
import { better, type Thought } from './tree.ts'

/** From these thoughts, or from its own beginning. It ends with a solution, or without one when nothing is left to expand. */
type Way = (search: Search, from?: readonly Thought[]) => Promise<void>

const WAYS: Readonly<Record<Search['config']['strategy'], Way>> = {
  BFS: breadthFirst,
  DFS: depthFirst,
  'best-first': bestFirst,
  mcts: monteCarlo,
}

export async function walk(search: Search): Promise<void> {
  const way = WAYS[search.config.strategy]
  await way(search)
  await revise(search)
  const hopeless = search.tree.all.length === 1 || isFull(search)
  if (search.solution !== null || hopeless || !search.context.options.widen) return
  widen(search)
  noteAdjusted(search, exhausted(search, true), search.words.wider)
  await way(search)
}

function widen(search: Search): void {
  const { beam_width: beam, branching_factor: branching, pruning_threshold: threshold } = search.config
  search.config = {
    ...search.config,
    branching_factor: branching * 2,
    pruning_threshold: threshold / 2,
    ...(beam === undefined ? {} : { beam_width: beam * 2 }),
  }
}

/**
 * Goes back to a thought after which something failed, asks for other ways with what was wrong in view, and goes on from these. A
 * thought that has no other way to offer is not asked again.
 */
export async function revise(search: Search): Promise<void> {
  while (search.revisions > 0 && search.solution === null && !isFull(search)) {
    const at = nextToRevise(search)
    if (at === null) return
    search.revisions--
    at.reopened = true
    at.revised++
    noteAdjusted(search, exhausted(search, true), search.words.revised(failuresOf(search, at).length))
    const before = new Set(at.children)
    startLayer(search, [at])
    await expand(search, [at])
    const fresh = at.children.filter((child) => !before.has(child))
    if (search.solution !== null) return endLayer(search, fresh, [search.solution])
    if (fresh.length === 0) at.revised = Number.POSITIVE_INFINITY
    const kept = await select(search, fresh, (live) => hopefulOf(live, search.config.pruning_threshold))
    if (kept.length > 0) await WAYS[search.config.strategy](search, kept)
  }
}

/** The one that was revised least, of these the best; the problem itself after those that were judged. */
function nextToRevise(search: Search): Thought | null {
  const failed = search.tree.all.filter(
    (thought) =>
      Number.isFinite(thought.revised) &&
      thought.mergedInto === null &&
      failuresOf(search, thought).length > 0,
  )
  return failed.sort((a, b) => a.revised - b.revised || better(a, b))[0] ?? null
}

/** Ends a layer: which of its thoughts the search continues from. */
import { evaluateAgain } from './evaluate.ts'
import { endLayer, isLive, isVoting, type Search } from './search.ts'
import type { Thought } from './tree.ts'

/**
 * Picks from the thoughts of a layer. A state that would be cut, and was proposed more than once, is judged a second time before it is:
 * one bad value must not hide it. One that was cut in an earlier layer comes back if that shows it worthy.
 */
export async function select(
  search: Search,
  layer: readonly Thought[],
  pick: (live: readonly Thought[]) => Thought[],
): Promise<Thought[]> {
  let kept = pick(layer.filter(isLive))
  const doubted = secondLooks(search, layer, new Set(kept))
  if (doubted.length > 0) {
    await evaluateAgain(search, doubted)
    const back = doubted
      .flatMap(({ mergedInto }) => mergedInto ?? [])
      .filter((thought) => !layer.includes(thought))
    kept = pick([...layer.filter(isLive), ...back])
  }
  endLayer(search, layer, kept)
  return kept
}

/** Of each state that is cut the first further thought that reached it and was not judged yet. */
function secondLooks(search: Search, layer: readonly Thought[], kept: ReadonlySet<Thought>): Thought[] {
  if (isVoting(search) || !search.context.options.remember) return []
  const found = new Map<Thought, Thought>()
  const here = new Set(layer)
  for (const thought of layer) {
    const { mergedInto: first, evaluation } = thought
    if (first === null || evaluation !== null || found.has(first) || kept.has(first)) continue
    if (isDoubtful(first) && (here.has(first) || first.status === 'pruned')) found.set(first, thought)
  }
  return [...found.values()]
}

/** Its value is an opinion, and it was not tried. */
function isDoubtful({ evaluation, settled, check, children }: Thought): boolean {
  return evaluation !== null && settled === null && check === null && children.length === 0
}

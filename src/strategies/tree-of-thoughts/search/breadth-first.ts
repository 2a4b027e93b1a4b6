/** Layer by layer: every thought of the beam is expanded, and the best of their children are the next beam. */
import { choose } from './choose.ts'
import { expand, grow, judge } from './expand.ts'
import { endLayer, isExpandable, isFull, isVerifying, isVoting, type Search, startLayer } from './search.ts'
import { select } from './select.ts'
import { isCertain, type Thought } from './tree.ts'
import { verifyThoughts } from './verify.ts'

export async function breadthFirst(search: Search): Promise<void> {
  let frontier: Thought[] = [search.tree.root]
  const ends: Thought[] = []
  while (frontier.length > 0 && !isFull(search)) {
    await expandLayer(search, frontier)
    const layer = frontier.flatMap(({ children }) => children)
    if (search.solution !== null) return endLayer(search, layer, [search.solution])
    const kept = await select(search, layer, (live) => survivors(search, live))
    const ended = kept.filter(({ status }) => status === 'terminal')
    if (search.context.options.verify === 'survivors') await verifyThoughts(search, ended)
    if (search.solution !== null) return
    ends.push(...ended.slice(0, 1))
    frontier = kept.filter(({ status }) => status !== 'terminal')
    search.frontier = frontier
  }
  if (!isVerifying(search)) search.solution = ends.sort(higher)[0] ?? null
}

/** Ends of different layers, each the best of its own. */
function higher(a: Thought, b: Thought): number {
  return (b.evaluation?.score ?? 0) - (a.evaluation?.score ?? 0)
}

/**
 * The frontier has the best first: expanded one after the other, a solution under the first spares the rest, and so does a thought
 * that leads to one for certain. One whose last step is known is expanded alone.
 */
async function expandLayer(search: Search, frontier: readonly Thought[]): Promise<void> {
  const expandable = frontier.filter((thought) => isExpandable(search, thought))
  const certain = expandable.filter(({ settled }) => settled?.last !== undefined).slice(0, 1)
  const open = certain.length > 0 ? certain : expandable
  if (open.length === 0) return
  startLayer(search, open)
  const width = search.context.options.concurrency ?? open.length
  const added: Thought[] = []
  const isSettled = () => search.solution !== null || open.some(({ children }) => children.some(isCertain))
  for (let at = 0; at < open.length && !isSettled(); at += width) {
    const next = open.slice(at, at + width)
    if (isVoting(search)) added.push(...(await grow(search, next)))
    else await expand(search, next)
  }
  // One vote for the whole layer: ballots of different votes can't be compared.
  if (isVoting(search) && search.solution === null) await judge(search, frontier, added)
}

function survivors({ config, context }: Search, layer: readonly Thought[]): Thought[] {
  const { pruning_threshold: threshold, beam_width: width = config.branching_factor } = config
  const { selection, adaptive, merge, remember } = context.options
  const distinct = merge || remember
  return choose(layer, {
    width,
    threshold,
    selection,
    distinct,
    spread: merge,
    adaptive,
    random: () => context.random(),
  })
}

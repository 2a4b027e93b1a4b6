/** Layer by layer: every thought of the beam is expanded, and the best of their children are the next beam. */
import { choose, isHopeless } from './choose.ts'
import { expand, grow, judge } from './expand.ts'
import { endLayer, isExpandable, isFull, isVerifying, isVoting, type Search, startLayer } from './search.ts'
import { select } from './select.ts'
import { isCertain, isJudgedCertain, type Thought } from './tree.ts'
import { verifyThoughts } from './verify.ts'

export async function breadthFirst(
  search: Search,
  from: readonly Thought[] = [search.tree.root],
): Promise<void> {
  const ends = from.filter(({ status }) => status === 'terminal')
  let putOff = true
  while (putOff && search.solution === null) {
    putOff = await walkDown(search, from, ends)
    // What a judge was certain of, and what came of it is no good: those that were put off for it have their turn.
    const [best] = ends.sort(higher)
    const isGood = best !== undefined && !isHopeless(best, search.config.pruning_threshold)
    if (!isVerifying(search) && (isGood || !putOff)) search.solution ??= best ?? null
  }
}

/** To the last layer. Returns whether thoughts of the beam were put off for one that was judged certain. */
async function walkDown(search: Search, from: readonly Thought[], ends: Thought[]): Promise<boolean> {
  let frontier = from.filter(({ status }) => status !== 'terminal')
  let putOff = false
  while (frontier.length > 0 && !isFull(search)) {
    const left = await expandLayer(search, frontier)
    const layer = frontier.flatMap(({ children }) => children)
    if (search.solution !== null) {
      endLayer(search, layer, [search.solution])
      return false
    }
    const kept = await select(search, layer, (live) => survivors(search, live))
    const ended = kept.filter(({ status }) => status === 'terminal')
    if (search.context.options.verify === 'survivors') await verifyThoughts(search, ended)
    if (search.solution !== null) return false
    ends.push(...ended.slice(0, 1))
    const open = kept.filter(({ status }) => status !== 'terminal')
    frontier = worthAll(search, open) ?? open
    search.frontier = frontier
    putOff ||= left || frontier.length < open.length
  }
  return putOff && !isFull(search)
}

/** One at a time, the one that the judge is certain of goes alone; null where there is none that was not tried. */
function worthAll(search: Search, open: readonly Thought[]): Thought[] | null {
  if (search.context.options.concurrency !== 1 || isVoting(search)) return null
  const certain = open.find((thought) => isJudgedCertain(thought) && isExpandable(search, thought))
  return certain === undefined ? null : [certain]
}

/** Ends of different layers, each the best of its own. */
function higher(a: Thought, b: Thought): number {
  return (b.evaluation?.score ?? 0) - (a.evaluation?.score ?? 0)
}

/**
 * The frontier has the best first: expanded one after the other, a solution under the first spares the rest, and so does a thought
 * that leads to one for certain, by program or in the judge's eyes. One whose last step is known is expanded alone. Returns whether
 * any was left for later.
 */
async function expandLayer(search: Search, frontier: readonly Thought[]): Promise<boolean> {
  const expandable = frontier.filter((thought) => isExpandable(search, thought))
  const certain = expandable.filter(({ settled }) => settled?.last !== undefined).slice(0, 1)
  const open = certain.length > 0 ? certain : expandable
  if (open.length === 0) return false
  startLayer(search, open)
  const width = search.context.options.concurrency ?? open.length
  const added: Thought[] = []
  const isSettled = (tried: readonly Thought[]) =>
    search.solution !== null ||
    tried.some(({ children }) => children.some((child) => isCertain(child) || isJudgedCertain(child)))
  let at = 0
  for (; at < open.length && !isSettled(open.slice(0, at)); at += width) {
    const next = open.slice(at, at + width)
    if (isVoting(search)) added.push(...(await grow(search, next)))
    else await expand(search, next)
  }
  // One vote for the whole layer: ballots of different votes can't be compared.
  if (isVoting(search) && search.solution === null) await judge(search, frontier, added)
  return at < open.length
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

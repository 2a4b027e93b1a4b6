/** Which thoughts of a layer the search continues from. */
import { better, isCertain, SURE, type Thought } from './tree.ts'

export interface ChoiceOptions {
  readonly width: number
  readonly threshold: number
  readonly selection: 'greedy' | 'sampled'
  /** A state has one place, however many thoughts reach it. */
  readonly distinct: boolean
  /** Of equals those come first whose parents have the fewest places. */
  readonly spread: boolean
  /** By how far the judges agree, instead of always the same width. */
  readonly adaptive: boolean
  random(): number
}

/** The best first, at most `width`, or twice as many where it is adaptive. */
export function choose(layer: readonly Thought[], options: ChoiceOptions): Thought[] {
  const hopeful = hopefulOf(layer, options.threshold)
  const open = options.distinct ? firstOfEach(hopeful) : hopeful
  if (options.selection === 'sampled') return sample(open, options)
  const ordered = options.spread ? spreadOut(open) : open
  return options.adaptive ? asFarAsDoubted(ordered, options.width) : ordered.slice(0, options.width)
}

/**
 * Within the width those that may be as good as the best; beyond it, up to twice the width, those on which the judges are not agreed
 * and that may be better than the last one within.
 */
function asFarAsDoubted(ordered: readonly Thought[], width: number): Thought[] {
  const [best] = ordered
  const last = ordered[width - 1]
  return ordered.slice(0, 2 * width).filter((thought, i) => {
    if (i === 0 || best === undefined) return true
    const { score, doubt } = opinionOf(thought)
    if (i >= width && last !== undefined) return isDoubted(thought) && score + doubt > opinionOf(last).score
    return score + doubt >= opinionOf(best).score - opinionOf(best).doubt
  })
}

/** A value, and how far off it may be: half of the scale where nothing speaks for it. */
function opinionOf({ evaluation }: Thought): { score: number; doubt: number } {
  const { score, confidence } = evaluation ?? { score: 0, confidence: 0 }
  return { score, doubt: 5 * (1 - confidence) }
}

function isDoubted({ evaluation }: Thought): boolean {
  return evaluation !== null && evaluation.confidence < SURE
}

function firstOfEach(thoughts: readonly Thought[]): Thought[] {
  const states = new Set<string>()
  return thoughts.filter(({ key }) => states.size < states.add(key).size)
}

/** In the order given, in which equals stand together; among them the parents take turns. */
function spreadOut(ordered: readonly Thought[]): Thought[] {
  const places = new Map<Thought | null, number>()
  const spread: Thought[] = []
  for (let at = 0; at < ordered.length; at = spread.length) {
    const end = ordered.findIndex((thought, i) => i > at && !isEqual(thought, ordered[at] as Thought))
    const siblings = Map.groupBy(ordered.slice(at, end < 0 ? undefined : end), ({ parent }) => parent)
    while (siblings.size > 0) {
      const taken = (parent: Thought | null) => places.get(parent) ?? 0
      const parent = [...siblings.keys()].reduce((best, one) => (taken(one) < taken(best) ? one : best))
      const [next, ...others] = siblings.get(parent) as [Thought, ...Thought[]]
      spread.push(next)
      places.set(parent, taken(parent) + 1)
      if (others.length === 0) siblings.delete(parent)
      else siblings.set(parent, others)
    }
  }
  return spread
}

function isEqual(a: Thought, b: Thought): boolean {
  if (isCertain(a) !== isCertain(b) || a.place !== b.place) return false
  return a.evaluation?.score === b.evaluation?.score && a.evaluation?.confidence === b.evaluation?.confidence
}

/** The best first. Never none: the best stays, however low its score. */
export function hopefulOf(layer: readonly Thought[], threshold: number): Thought[] {
  const hopeful = worthyOf(layer, threshold)
  return hopeful.length > 0 ? hopeful : ranked(layer).slice(0, 1)
}

/** The best first, none that is hopeless. Where any is worthy, the winner of a vote is, whatever its score. */
export function worthyOf(layer: readonly Thought[], threshold: number): Thought[] {
  const worthy = ranked(layer).filter((thought) => !isHopeless(thought, threshold))
  const winner = layer.find(({ place }) => place === 0)
  if (winner === undefined || worthy.length === 0 || worthy.includes(winner)) return worthy
  return [winner, ...worthy]
}

/** What has no value is not chosen. */
function ranked(layer: readonly Thought[]): Thought[] {
  return layer.filter((thought) => thought.evaluation !== null).sort(better)
}

/** Below the threshold, or advised against, by an Evaluator who is sure: a low score counts only where it is given with some confidence. */
export function isHopeless({ evaluation, discouraged }: Thought, threshold: number): boolean {
  if (evaluation === null || evaluation.confidence < SURE) return false
  return evaluation.score < threshold || discouraged
}

/** Without putting back, the likelier the higher its score; then the best first. */
function sample(open: readonly Thought[], { width, random }: ChoiceOptions): Thought[] {
  const left = [...open]
  const kept: Thought[] = []
  while (kept.length < width && left.length > 0) {
    const weights = left.map((thought) => Math.exp(thought.evaluation?.score ?? 0))
    let mark = random() * weights.reduce((sum, weight) => sum + weight, 0)
    let at = 0
    while (at < left.length - 1 && mark >= (weights[at] as number)) mark -= weights[at++] as number
    kept.push(...left.splice(at, 1))
  }
  return kept.sort(better)
}

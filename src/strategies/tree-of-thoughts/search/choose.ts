/** Which thoughts of a layer go on, and which are cut. */
import { better, type Thought } from './tree.ts'

export interface Choice {
  /** The best first. */
  readonly kept: Thought[]
  readonly pruned: Thought[]
}

export interface ChoiceOptions {
  readonly width: number
  readonly threshold: number
  readonly selection: 'greedy' | 'sampled'
  random(): number
}

/** A low score counts only where it is given with some confidence. */
const SURE = 0.7

/** Never cuts all: the best survives. What has no value is not chosen. */
export function choose(layer: readonly Thought[], options: ChoiceOptions): Choice {
  const ranked = layer.filter((thought) => thought.evaluation !== null).sort(better)
  const hopeful = ranked.filter((thought) => !isHopeless(thought, options.threshold))
  const open = hopeful.length > 0 ? hopeful : ranked.slice(0, 1)
  const kept = options.selection === 'sampled' ? sample(open, options) : open.slice(0, options.width)
  const chosen = new Set(kept)
  return { kept, pruned: layer.filter((thought) => !chosen.has(thought)) }
}

/** Below the threshold, or advised against, by an Evaluator who is sure. */
export function isHopeless({ evaluation, discouraged }: Thought, threshold: number): boolean {
  if (evaluation === null || evaluation.confidence < SURE) return false
  return evaluation.score < threshold || discouraged
}

/** Without putting back, each as likely as its score is high; then the best first. */
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

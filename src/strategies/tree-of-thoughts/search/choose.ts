/** Which thoughts of a layer the search continues from. */
import { better, type Thought } from './tree.ts'

export interface ChoiceOptions {
  readonly width: number
  readonly threshold: number
  readonly selection: 'greedy' | 'sampled'
  random(): number
}

/** The best first, at most `width`. */
export function choose(layer: readonly Thought[], options: ChoiceOptions): Thought[] {
  const hopeful = hopefulOf(layer, options.threshold)
  return options.selection === 'sampled' ? sample(hopeful, options) : hopeful.slice(0, options.width)
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
  if (winner === undefined || worthy.length === 0 || worthy[0] === winner) return worthy
  return [winner, ...worthy]
}

/** What has no value is not chosen. */
function ranked(layer: readonly Thought[]): Thought[] {
  return layer.filter((thought) => thought.evaluation !== null).sort(better)
}

/** A low score counts only where it is given with some confidence. */
const SURE = 0.7

/** Below the threshold, or advised against, by an Evaluator who is sure. */
function isHopeless({ evaluation, discouraged }: Thought, threshold: number): boolean {
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

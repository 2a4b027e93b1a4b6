/** Which token follows, by its logits. The same logits, options and seed give the same tokens, on every machine. */
import { seededRandom } from '../../../../kernel/random.ts'
import { END_OF_TEXT, LAST_TOKEN } from '../tokens.ts'

export interface Choosing {
  /** 0: always the likeliest. */
  readonly temperature: number
  /** Of so many of the likeliest. */
  readonly topK: number
  readonly seed: number
}

const ALL = Array.from({ length: LAST_TOKEN + 1 - END_OF_TEXT }, (_, i) => END_OF_TEXT + i)

/** `exp` to f32. */
export function tokenChooser(
  { temperature, topK, seed }: Choosing,
  exp: (x: number) => number,
): (logits: Float32Array) => number {
  if (temperature === 0) return (logits) => likeliest(logits, 1)[0] as number
  const random = seededRandom(`mini/${seed}`)
  return (logits) => {
    const candidates = topK < ALL.length ? likeliest(logits, topK) : ALL
    const shares = sharesOf(candidates, logits, exp, temperature)
    let left = random()
    const at = shares.findIndex((share) => {
      left -= share
      return left < 0
    })
    return candidates.at(at) as number
  }
}

/** How likely each of them is, among them. */
export function sharesOf(
  tokens: readonly number[],
  logits: Float32Array,
  exp: (x: number) => number,
  temperature = 1,
): number[] {
  const values = tokens.map((token) => logits[token] as number)
  const most = Math.max(...values)
  const weights = values.map((value) => exp((value - most) / temperature))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
}

/** The likeliest first; of equals the first. Tokens that stand for no text are none. */
function likeliest(logits: Float32Array, count: number): number[] {
  const best: number[] = []
  for (const token of ALL) {
    const logit = logits[token] as number
    if (best.length === count && !(logit > (logits[best.at(-1) as number] as number))) continue
    let at = best.length
    while (at > 0 && logit > (logits[best[at - 1] as number] as number)) at--
    best.splice(at, 0, token)
    if (best.length > count) best.pop()
  }
  return best
}

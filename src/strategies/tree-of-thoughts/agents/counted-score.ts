import type { Value } from '../schema.ts'

/** All in all rather a failure: what breaks a constraint is worth little, however good it is otherwise. */
const LOW = 5

/**
 * The judge's value with the score that counts: the mean of its overall score and of its scores by criterion. 0 and 10 stand as
 * they are: a dead end is one however well it is written, and a sure thing needs no more. The criteria do not raise a low score.
 */
export function withCountedScore<T extends Value>({ dimension_scores, ...value }: T): T {
  // Null is how some models leave a field out.
  const scores = Object.values(dimension_scores ?? {})
  if (scores.length === 0) return value as T
  const { score } = value
  const mean = scores.reduce((sum, one) => sum + one, 0) / scores.length
  const counted = (score + mean) / 2
  const stands = score === 10 || (score < LOW && counted > score)
  return { ...value, dimension_scores, score: stands ? score : counted } as T
}

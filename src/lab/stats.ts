/** What a count of solved tasks says, and what it does not. */

export interface Interval {
  readonly low: number
  readonly high: number
}

const Z_95 = 1.959964

/** Wilson's interval for a share: 95 % of such intervals hold the true one, also near 0 and 1 and for few tasks. */
export function wilson(solved: number, of: number): Interval {
  if (of === 0) return { low: 0, high: 1 }
  const share = solved / of
  const z2 = Z_95 ** 2
  const middle = share + z2 / (2 * of)
  const reach = Z_95 * Math.sqrt((share * (1 - share)) / of + z2 / (4 * of ** 2))
  const scale = 1 + z2 / of
  return { low: Math.max(0, (middle - reach) / scale), high: Math.min(1, (middle + reach) / scale) }
}

/**
 * McNemar's exact test, two-sided: how likely it is that of the tasks which only one of two settings solved they would be shared out at
 * least so unevenly if both were as good as each other.
 */
export function mcnemar(onlyFirst: number, onlySecond: number): number {
  const of = onlyFirst + onlySecond
  const fewer = Math.min(onlyFirst, onlySecond)
  let tail = 0
  for (let k = 0; k <= fewer; k++) tail += Math.exp(logChoose(of, k) - of * Math.LN2)
  return Math.min(1, 2 * tail)
}

/** Holm's correction: of several comparisons, one may come out by chance. In the order given. */
export function holm(values: readonly number[]): number[] {
  const order = values.map((_, i) => i).sort((a, b) => (values[a] as number) - (values[b] as number))
  const corrected = [...values]
  let most = 0
  for (const [rank, i] of order.entries()) {
    most = Math.max(most, Math.min(1, (values[i] as number) * (values.length - rank)))
    corrected[i] = most
  }
  return corrected
}

function logChoose(n: number, k: number): number {
  let log = 0
  for (let i = 1; i <= k; i++) log += Math.log((n - k + i) / i)
  return log
}

/** Votes: which answer most samples come to, and when no further sample could change that. */

export interface Standing<T> {
  /** Those that agree, the most frequent answer first; of answers as frequent as each other the earliest. */
  readonly groups: readonly (readonly T[])[]
}

export function tally<T>(given: readonly T[], textOf: (one: T) => string): Standing<T> {
  const groups = [...Map.groupBy(given, (one) => comparable(textOf(one))).values()]
  return { groups: groups.sort((a, b) => b.length - a.length) }
}

/** The fewest further samples after which the vote could be decided; 0 where it is. */
export function neededToDecide({ groups }: Standing<unknown>, left: number): number {
  const [first = [], second = []] = groups
  // With k more votes for the first it wins if first + k > second + (left - k).
  const needed = Math.floor((left + second.length - first.length) / 2) + 1
  return Math.min(left, Math.max(0, needed))
}

/** The same answer, however it is set: case, spaces, marks around it, thousands separators, what an equation comes to. */
export function comparable(answer: string): string {
  const plain = answer
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[−–]/g, '-')
    .replace(/(?<=\d)[,_'](?=\d{3}(?!\d))/g, '')
    .replace(/[*_`$]|\\boxed|\\[()[\]]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?<![.。!！])[.。!！]+$/, '')
  const value = /^[^=]*=\s*(-?\d+(?:\.\d+)?(?:\/\d+)?)$/.exec(plain)?.[1]
  return value ?? plain
}

/**
 * A set of whole numbers below a size that gives out its lowest. One bit for each number, one for each 32 bits below: adding
 * and taking touch one word per level, and a tree of a million tasks has four levels.
 */
export class FirstOf {
  private readonly levels: Int32Array[] = []

  constructor(size: number) {
    let words = Math.ceil(size / 32)
    for (; words > 1; words = Math.ceil(words / 32)) this.levels.push(new Int32Array(words))
    this.levels.push(new Int32Array(1))
  }

  add(value: number): void {
    let at = value
    for (const words of this.levels) {
      words[at >> 5] = (words[at >> 5] as number) | (1 << (at & 31))
      at >>= 5
    }
  }

  remove(value: number): void {
    let at = value
    for (const words of this.levels) {
      const left = (words[at >> 5] as number) & ~(1 << (at & 31))
      words[at >> 5] = left
      if (left !== 0) return
      at >>= 5
    }
  }

  /** The lowest, which is removed; undefined when there is none. */
  take(): number | undefined {
    let at = 0
    for (let level = this.levels.length - 1; level >= 0; level--) {
      const word = this.levels[level]?.[at] ?? 0
      if (word === 0) return undefined
      at = at * 32 + 31 - Math.clz32(word & -word)
    }
    this.remove(at)
    return at
  }
}

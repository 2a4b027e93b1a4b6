/**
 * Blocks begin a few at a time. Then the event loop has a turn, in which those that have begun go on, and the fast ones end: of a tree of
 * thousands no more is open at once than waits for something, and what is open takes memory. Nobody waits for longer than that turn.
 *
 * The deepest of those that wait begin first: what was begun is finished before more is begun.
 */
export const BLOCKS_PER_TURN = 256

export interface Starting {
  readonly level: number
  start(): void
}

export class Starts {
  private begun = 0
  /** By level, in the order in which they came. */
  private readonly waiting = new Map<number, Starting[]>()
  private isTurnDue = false

  add(block: Starting): void {
    if (this.begun < BLOCKS_PER_TURN) {
      this.begun++
      block.start()
      return
    }
    const { level } = block
    const others = this.waiting.get(level)
    if (others === undefined) this.waiting.set(level, [block])
    else others.push(block)
    this.waitForTurn()
  }

  private waitForTurn(): void {
    if (!this.isTurnDue) setImmediate(this.takeTurn)
    this.isTurnDue = true
  }

  /** Whoever begins may call others, which are deeper, and begin at once while there is room. */
  private readonly takeTurn = (): void => {
    this.isTurnDue = false
    this.begun = 0
    for (const level of [...this.waiting.keys()].sort((a, b) => b - a)) {
      const blocks = this.waiting.get(level) ?? []
      for (const block of blocks.splice(0, BLOCKS_PER_TURN - this.begun)) this.add(block)
      if (blocks.length === 0) this.waiting.delete(level)
    }
    if (this.waiting.size > 0) this.waitForTurn()
  }
}

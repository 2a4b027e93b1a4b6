import type { DecodingBudget } from '../protocol/decoding-budget.ts'

/** Lines of a text that arrives in chunks. `budget` is that of each line. */
export class Lines {
  private readonly budget: DecodingBudget
  private open: string[] = []
  private chars = 0

  constructor(budget: DecodingBudget) {
    this.budget = budget
  }

  /** The lines that this chunk completes, with their ends. */
  add(chunk: string): string[] {
    const end = chunk.lastIndexOf('\n') + 1
    const lines = end === 0 ? [] : chunk.slice(0, end).split(/(?<=\n)/)
    if (lines.length > 0) {
      lines[0] = this.rest() + lines[0]
      this.open = []
      this.chars = 0
    }
    this.open.push(chunk.slice(end))
    this.chars += chunk.length - end
    if (this.chars > this.budget.left) throw this.budget.exceeded()
    return lines
  }

  /** The line that has begun. */
  rest(): string {
    return this.open.join('')
  }
}

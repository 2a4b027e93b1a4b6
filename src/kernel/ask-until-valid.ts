/** The one loop that asks a model again: each time with what was wrong with its last reply, until a reply is valid. */

/** A reply as its caller judges it. A problem is a sentence for the model, unless the caller needs to know more about it. */
export type Checked<T, Problem = string> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] }

export interface Asking<T, Problem = string> {
  readonly maxAsks: number
  /** Asks once. `problems` are those of the last reply, none at first; `asks` counts from 1. */
  ask(problems: readonly Problem[], asks: number): Promise<Checked<T, Problem>>
  /** A reply was refused. */
  onRefused?(problems: readonly Problem[]): void
  /** The last reply was refused: throws, or returns the best there is. */
  giveUp(problems: readonly Problem[], asks: number): T
}

export async function askUntilValid<T, Problem = string>(asking: Asking<T, Problem>): Promise<T> {
  let problems: readonly Problem[] = []
  for (let asks = 1; ; asks++) {
    const checked = await asking.ask(problems, asks)
    if (checked.ok) return checked.value
    problems = checked.problems
    asking.onRefused?.(problems)
    if (asks >= asking.maxAsks) return asking.giveUp(problems, asks)
  }
}

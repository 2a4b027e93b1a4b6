import { ThinkonError } from '../errors.ts'

/** About 0.2 seconds of matching. */
const BASE_STEPS = 10_000_000
const STEPS_PER_CHARACTER = 20

/** Counts the steps of a check of outside data instead of measuring its time: every machine refuses the same input. */
export class WorkLimit {
  #left: number

  /** `size`: the characters of the input. */
  constructor(size: number) {
    this.#left = BASE_STEPS + STEPS_PER_CHARACTER * size
  }

  /** Throws `LIMIT` if no steps are left. */
  take(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw new ThinkonError('LIMIT', 'takes too long to check')
  }
}

import { bytesText } from './bounds.ts'
import { ThinkonError } from './errors.ts'

const MIB = 1024 * 1024
const DEFAULT_MIB = 64

/** How much larger than its stored form data may become beyond the limit: a large file may hold more than a small one. */
const USUAL_RATIO = 20

export interface BudgetOptions {
  /** By default that of the environment. */
  readonly limit?: number
  /** The size of the compressed form: a large one may expand to more than the default limit. */
  readonly stored?: number
  /** The budget of what this is a part of, for the parts that are made only once. */
  readonly whole?: DecodingBudget
  /** In place of `TOO_LARGE`. */
  readonly error?: (limit: number) => Error
}

/**
 * Bounds what outside data expands to: inflated texts, references, aliases, edits, joins. Whatever expands such data takes the size of its result
 * from a budget, before it makes the result. Sizes are characters or bytes, whichever the data is counted in.
 */
export class DecodingBudget {
  /** The initial size. */
  readonly limit: number
  readonly #what: string
  readonly #error: ((limit: number) => Error) | undefined
  readonly #whole: DecodingBudget | undefined
  #left: number

  /** `what` begins the message: `event 3 of run x`. */
  constructor(what: string, { limit, stored = 0, whole, error }: BudgetOptions = {}) {
    this.limit = limit ?? decodingLimit() + USUAL_RATIO * stored
    this.#what = what
    this.#error = error
    this.#left = this.limit
    this.#whole = whole
  }

  /** The largest size that `take` accepts. */
  get left(): number {
    return Math.min(this.#left, this.#whole?.left ?? Number.POSITIVE_INFINITY)
  }

  /** Throws `TOO_LARGE`, or the error of the options, if the sizes exceed the limit. */
  take(size: number): void {
    this.#left -= size
    if (this.#left < 0) throw this.exceeded()
  }

  /** A stored form of this size has been read: the whole may expand to more. */
  addStored(size: number): void {
    if (this.#whole !== undefined) this.#whole.#left += USUAL_RATIO * size
  }

  /** A stored form has been expanded for the first time: it counts for the whole. */
  takeOfWhole(size: number): void {
    this.#whole?.take(size)
  }

  exceeded(): Error {
    if (this.#error !== undefined) return this.#error(this.limit)
    const message = `${this.#what} expands to more than ${bytesText(this.limit)}: nothing of it is used. THINKON_MAX_DECODED_MIB=<n> allows more`
    return new ThinkonError('TOO_LARGE', message, { data: { limit: this.limit } })
  }
}

/** In bytes. From the environment; browsers use the default. */
export function decodingLimit(): number {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  const mib = Number(process?.env?.THINKON_MAX_DECODED_MIB)
  return (mib > 0 ? mib : DEFAULT_MIB) * MIB
}

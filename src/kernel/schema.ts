/** A schema: JSON Schema for the model, a check for the value. `check` returns the value or throws with what is wrong. */
export interface Schema<T = unknown> {
  readonly json: Readonly<Record<string, unknown>>
  check(value: unknown): T
}

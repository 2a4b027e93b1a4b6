/** What the AI SDK's `jsonSchema()` and `zodSchema()` return, by its shape: the types need no package. */
export interface AiSdkSchema<T = unknown> {
  /** Only for the compiler. */
  readonly _type: T
  readonly jsonSchema: object | PromiseLike<object>
  readonly validate?: ((value: unknown) => AiSdkValidation<T> | PromiseLike<AiSdkValidation<T>>) | undefined
}

type AiSdkValidation<T> =
  | { readonly success: true; readonly value: T }
  | { readonly success: false; readonly error: Error }

/** What its `lazySchema()` returns. */
export type LazySchema<T = unknown> = () => AiSdkSchema<T>

/** Its mark is the same in all of its copies. */
export function isAiSdkSchema(given: unknown): given is AiSdkSchema {
  return Object(given)[MARK] === true
}

const MARK = Symbol.for('vercel.ai.schema')

/**
 * The part of https://standardschema.dev that is used here, written out so that the types need no package: zod, Valibot, ArkType and
 * others implement it.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    /** Only for the compiler. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    /** The extension that gives the schema as JSON Schema. */
    readonly jsonSchema?: StandardJson | undefined
  }
}

export interface StandardJson {
  readonly input: (options: {
    readonly target: 'draft-2020-12'
    readonly libraryOptions?: Record<string, unknown> | undefined
  }) => Record<string, unknown>
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  readonly message: string
  /** A step is a key, or an object with one. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** Some are functions. */
export function isStandardSchema(given: unknown): given is StandardSchema {
  const { '~standard': standard } = Object(given) as Partial<StandardSchema>
  return typeof standard?.validate === 'function'
}

/**
 * The type of the values that fit a JSON Schema written as a literal. What it does not read (references, `not`, patterns …) makes
 * the type wider, never wrong.
 */
export type JsonType<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value | Nullable<S>
    : S extends { readonly type: infer Name }
      ? TypeNamed<Name extends readonly (infer Each)[] ? Each : Name, S> | Nullable<S>
      : S extends { readonly anyOf: readonly (infer One)[] } | { readonly oneOf: readonly (infer One)[] }
        ? JsonType<One>
        : unknown

/** OpenAPI's word for a value that may be null. */
type Nullable<S> = S extends { readonly nullable: true } ? null : never

interface Simple {
  string: string
  number: number
  integer: number
  boolean: boolean
  null: null
}

/** Distributes over the names. */
type TypeNamed<Name, S> = Name extends keyof Simple
  ? Simple[Name]
  : Name extends 'array'
    ? S extends { readonly prefixItems: unknown }
      ? unknown[]
      : S extends { readonly items: infer Items extends object }
        ? JsonType<Items>[]
        : unknown[]
    : Name extends 'object'
      ? ObjectOf<S>
      : unknown

type ObjectOf<S> = S extends { readonly properties: infer Fields extends object }
  ? Flat<
      { -readonly [Name in keyof Fields & Required<S>]: JsonType<Fields[Name]> } & {
        -readonly [Name in Exclude<keyof Fields, Required<S>>]?: JsonType<Fields[Name]>
      }
    >
  : S extends { readonly patternProperties: unknown }
    ? Record<string, unknown>
    : S extends { readonly additionalProperties: infer Field extends object }
      ? Record<string, JsonType<Field>>
      : Record<string, unknown>

type Required<S> = S extends { readonly required: readonly (infer Name)[] }
  ? string extends Name
    ? never
    : Name
  : never

type Flat<T> = { [K in keyof T]: T[K] }

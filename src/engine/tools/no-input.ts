import type { Schema } from '../../kernel/schema.ts'

export type NoInput = Readonly<Record<string, never>>

/** Of a tool that takes no input. Whatever a model sends along with a call means nothing. */
export const NO_INPUT: Schema<NoInput> = {
  json: { type: 'object', properties: {}, additionalProperties: false },
  check: () => ({}),
}

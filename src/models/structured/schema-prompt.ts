/** A schema as a model without structured output is told of it, with how it is to answer. */
import { isObject } from '../../protocol/index.ts'
import type { JsonSchema } from '../../schema/check-schema.ts'
import { schemaShape } from '../../schema/schema-shape.ts'

export interface SchemaPromptOptions {
  /** What the prompt says already: a form that is described there is not repeated. */
  readonly told?: string
  /** The model may call tools natively instead. */
  readonly orCallTools?: boolean
  /** Objects may have more fields than are listed. */
  readonly isOpen?: boolean
}

export function schemaPrompt(schema: JsonSchema, options: SchemaPromptOptions = {}): string {
  const { told = '', orCallTools = false, isOpen = false } = options
  const start = orCallTools ? 'Call tools, or answer' : 'Answer'
  const rest = 'and nothing else: no explanation, no code fence.'
  if (isDescribed(schema, told)) return `${start} with one JSON value ${rest}`
  const more = isOpen ? '\nObjects may have more fields than are listed here.' : ''
  return `${start} with one JSON value of this form ${rest}\n${schemaShape(schema)}${more}`
}

/** Whether a text has every name of a field, in quotes, and every fixed value; of any object there is nothing to say. */
function isDescribed(schema: JsonSchema, text: string): boolean {
  const words = wordsOf(schema)
  if (words.length === 0) return schema.type === 'object' && schema.properties === undefined
  return words.every((word) => text.includes(word))
}

function wordsOf(schema: JsonSchema): string[] {
  const words: string[] = []
  JSON.stringify(schema, (key, value) => {
    if (key === 'properties' && isObject(value)) words.push(...Object.keys(value).map((name) => `"${name}"`))
    if (key === 'enum' || key === 'const') words.push(...[value].flat().map(String))
    return value
  })
  return words
}

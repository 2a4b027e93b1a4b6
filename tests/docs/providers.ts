/** This machine plays the hosted models that the docs name. */
import { isObject } from '../../src/protocol/index.ts'
import { type FakeProvider, type ProviderRequest, startFakeProvider } from '../models/fake-provider.ts'

export const TEXT = 'It is about three offers.'

export function playProviders(): Promise<FakeProvider> {
  return startFakeProvider((request) => ({ text: answerTo(request) }))
}

/** Whatever fits the schema that is asked for; without one, what fits the first question of most strategies. */
function answerTo({ body }: ProviderRequest): string {
  const schema = schemaIn(body) ?? { properties: { type: { enum: ['RETURN'] }, description: {} } }
  return JSON.stringify(valueFor(schema))
}

function schemaIn(value: unknown): Record<string, unknown> | undefined {
  if (!isObject(value)) return undefined
  if (isObject(value.schema)) return value.schema
  const { text, format, response_format, json_schema } = value as Record<string, unknown>
  return [text, format, response_format, json_schema].map(schemaIn).find((found) => found !== undefined)
}

function valueFor(schema: unknown): unknown {
  if (!isObject(schema)) return TEXT
  const { type, properties, anyOf, const: fixed } = schema as Record<string, unknown>
  const choices = Array.isArray(schema.enum) ? schema.enum : fixed === undefined ? [] : [fixed]
  if (choices.length > 0) return choices[0]
  if (Array.isArray(anyOf)) return valueFor(anyOf[0])
  if (isObject(properties))
    return Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, valueFor(part)]))
  if (type === 'array') return []
  if (type === 'boolean') return true
  return type === 'number' || type === 'integer' ? 1 : TEXT
}

/** Addresses of the providers, and the keys that the reader has: those that a snippet sets, and those of the models that it names. */
export function providersEnv({ url }: FakeProvider, text: string): NodeJS.ProcessEnv {
  const key = (provider: string) => {
    const isThere = text.includes(`${provider}:`) || text.includes(`${provider.toUpperCase()}_API_KEY`)
    return isThere ? { [`${provider.toUpperCase()}_API_KEY`]: 'none' } : {}
  }
  return {
    OPENAI_BASE_URL: `${url}/v1`,
    ANTHROPIC_BASE_URL: `${url}/v1`,
    OLLAMA_HOST: url,
    ...key('openai'),
    ...key('anthropic'),
  }
}

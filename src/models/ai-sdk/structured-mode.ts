/**
 * How a schema is put to a model. Where the provider can hold the model to a schema, it does; where it refuses, the
 * next way is taken and remembered for this model.
 */
import type { JSONSchema7, LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { type Message, type ModelRequest, messageText } from '../../protocol/index.ts'
import type { JsonSchema } from '../../schema/check-schema.ts'
import { schemaPrompt } from '../structured/schema-prompt.ts'

/**
 * native: JSON-schema output of the provider's own. tool: the reply is the input of a tool. prompt: the schema is
 * written into the prompt.
 */
export type StructuredMode = 'native' | 'tool' | 'prompt'

/** The tool by which a model replies in the mode `tool`. */
export const REPLY_TOOL = 'thinkon_reply'

interface Capability {
  readonly mode: StructuredMode
  /** The best way when the model may call tools as well. */
  readonly withTools: StructuredMode
}

/** By the first part of the AI SDK's provider name. What is not here is asked natively first. */
const CAPABILITIES: Readonly<Record<string, Capability>> = {
  openai: { mode: 'native', withTools: 'native' },
  azure: { mode: 'native', withTools: 'native' },
  anthropic: { mode: 'native', withTools: 'native' },
  // Gemini before 3 refuses JSON output together with tools.
  google: { mode: 'native', withTools: 'tool' },
  ollama: { mode: 'native', withTools: 'prompt' },
  mistral: { mode: 'native', withTools: 'tool' },
  groq: { mode: 'native', withTools: 'tool' },
  deepseek: { mode: 'prompt', withTools: 'prompt' },
  perplexity: { mode: 'prompt', withTools: 'prompt' },
}
const UNKNOWN: Capability = { mode: 'native', withTools: 'tool' }

/** Asks in the best way that the model has not refused yet. */
export class StructuredModes {
  private readonly capability: Capability
  private worst: StructuredMode = 'native'

  constructor(provider: string) {
    this.capability = CAPABILITIES[provider] ?? UNKNOWN
  }

  modeFor(request: ModelRequest): StructuredMode {
    const { schema = {}, tools = [] } = request
    // Providers want an object at the top, as schema and as a tool's input; of a union of objects JSON can be asked for.
    const isUnion = isUnionOfObjects(schema)
    if (schema.type !== 'object' && !isUnion) return 'prompt'
    const best = tools.length > 0 ? this.capability.withTools : this.capability.mode
    const mode = ORDER[Math.max(ORDER.indexOf(best), ORDER.indexOf(this.worst))] as StructuredMode
    return isUnion && mode === 'tool' ? 'prompt' : mode
  }

  /** True when there is another way to try. */
  refused(mode: StructuredMode): boolean {
    const next = ORDER[ORDER.indexOf(mode) + 1]
    if (next === undefined) return false
    this.worst = next
    return true
  }
}

function isUnionOfObjects({ type, anyOf, oneOf }: JsonSchema): boolean {
  const branches = anyOf ?? oneOf
  if (type !== undefined || !Array.isArray(branches)) return false
  return branches.every((branch: JsonSchema) => branch?.type === 'object')
}

const ORDER: readonly StructuredMode[] = ['native', 'tool', 'prompt']

/** Whether a provider's refusal is about the way the schema was put. */
export function refusesMode(status: unknown, message: string): boolean {
  return (status === 400 || status === 404 || status === 422 || status === 501) && ABOUT_MODE.test(message)
}

const ABOUT_MODE =
  /schema|response_?format|text\.format|output_?(?:format|config)|structured|json|grammar|tool|function/i

export type ModeOptions = Pick<
  LanguageModelV4CallOptions,
  'responseFormat' | 'tools' | 'toolChoice' | 'providerOptions'
>

/** What is added to a call so that the reply satisfies `schema`, and what the prompt must say beside it. */
export function askedAs(
  mode: StructuredMode,
  request: ModelRequest,
): { options: ModeOptions; instruction?: string } {
  const schema = request.schema as JsonSchema
  const withTools = toolsOf(request)
  if (mode === 'native' && isClosed(schema) && schema.type === 'object') {
    return {
      options: {
        ...withTools,
        responseFormat: { type: 'json', schema: schema as JSONSchema7, name: allowedName(request.kind) },
        providerOptions: { openai: { strictJsonSchema: isStrict(schema) } },
      },
    }
  }
  if (mode === 'tool') {
    const reply = {
      type: 'function' as const,
      name: REPLY_TOOL,
      description: 'Gives the reply.',
      inputSchema: schema as JSONSchema7,
    }
    return {
      options: {
        tools: [...(withTools.tools ?? []), reply],
        toolChoice: withTools.tools ? { type: 'required' } : { type: 'tool', toolName: REPLY_TOOL },
      },
    }
  }
  const instruction = schemaPrompt(schema, {
    // The rule for calling tools in words describes a form, too, which a model with native calls need not know.
    told: `${systemText(request.messages)}\n${request.toolRule ?? ''}`,
    orCallTools: withTools.tools !== undefined,
    isOpen: !isClosed(schema),
  })
  // An open schema held by a grammar would forbid what it does not list: JSON is asked for, the schema is told.
  const json = mode === 'native' ? { responseFormat: { type: 'json' as const } } : {}
  return { options: { ...withTools, ...json }, instruction }
}

function systemText(messages: readonly Message[]): string {
  return messages
    .filter(({ role }) => role === 'system')
    .map(messageText)
    .join('\n')
}

/** The tools of a request as the AI SDK takes them. */
export function toolsOf({ tools }: ModelRequest): { tools?: LanguageModelV4FunctionTool[] } {
  if (tools === undefined || tools.length === 0) return {}
  return {
    tools: tools.map(({ name, description, schema }) => ({
      type: 'function',
      name,
      description,
      // Providers want an object: what says nothing of itself takes any.
      inputSchema: { ...(schema.type === undefined && { type: 'object', properties: {} }), ...schema },
    })),
  }
}

/** Whether no object in the schema may have properties that it does not list. */
export function isClosed(schema: unknown): boolean {
  return everyObject(schema, (object) => object.additionalProperties === false)
}

/** What OpenAI's strict mode takes: closed, and every property required. */
function isStrict(schema: unknown): boolean {
  return everyObject(schema, ({ additionalProperties, properties, required }) => {
    const names = Object.keys((properties ?? {}) as object)
    return additionalProperties === false && names.every((name) => (required as string[])?.includes(name))
  })
}

function everyObject(schema: unknown, holds: (schema: JsonSchema) => boolean): boolean {
  if (Array.isArray(schema)) return schema.every((item) => everyObject(item, holds))
  if (typeof schema !== 'object' || schema === null) return true
  const object = schema as JsonSchema
  const { type } = object
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object'))
  if (isObject && !holds(object)) return false
  return Object.entries(object).every(([key, value]) => VALUES.has(key) || everyObject(value, holds))
}

/** What these hold are values, not schemas. */
const VALUES = new Set(['enum', 'const', 'default', 'examples'])

/** `fractal/think` → `fractal_think`: what providers allow in a name. */
function allowedName(kind: string): string {
  return kind.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 64) || 'reply'
}
